"""Workers who never sign in, their paid units, what is owed, and gold, by which they are tested.

Gold, workers and units have the tables that they had in ``judging``: no data was ever moved.
"""

import uuid

from django.db import models
from django.db.models import Q

from campaigns.models import AppendOnlyModel, Campaign, Topic, User
from crowd.models.studies import Study
from judging.models import Plan


class GoldPair(models.Model):
    """A pair with a known grade, by which crowd workers are tested without notice.

    It needs no pool. A ``retired`` pair is shown no more; the judgments of it remain.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="gold_pairs")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    docno = models.CharField(max_length=500)
    grade = models.SmallIntegerField()
    explanation = models.TextField(blank=True)
    retired = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "judging_goldpair"
        ordering = ["topic__position", "topic__number", "docno"]
        constraints = [models.UniqueConstraint("campaign", "topic", "docno", name="gold_pair_once")]


class CrowdWorker(models.Model):
    """A person of the crowd, under a pseudonym that is stable within the campaign.

    ``user`` cannot sign in and is no member; its username is the pseudonym. The provider's ID is
    known as ``external_hash``, an HMAC under a key of the campaign, and sealed under that key in
    ``external_id``: when the key is destroyed, neither leads back to the person; both are replaced
    once a worker who withdrew their consent is paid.
    """

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        SCREENED_OUT = "screened", "screened out"
        EXCLUDED = "excluded", "excluded"
        WITHDRAWN = "withdrawn", "consent withdrawn"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="crowd_workers")
    provider = models.SlugField(max_length=20)
    external_hash = models.CharField(max_length=64)
    external_id = models.TextField(blank=True)
    user = models.OneToOneField(User, models.PROTECT, related_name="crowd_worker")
    state = models.CharField(max_length=9, choices=State, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "judging_crowdworker"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", "provider", "external_hash", name="crowd_worker_once"
            )
        ]

    @property
    def pseudonym(self) -> str:
        return str(self.user.username)


class WorkUnit(models.Model):
    """A paid piece of work of one worker: ``size`` documents of a plan, checked out together.

    ``public_id`` is the only name of the unit in addresses. ``external_hash`` and
    ``external_id`` are those of the provider's ID of the unit (assignment, submission or session),
    as for workers. ``closes_at`` ends the lease of its documents. ``server_seconds`` is the time
    from document to document by our clock, pauses cut off; ``practice_seconds`` of it are those of
    practice, with the reading before it. A ``trial`` is an organizer's own, by
    the fake provider: its judgments never count and nothing is paid.
    """

    class State(models.TextChoices):
        OFFERED = "offered", "offered"
        STARTED = "started", "started"
        COMPLETE = "complete", "complete"
        ABANDONED = "abandoned", "abandoned"
        SCREENED_OUT = "screened", "screened out"
        REFUSED = "refused", "refused"

    plan = models.ForeignKey(Plan, models.PROTECT, related_name="units")
    worker = models.ForeignKey(CrowdWorker, models.PROTECT, related_name="units")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4)
    external_hash = models.CharField(max_length=64)
    external_id = models.TextField(blank=True)
    trial = models.BooleanField(default=False)
    state = models.CharField(max_length=9, choices=State, default=State.OFFERED)
    size = models.PositiveSmallIntegerField(default=0)
    consent_version = models.PositiveIntegerField(null=True, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    offered_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    server_seconds = models.FloatField(default=0.0)
    practice_seconds = models.FloatField(default=0.0)
    receipt = models.CharField(max_length=64, blank=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        db_table = "judging_workunit"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("plan", "external_hash", name="work_unit_once"),
            models.UniqueConstraint(
                "plan",
                "worker",
                condition=Q(state__in=("offered", "started")),
                name="work_unit_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("offered", "started"), ended_at__isnull=True)
                | (~Q(state__in=("offered", "started")) & Q(ended_at__isnull=False)),
                name="work_unit_ended_iff_over",
            ),
        ]

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None


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
