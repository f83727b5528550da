"""How what is owed is paid: batches made once, marked as paid, and amounts that wait."""

from collections.abc import Collection
from decimal import Decimal
from functools import partial

from django.db import transaction
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services.decisions import check_decision
from campaigns.services.events import log_event
from crowd.models import BatchItem, Payment, PaymentBatch, PaymentDispute, Study
from crowd.queries.confirmations import describe_batch, describe_batch_paid, describe_batch_void
from crowd.queries.payment_sheet import (
    compute_unpaid_amount,
    list_disputed_payments,
    list_due_bonuses,
    list_due_payments,
    load_payment_sheet,
)
from crowd.services.payments import LONGEST_REASON
from crowd.services.studies import lock_study, log_study_event
from crowd.services.withdrawals import erase_withdrawn_ids
from poolbench.crowd.pay import CENT
from poolbench.crowd.payment_sheet import select_batch, select_due

MOST_REWARD = Decimal(100_000)


def make_batch(
    *, actor: User, study: Study, reward: Decimal, decision: Decision | None = None
) -> PaymentBatch:
    """Put all that is owed and in no batch into a new one, disputes aside.

    ``reward`` is what approving a unit at the provider pays. Refused: "bad-reward", and where
    nothing is owed ("nothing-due").
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    check_reward(reward)
    with transaction.atomic():
        study = lock_study(study)
        rows = select_due(load_payment_sheet(study))
        if not rows:
            fix = "Units that end from now on, and bonuses, are owed again."
            raise ActionRefused("nothing-due", "Nothing is owed that is in no batch.", fix)
        confirmed = check_decision(partial(describe_batch, study, reward), decision)
        number = study.batches.count() + 1
        batch = PaymentBatch.objects.create(
            study=study, number=number, reward=reward, created_by=actor
        )
        items = list_items(batch, [row.payment for row in rows])
        BatchItem.objects.bulk_create(items)
        total = sum((row.total for row in rows), Decimal(0))
        log_study_event(
            actor, study, "payment.batch_made", batch=number, amount=f"{total:.2f}",
            currency=study.currency, reward=f"{reward:.2f}", **confirmed,
        )  # fmt: skip
    return batch


def list_items(batch: PaymentBatch, ids: list[int]) -> list[BatchItem]:
    """The items of a new ``batch``: what is due of the payments with ``ids``."""
    payments = list_due_payments().filter(pk__in=ids).order_by("pk")
    bonuses = list_due_bonuses().filter(payment__in=ids).order_by("pk")
    return [
        *(BatchItem(batch=batch, payment=p) for p in payments if p.amount),
        *(BatchItem(batch=batch, payment_id=b.payment_id, bonus=b) for b in bonuses),
    ]


def check_reward(reward: Decimal) -> None:
    if not Decimal(0) <= reward <= MOST_REWARD or reward != reward.quantize(CENT):
        fix = f"Enter an amount from 0 to {MOST_REWARD}, in cents."
        raise ActionRefused("bad-reward", "Invalid reward of a unit.", fix)


def mark_batch_paid(
    *, actor: User, batch: PaymentBatch, decision: Decision | None = None
) -> PaymentBatch:
    """Mark all that ``batch`` contains as paid, disputes aside; refused where nothing is left
    ("batch-paid").
    """
    require_permission(actor, "campaigns.manage", batch.study.campaign)
    with transaction.atomic():
        study = lock_study(batch.study)
        items = BatchItem.objects.filter(batch=batch, paid_at=None)
        items = items.exclude(payment__in=list_disputed_payments())
        if not items.exists():
            raise ActionRefused(
                "batch-paid",
                f"Nothing of batch {batch.number} is left to pay.",
                "End its disputes first, if any.",
            )
        confirmed = check_decision(partial(describe_batch_paid, batch), decision)
        items.update(paid_at=timezone.now())
        erase_withdrawn_ids(study.campaign)
        log_study_event(actor, study, "payment.batch_paid", batch=batch.number, **confirmed)
    return batch


def void_batch(
    *, actor: User, batch: PaymentBatch, decision: Decision | None = None
) -> PaymentBatch:
    """Take all out of ``batch`` before anything of it is paid: it is owed again. Refused after
    ("batch-paid"), and twice ("batch-void").
    """
    require_permission(actor, "campaigns.manage", batch.study.campaign)
    with transaction.atomic():
        study = lock_study(batch.study)
        items = BatchItem.objects.filter(batch=batch)
        if items.filter(paid_at__isnull=False).exists():
            fix = "Ask the provider to return what was not owed, and grant no bonus for it."
            raise ActionRefused("batch-paid", f"Batch {batch.number} is paid, or in part.", fix)
        if not items.exists():
            raise ActionRefused("batch-void", f"Batch {batch.number} is void already.")
        confirmed = check_decision(partial(describe_batch_void, batch), decision)
        total = sum(row.total for row in select_batch(load_payment_sheet(study), batch.number))
        items.delete()
        PaymentBatch.objects.filter(pk=batch.pk).update(voided_at=timezone.now())
        log_study_event(
            actor, study, "payment.batch_voided", batch=batch.number, amount=f"{total:.2f}",
            currency=study.currency, **confirmed,
        )  # fmt: skip
    return batch


def mark_payments_paid(*, actor: User, study: Study, payments: Collection[int]) -> int:
    """Mark what batches have of ``payments`` as paid, as the provider's list says; return how many
    payments changed.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        study = lock_study(study)
        items = BatchItem.objects.filter(batch__study=study, payment__in=payments, paid_at=None)
        items = items.exclude(payment__in=list_disputed_payments())
        settled = len(set(items.values_list("payment", flat=True)))
        if settled:
            items.update(paid_at=timezone.now())
            erase_withdrawn_ids(study.campaign)
            log_study_event(actor, study, "payment.settled", units=settled)
    return settled


def open_dispute(*, actor: User, payment: Payment, reason: str) -> PaymentDispute:
    """Let what is not yet paid of ``payment`` wait, for ``reason``; refused while it does, and
    where nothing is left ("payment-paid").
    """
    require_permission(actor, "campaigns.manage", payment.study.campaign)
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        fix = f"Enter at most {LONGEST_REASON} characters."
        raise ActionRefused("no-reason", "Give a reason for the dispute.", fix)
    with transaction.atomic():
        lock_study(payment.study)
        if PaymentDispute.objects.filter(payment=payment, ended_at=None).exists():
            raise ActionRefused("disputed", "This payment is disputed already.")
        if not compute_unpaid_amount(Payment.objects.filter(pk=payment.pk)):
            raise ActionRefused("payment-paid", "Nothing is left to pay: it is marked as paid.")
        dispute = PaymentDispute.objects.create(payment=payment, reason=reason, opened_by=actor)
        log_dispute(actor, payment, "payment.disputed", reason)
    return dispute


def end_dispute(*, actor: User, payment: Payment) -> None:
    """Let ``payment`` be what it was before: owed, or in its batch. Twice is once."""
    require_permission(actor, "campaigns.manage", payment.study.campaign)
    with transaction.atomic():
        lock_study(payment.study)
        open_ones = PaymentDispute.objects.filter(payment=payment, ended_at=None)
        reasons = list(open_ones.values_list("reason", flat=True))
        if reasons:
            open_ones.update(ended_at=timezone.now())
            log_dispute(actor, payment, "payment.dispute_ended", reasons[0])


def log_dispute(actor: User, payment: Payment, code: str, reason: str) -> None:
    log_event(
        campaign=payment.study.campaign,
        actor=actor,
        code=code,
        subject=payment.unit.worker.pseudonym,
        reason=reason,
    )
