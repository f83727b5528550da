"""Payments: one append-only row for each unit that came to an end, and bonuses on top."""

from decimal import Decimal
from uuid import UUID

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services.events import log_event
from crowd.models import Bonus, Payment, Study, WorkUnit
from crowd.queries.unit_pay import compute_unit_payment
from crowd.queries.unit_work import load_unit_answers
from poolbench.crowd.pay import CENT

MOST_BONUS = Decimal(1000)
"""The largest bonus at once; a larger one is a slip of the finger."""
LONGEST_REASON = 200


def write_payment(*, unit: WorkUnit) -> Payment | None:
    """The payment of ``unit``, which is over: written once, the same row ever after.

    None for a trial, and for a unit that ended without an answer, in practice or after it. Call it
    in the transaction that ends the unit. ``ValueError`` for a unit that is not over.
    """
    if not unit.is_over:
        raise ValueError(f"unit {unit.public_id} is not over")
    study = Study.objects.get(plan=unit.plan_id)
    if unit.trial:
        return None
    answers = load_unit_answers(unit)
    decision = compute_unit_payment(unit, study)
    if decision is None:
        return None
    with transaction.atomic():
        payment, _ = Payment.objects.get_or_create(
            unit=unit,
            defaults={
                "study": study,
                "judged": answers.judged,
                "gold_shown": answers.gold_shown,
                "gold_right": answers.gold_right,
                "seconds": unit.server_seconds,
                "amount": decision.amount,
                "currency": study.currency,
                "reason": decision.reason,
            },
        )
    return payment


def grant_bonus(
    *, actor: User, payment: Payment, amount: Decimal, reason: str, client_uuid: UUID
) -> Bonus:
    """Add a bonus to ``payment``, once for each ``client_uuid``.

    Refused unless 0 < ``amount`` ≤ ``MOST_BONUS``, without a reason, and when the ID was used for
    another bonus.
    """
    require_permission(actor, "campaigns.manage", payment.study.campaign)
    reason = reason.strip()
    if not Decimal(0) < amount <= MOST_BONUS or amount != amount.quantize(CENT):
        fix = f"Enter an amount from 0.01 to {MOST_BONUS}, in cents."
        raise ActionRefused("bad-amount", "Invalid amount of a bonus.", fix)
    if not 0 < len(reason) <= LONGEST_REASON:
        fix = f"Enter at most {LONGEST_REASON} characters."
        raise ActionRefused("no-reason", "Give a reason for the bonus.", fix)
    with transaction.atomic():
        # A batch that is being made has a bonus wholly or not at all.
        Study.objects.select_for_update(no_key=True).get(pk=payment.study_id)
        if not payment.unit.external_id:
            fix = "Pay the worker in another way, if there is one."
            raise ActionRefused("no-id", "The provider's ID of this worker is erased.", fix)
        bonus, created = Bonus.objects.get_or_create(
            client_uuid=client_uuid,
            defaults={
                "payment": payment, "amount": amount, "reason": reason, "granted_by": actor,
            },
        )  # fmt: skip
        if (bonus.payment_id, bonus.amount) != (payment.pk, amount):
            fix = "Reload the page and enter it again."
            raise ActionRefused("uuid-used", "This form has granted another bonus.", fix)
        if created:
            log_event(
                campaign=payment.study.campaign,
                actor=actor,
                code="payment.bonus_granted",
                subject=payment.unit.worker.pseudonym,
                amount=str(amount),
                currency=payment.currency,
                reason=reason,
            )
    return bonus
