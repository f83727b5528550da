"""What is owed for each unit that came to an end."""

from __future__ import annotations

from django.db import models

from campaigns.models import AppendOnlyModel, User
from crowd.models.studies import Study
from judging.models import WorkUnit


class Payment(AppendOnlyModel):
    """The amount owed for a unit, written once, in the transaction that ends the unit.

    ``gold_right`` of ``gold_shown`` answers were right at that time. ``reason`` says how the amount
    came about, in words for the payment sheet.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="payments")
    unit = models.OneToOneField(WorkUnit, models.PROTECT, related_name="payment")
    judged = models.PositiveSmallIntegerField()
    gold_shown = models.PositiveSmallIntegerField(default=0)
    gold_right = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    bonus = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]


class Bonus(AppendOnlyModel):
    """An amount that an organizer adds to a payment, with a reason; there may be several.

    ``client_uuid`` makes granting idempotent: the same form is the same bonus.
    """

    payment = models.ForeignKey(Payment, models.PROTECT, related_name="bonuses")
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    reason = models.CharField(max_length=200)
    client_uuid = models.UUIDField(unique=True)
    granted_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "bonuses"
        constraints = [
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="bonus_above_zero")
        ]
