"""The payment sheet of a study, and its comparison with the provider's list."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from crowd.models import (
    BatchItem,
    Bonus,
    CrowdKey,
    CrowdWorker,
    Payment,
    PaymentBatch,
    PaymentDispute,
    Study,
    WorkUnit,
)
from crowd.queries.keys import find_fernet, find_key_date, read_sealed
from crowd.queries.unit_pages import find_unit_code
from crowd.queries.workers import find_exclusions
from poolbench.crowd.payment_sheet import PROVIDER_LISTS, BatchedAmount, SheetRow, select_batch
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
    batched = load_batched_amounts(study)
    disputes = PaymentDispute.objects.filter(payment__study=study, ended_at=None)
    reasons = dict(disputes.values_list("payment", "reason"))
    whole, single = find_exclusions(study)
    fernet = find_fernet(study.campaign)
    rows = []
    payments = Payment.objects.filter(study=study).select_related("unit__worker__user")
    for payment in payments.order_by("created_at", "pk"):
        unit, own = payment.unit, bonuses[payment.pk]
        withdrawn = unit.worker.state == CrowdWorker.State.WITHDRAWN
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
                bonus=sum((bonus.amount for bonus in own), Decimal(0)),
                currency=payment.currency,
                reason=payment.reason,
                bonus_reasons=tuple(bonus.reason for bonus in own),
                receipt=unit.receipt,
                # What the worker may have entered at the provider.
                codes=frozenset(filter(None, (unit.receipt, find_unit_code(study, unit)))),
                worker=unit.worker_id,
                is_whole=unit.state == WorkUnit.State.COMPLETE,
                aside=unit.pk in single or (unit.worker_id in whole and not withdrawn),
                batched=tuple(batched[payment.pk]),
                dispute=reasons.get(payment.pk, ""),
            )
        )
    return rows


def load_batched_amounts(study: Study) -> dict[int, list[BatchedAmount]]:
    """What batches have of each payment, by its ID."""
    batched: dict[int, list[BatchedAmount]] = defaultdict(list)
    items = BatchItem.objects.filter(batch__study=study).order_by("pk")
    for item in items.select_related("batch", "payment", "bonus"):
        is_bonus = item.bonus is not None
        amount = item.bonus.amount if item.bonus else item.payment.amount
        batched[item.payment_id].append(
            BatchedAmount(
                amount, is_bonus, item.batch.number, item.batch.reward, item.paid_at is not None
            )
        )
    return batched


VOID = "VOID: pay nothing by this file\n"


@dataclass(frozen=True)
class BatchFigures:
    """A batch with its ``rows``, which have the amounts in it only."""

    batch: PaymentBatch
    rows: list[SheetRow]

    @property
    def total(self) -> Decimal:
        return sum((row.total for row in self.rows), Decimal(0))

    @property
    def title(self) -> str:
        return f"Batch {self.batch.number}"

    @property
    def files(self) -> dict[str, str]:
        """For the provider, by name, and what is paid by hand."""
        if self.batch.voided_at is not None:
            return dict.fromkeys(PROVIDER_LISTS, VOID)
        return {name: write(self.rows, self.batch.reward) for name, write in PROVIDER_LISTS.items()}

    @property
    def unpaid(self) -> Decimal:
        """Not marked as paid, disputes aside."""
        return sum((row.sent for row in self.rows if not row.dispute), Decimal(0))

    @property
    def paid(self) -> Decimal:
        return sum((row.paid for row in self.rows), Decimal(0))

    @property
    def disputed(self) -> Decimal:
        return self.total - self.unpaid - self.paid


def list_batches(study: Study, sheet: Sequence[SheetRow]) -> list[BatchFigures]:
    """The batches of ``study``, the first one first, from its whole payment ``sheet``."""
    batches = PaymentBatch.objects.filter(study=study).select_related("created_by")
    return [BatchFigures(batch, select_batch(sheet, batch.number)) for batch in batches]


def list_due_payments() -> QuerySet[Payment]:
    """With an amount that is in no batch, disputes aside."""
    payments = Payment.objects.exclude(pk__in=list_disputed_payments())
    return payments.filter(~Exists(BatchItem.objects.filter(payment=OuterRef("pk"), bonus=None)))


def list_due_bonuses() -> QuerySet[Bonus]:
    """In no batch, disputes aside."""
    return Bonus.objects.filter(batch_item=None).exclude(payment__in=list_disputed_payments())


def list_disputed_payments() -> QuerySet[PaymentDispute, Any]:
    return PaymentDispute.objects.filter(ended_at=None).values("payment")


def compute_unpaid_amount(payments: QuerySet[Payment]) -> Decimal:
    """What is owed of ``payments`` and not marked as paid, disputes included."""
    paid = BatchItem.objects.filter(paid_at__isnull=False)
    whole = payments.exclude(pk__in=paid.filter(bonus=None).values("payment"))
    extra = Bonus.objects.filter(payment__in=payments).exclude(batch_item__in=paid)
    sums = (rows.aggregate(n=Sum("amount"))["n"] for rows in (whole, extra))
    return sum((each or Decimal(0) for each in sums), Decimal(0))


def add_due_amounts(studies: QuerySet[Study]) -> QuerySet[Any]:
    """``studies``, each with ``due``: what is owed and in no batch."""
    due: Any = Value(Decimal(0))
    for rows, path in ((list_due_payments(), "study"), (list_due_bonuses(), "payment__study")):
        sums = rows.filter(**{path: OuterRef("pk")}).order_by().values(path)
        due += Coalesce(Subquery(sums.annotate(n=Sum("amount")).values("n")), Value(Decimal(0)))
    return studies.annotate(due=due)


def find_open_batch(study: Study) -> PaymentBatch | None:
    """The first batch that is not paid, disputes aside."""
    waiting = Q(items__paid_at=None) & ~Q(items__payment__in=list_disputed_payments())
    batches = PaymentBatch.objects.filter(study=study)
    return batches.annotate(n=Count("items", filter=waiting)).filter(n__gt=0).first()


def reconcile_study(study: Study, submissions: Sequence[ProviderSubmission]) -> Reconciliation:
    """The payment sheet against the provider's list."""
    return reconcile_payments(submissions, load_payment_sheet(study), list_worker_ids(study))


def list_worker_ids(study: Study) -> list[str]:
    """The provider's IDs of all workers who came to the study."""
    fernet = find_fernet(study.campaign)
    units = WorkUnit.objects.filter(plan=study.plan_id, trial=False)
    workers = CrowdWorker.objects.filter(pk__in=units.values("worker")).order_by("pk")
    sealed = workers.values_list("external_id", flat=True)
    return [text for text in (read_sealed(fernet, each) for each in sealed) if text]
