"""Judging by the crowd: workers who never sign in, their paid units, work that is set aside."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from campaigns.models import AppendOnlyModel, Campaign, Topic, User
from judging.models.plans import Plan


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
        ordering = ["topic__position", "topic__number", "docno"]
        constraints = [models.UniqueConstraint("campaign", "topic", "docno", name="gold_pair_once")]


class CrowdWorker(models.Model):
    """A person of the crowd, under a pseudonym that is stable within the campaign.

    ``user`` cannot sign in and is no member; its username is the pseudonym. The provider's ID is
    known as ``external_hash``, an HMAC under a key of the campaign, and sealed under that key in
    ``external_id``: when the key is destroyed, neither leads back to the person.
    """

    class State(models.TextChoices):
        ACTIVE = "active", "active"
        SCREENED_OUT = "screened", "screened out"
        EXCLUDED = "excluded", "excluded"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="crowd_workers")
    provider = models.SlugField(max_length=20)
    external_hash = models.CharField(max_length=64)
    external_id = models.TextField(blank=True)
    user = models.OneToOneField(User, models.PROTECT, related_name="crowd_worker")
    state = models.CharField(max_length=8, choices=State, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
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
    from document to document by our clock, pauses cut off. A ``trial`` is an organizer's own, by
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
    receipt = models.CharField(max_length=64, blank=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
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


class Exclusion(AppendOnlyModel):
    """Sets the work of a worker aside, or that of one ``unit``, with a reason; ``undoes`` ends one.

    The judgments remain in the log and count from ``set_at`` on no more, until the exclusion is
    undone. ``actor`` is null where a rule of the study decided.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="exclusions")
    worker = models.ForeignKey(CrowdWorker, models.PROTECT, related_name="exclusions")
    unit = models.ForeignKey(
        WorkUnit, models.PROTECT, null=True, blank=True, related_name="exclusions"
    )
    reason = models.CharField(max_length=500)
    actor = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    undoes = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="undone_by"
    )
    set_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["pk"]
