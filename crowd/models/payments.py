"""How what is owed is paid: batches, what each contains, and amounts that wait."""

from django.db import models
from django.db.models import Q

from campaigns.models import AppendOnlyModel, User
from crowd.models.studies import Study
from crowd.models.units import Bonus, Payment


class PaymentBatch(AppendOnlyModel):
    """Amounts of a study that are paid together, as batch ``number``.

    Approving a unit at the provider pays ``reward``. One that is void contains nothing any more.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="batches")
    number = models.PositiveIntegerField()
    reward = models.DecimalField(max_digits=8, decimal_places=2)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    voided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "payment batches"
        constraints = [models.UniqueConstraint("study", "number", name="payment_batch_once")]


class BatchItem(models.Model):
    """The amount of ``payment`` in ``batch``; with ``bonus`` the amount of that bonus instead.

    Each amount is in one batch at most. ``paid_at`` is when it was marked as paid.
    """

    batch = models.ForeignKey(PaymentBatch, models.PROTECT, related_name="items")
    payment = models.ForeignKey(Payment, models.PROTECT, related_name="batch_items")
    bonus = models.OneToOneField(
        Bonus, models.PROTECT, null=True, blank=True, related_name="batch_item"
    )
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("payment", condition=Q(bonus=None), name="payment_in_one_batch")
        ]


class PaymentDispute(models.Model):
    """Why what is not yet paid of ``payment`` waits, until ``ended_at``."""

    payment = models.ForeignKey(Payment, models.PROTECT, related_name="disputes")
    reason = models.CharField(max_length=200)
    opened_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "payment", condition=Q(ended_at=None), name="payment_dispute_at_a_time"
            )
        ]
