"""Who judges what, and what they said: plans, slots, judgments and qrels releases."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.urls import reverse

from campaigns.models import AppendOnly, Campaign, Topic, User
from pooling.models import Pool, PoolItem


class Plan(models.Model):
    """How a pool is shared out: each pair is judged by ``overlap`` assessors.

    One assessor a topic (topic-owner) is overlap 1 with one ``Assignment`` a topic.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="plans")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="plans")
    overlap = models.PositiveSmallIntegerField(default=1)
    paused = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]


class Assignment(models.Model):
    """An assessor may judge this topic under this plan."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="assignments")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    assessor = models.ForeignKey(User, models.PROTECT, related_name="assignments")

    class Meta:
        ordering = ["topic__position", "topic__number", "assessor__username"]
        constraints = [models.UniqueConstraint("plan", "topic", "assessor", name="assignment_once")]


class Slot(models.Model):
    """The ``k``-th judgment wanted for a pair. Claimed by compare-and-swap on ``token``."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        LEASED = "leased", "leased"
        JUDGED = "judged", "judged"
        SKIPPED = "skipped", "skipped"

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="slots")
    item = models.ForeignKey(PoolItem, models.PROTECT, related_name="slots")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    k = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    assessor = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="slots")
    token = models.UUIDField(default=uuid.uuid4)
    leased_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "k"]
        indexes = [
            models.Index(fields=["plan", "topic", "state", "position"], name="slot_next"),
            models.Index(fields=["assessor", "state"], name="slot_of_assessor"),
        ]
        constraints = [
            models.UniqueConstraint("item", "k", name="slot_once"),
            models.UniqueConstraint("item", "assessor", name="slot_of_assessor_once"),
            models.CheckConstraint(
                condition=Q(state="leased", expires_at__isnull=False)
                | (~Q(state="leased") & Q(expires_at__isnull=True)),
                name="slot_expires_iff_leased",
            ),
            models.CheckConstraint(
                condition=Q(state="open", assessor__isnull=True)
                | (~Q(state="open") & Q(assessor__isnull=False)),
                name="slot_assessor_iff_taken",
            ),
        ]


class Judgment(AppendOnly):
    """What an assessor said of a pair: a revision. The latest of an assessor counts.

    Keyed by (topic, docno, assessor), never by a position. ``client_uuid`` makes
    submission idempotent: the same uuid is the same judgment.
    """

    class Kind(models.TextChoices):
        GRADE = "grade", "judged"
        SKIP = "skip", "skipped"
        WITHDRAWN = "withdrawn", "taken back"

    class Source(models.TextChoices):
        SCREEN = "screen", "judging screen"
        API = "api", "API"
        IMPORT = "import", "imported"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="judgments")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="judgments")
    docno = models.CharField(max_length=500)
    assessor = models.ForeignKey(User, models.PROTECT, related_name="judgments")
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind)
    grade = models.SmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    comment = models.TextField(blank=True)
    slot = models.ForeignKey(Slot, models.PROTECT, null=True, blank=True, related_name="judgments")
    source = models.CharField(max_length=6, choices=Source)
    client_uuid = models.UUIDField(unique=True, default=uuid.uuid4)
    rank_shown = models.PositiveIntegerField(null=True, blank=True)
    served_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(null=True, blank=True)
    document_sha256 = models.CharField(max_length=64, blank=True)
    judged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", "topic", "docno", "assessor", "revision", name="judgment_revision_once"
            ),
            models.CheckConstraint(
                condition=Q(kind="grade", grade__isnull=False)
                | (~Q(kind="grade") & Q(grade__isnull=True)),
                name="judgment_grade_iff_judged",
            ),
        ]
        indexes = [models.Index(fields=["campaign", "assessor", "-judged_at"])]


class Qrels(AppendOnly):
    """An immutable qrels release: made from the judgments of ``as_of`` by ``policy``.

    ``path`` is a name in the content store; ``sha256`` is of the 4-column text.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="qrels")
    version = models.PositiveIntegerField()
    policy = models.CharField(max_length=60)
    as_of = models.DateTimeField()
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    pairs = models.PositiveIntegerField()
    manifest = models.JSONField()
    note = models.CharField(max_length=200, blank=True)
    released_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    released_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        verbose_name_plural = "qrels"
        constraints = [models.UniqueConstraint("campaign", "version", name="qrels_version_once")]

    def __str__(self) -> str:
        return f"qrels {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("qrels", args=[self.campaign.slug, self.version])
