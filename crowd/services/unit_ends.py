"""The one way in which a unit of work ends: its time, its free documents, payment and receipt."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.rules import require_open
from crowd.models import Payment, Study, WorkUnit
from crowd.queries.unit_pay import measure_unit
from crowd.queries.unit_work import load_unit_answers
from crowd.services.keys import is_receipt_valid, sign_receipt
from crowd.services.payments import write_payment
from crowd.services.unit_work import lock_unit, release_unit
from poolbench.crowd.receipts import LENGTH, ReceiptFields

State = WorkUnit.State
PATIENCE = timedelta(days=1)
"""After this time a unit that was offered and never started is abandoned."""


def end_unit(unit: WorkUnit, state: str, reason: str = "") -> WorkUnit:
    """End ``unit``, which is locked and not over, in ``state``.

    Its documents without an answer become free, its time is added up and what is owed is written,
    in the caller's transaction.
    """
    unit.state = state
    unit.reason = reason[:200]
    unit.ended_at = timezone.now()
    unit.practice_seconds, working = measure_unit(unit, unit.plan.study)
    unit.server_seconds = unit.practice_seconds + working
    unit.save(update_fields=["state", "reason", "ended_at", "server_seconds", "practice_seconds"])
    release_unit(unit=unit)
    payment = write_payment(unit=unit)
    if state == State.COMPLETE:
        unit.receipt = sign_receipt(describe_receipt(unit, payment))
        unit.save(update_fields=["receipt"])
    return unit


def end_running_units(units: QuerySet[WorkUnit], reason: str) -> int:
    """End those of ``units`` that are not over, of a worker who was set aside; return how many.

    Screened out if they were started, otherwise refused.
    """
    ended = 0
    for each in units.filter(ended_at=None).order_by("pk"):
        locked = lock_unit(each)
        if locked.is_over:
            continue
        is_started = locked.state == State.STARTED
        end_unit(locked, State.SCREENED_OUT if is_started else State.REFUSED, reason)
        ended += 1
    return ended


def is_all_answered(unit: WorkUnit) -> bool:
    """Whether every document of ``unit``, which was started, has an answer or a skip.

    Documents that were taken from the unit have none, so a unit that lost some is never complete.
    """
    return unit.state == State.STARTED and 0 < unit.size <= load_unit_answers(unit).judged


def describe_receipt(unit: WorkUnit, payment: Payment | None) -> ReceiptFields:
    """What the receipt of a complete unit is bound to; a trial is paid nothing."""
    study: Study = unit.plan.study
    return ReceiptFields(
        unit=unit.public_id.hex,
        worker=unit.worker.pseudonym,
        study=study.pk,
        judged=payment.judged if payment else unit.size,
        amount=payment.amount if payment else Decimal(0),
        currency=study.currency,
    )


def is_expired(unit: WorkUnit) -> bool:
    """Whether the time of ``unit`` is up, although it has not ended yet."""
    if unit.is_over:
        return False
    now = timezone.now()
    if unit.closes_at is not None:
        return unit.closes_at <= now
    return unit.offered_at + PATIENCE <= now


def check_not_over(unit: WorkUnit) -> None:
    """Refuse to go on with a unit that is over, whose time is up or whose campaign is closed."""
    require_open(unit.plan.campaign)
    if unit.is_over or is_expired(unit):
        raise ActionRefused(
            "unit-over",
            _("This piece of work is over."),
            _("Your answers are saved. You can close this page."),
        )


def find_receipt(*, study: Study, receipt: str) -> dict[str, Any]:
    """Look the receipt up, and compute it again from what the unit says now: ``unit`` is the one
    that it was given for, ``is_valid``: it is bound to its work.
    """
    receipt = receipt.strip().lower()[:64].replace("\0", "")
    units = WorkUnit.objects.select_related("worker__user", "plan__study")
    unit = units.filter(plan=study.plan_id, receipt=receipt).first()
    if len(receipt) != LENGTH or unit is None:
        return {"unit": None, "is_valid": False}
    payment = Payment.objects.filter(unit=unit).first()
    return {"unit": unit, "is_valid": is_receipt_valid(describe_receipt(unit, payment), receipt)}
