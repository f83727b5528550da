"""The payment sheet of a study, and its comparison with the provider's list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from crowd.models import Bonus, CrowdKey, CrowdWorker, Payment, Study, WorkUnit
from crowd.queries.keys import find_fernet, find_key_date, read_sealed
from crowd.queries.unit_pages import find_unit_code
from crowd.queries.workers import find_exclusions
from poolbench.crowd.payment_sheet import SheetRow
from poolbench.crowd.reconciliation import ProviderSubmission, Reconciliation, reconcile_payments


def load_key_status(study: Study) -> dict[str, Any]:
    """Whether the provider's IDs can be read: a key is in use, or was destroyed at some time; the
    date after which it will be.
    """
    key = CrowdKey.objects.filter(campaign=study.campaign_id).order_by("-pk").first()
    return {
        "is_readable": key is not None and key.destroyed_at is None,
        "destroyed_at": key and key.destroyed_at,
        "destroyed_after": find_key_date(study),
    }


def count_unpaid_units(study: Study) -> int:
    """Units that ended before their worker had done anything: nothing is owed for them."""
    ended = WorkUnit.objects.filter(plan=study.plan_id, trial=False, ended_at__isnull=False)
    return ended.filter(payment=None).count()


def load_payment_sheet(study: Study) -> list[SheetRow]:
    """One row for each payment, in the order in which the units ended; the provider's IDs while the
    key exists.
    """
    bonuses: dict[int, list[Bonus]] = defaultdict(list)
    for bonus in Bonus.objects.filter(payment__study=study).order_by("pk"):
        bonuses[bonus.payment_id].append(bonus)
    whole, single = find_exclusions(study)
    fernet = find_fernet(study.campaign)
    rows = []
    payments = Payment.objects.filter(study=study).select_related("unit__worker__user")
    for payment in payments.order_by("created_at", "pk"):
        unit, own = payment.unit, bonuses[payment.pk]
        rows.append(
            SheetRow(
                payment=payment.pk,
                pseudonym=unit.worker.pseudonym,
                worker_id=read_sealed(fernet, unit.worker.external_id),
                unit_id=read_sealed(fernet, unit.external_id),
                state=str(WorkUnit.State(unit.state).label),
                judged=payment.judged,
                seconds=payment.seconds,
                gold_right=payment.gold_right,
                gold_shown=payment.gold_shown,
                amount=payment.amount,
                bonus=sum((bonus.amount for bonus in own), payment.bonus),
                currency=payment.currency,
                reason=payment.reason,
                bonus_reasons=tuple(bonus.reason for bonus in own),
                receipt=unit.receipt,
                # What the worker may have entered at the provider.
                codes=frozenset(filter(None, (unit.receipt, find_unit_code(study, unit)))),
                worker=unit.worker_id,
                is_whole=unit.state == WorkUnit.State.COMPLETE,
                aside=unit.worker_id in whole or unit.pk in single,
            )
        )
    return rows


def reconcile_study(study: Study, submissions: Sequence[ProviderSubmission]) -> Reconciliation:
    """The payment sheet against the provider's list. Rows whose IDs cannot be read are left out."""
    owed = [row for row in load_payment_sheet(study) if row.unit_id]
    return reconcile_payments(submissions, owed, list_worker_ids(study))


def list_worker_ids(study: Study) -> list[str]:
    """The provider's IDs of all workers who came to the study."""
    fernet = find_fernet(study.campaign)
    units = WorkUnit.objects.filter(plan=study.plan_id, trial=False)
    workers = CrowdWorker.objects.filter(pk__in=units.values("worker")).order_by("pk")
    sealed = workers.values_list("external_id", flat=True)
    return [text for text in (read_sealed(fernet, each) for each in sealed) if text]
