"""Judging: plans, assignments, slots, training, judgments, qrels versions."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaigns.models import AppendOnlyModel, Campaign, Topic, User
from judging.core.policies import NO_ESTIMATE, label_qrels
from judging.core.stopping import StoppingCriteria
from pooling.models import Pool, PoolItem


class Purpose(models.TextChoices):
    """The purpose of a judgment. ``JUDGE`` and ``ADJUDICATE`` count for a pair's grade; an
    ``AUTOMATIC`` judgment only under a policy that names its assessor.
    """

    JUDGE = "judge", _("judgment")
    REPEAT = "repeat", _("blind repeat")
    ADJUDICATE = "adjudicate", _("adjudication")
    TRAINING = "training", _("training")
    AUTOMATIC = "automatic", "automatic"


class Plan(models.Model):
    """A judging plan of a pool, or an adjudication round (``kind``).

    ``design`` is a name of ``judging.core.designs``, with ``parameters``; it created the slots.
    One assessor per topic (topic-owner) is overlap 1 with one ``Assignment`` per topic. A plan
    that is closed requests no more judgments, stays closed, and keeps ``closed_at``.
    """

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("plan", "open")
        PAUSED = "paused", pgettext_lazy("plan", "paused")
        CLOSED = "closed", pgettext_lazy("plan", "closed")

    class Kind(models.TextChoices):
        JUDGE = "judge", "judging"
        ADJUDICATE = "adjudicate", _("adjudication")

    class Order(models.TextChoices):
        RANDOM = "random", _("random within a topic")
        DOCNO = "docno", _("by docno")
        POOL = "pool", _("best pool rank first")
        VALUE = "value", _("highest rank-swap value first")

    class Rationale(models.TextChoices):
        NO = "no", "off"
        MAY = "may", "optional"
        RELEVANT = "relevant", "required for relevant documents"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="plans")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="plans")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.JUDGE)
    design = models.CharField(max_length=20, default="overlap")
    parameters = models.JSONField(default=dict, blank=True)
    overlap = models.PositiveSmallIntegerField(default=1)
    order = models.CharField(max_length=8, choices=Order, default=Order.RANDOM)
    third_from = models.PositiveSmallIntegerField(
        default=0, help_text="Grade difference that triggers a third judgment; 0 = never."
    )
    repeat_share = models.FloatField(
        default=0.0, help_text="Share of an assessor's documents repeated without notice."
    )
    rationale = models.CharField(max_length=8, choices=Rationale, default=Rationale.NO)
    blind = models.BooleanField(default=True, help_text="Adjudicators do not see the judgments.")
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False)
                | (~Q(state="closed") & Q(closed_at__isnull=True)),
                name="plan_closed_at_iff_closed",
            )
        ]

    @property
    def is_closed(self) -> bool:
        return self.state == self.State.CLOSED


class ActiveAssignmentManager(models.Manager["Assignment"]):
    """The current assignments: without assessors who have left the topic."""

    def get_queryset(self) -> models.QuerySet[Assignment]:
        return super().get_queryset().filter(left=False)


class Assignment(models.Model):
    """An assessor may judge this topic under this plan, unless ``paused``.

    The row of an assessor who has ``left`` remains, only in ``ever``: judgments from their
    screen or their browser's queue are still accepted.
    """

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="assignments")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    assessor = models.ForeignKey(User, models.PROTECT, related_name="assignments")
    paused = models.BooleanField(default=False)
    left = models.BooleanField(default=False)

    objects = ActiveAssignmentManager()
    ever: models.Manager[Assignment] = models.Manager()

    class Meta:
        ordering = ["topic__position", "topic__number", "assessor__username"]
        constraints = [models.UniqueConstraint("plan", "topic", "assessor", name="assignment_once")]


class Slot(models.Model):
    """The ``k``-th judgment needed for a pair. Claimed by compare-and-swap on ``token``.

    Only ``reserved_for`` may fill it; if null, any assessor assigned to the topic. ``value`` is
    the sort key of an adjudication. ``position`` of a repeat is the number of documents of the
    topic that its assessor has judged when it is due. ``guideline_version`` was current when the
    document was last checked out.
    """

    class State(models.TextChoices):
        OPEN = "open", "open"
        LEASED = "leased", "leased"
        JUDGED = "judged", "judged"
        SKIPPED = "skipped", "skipped"

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="slots")
    item = models.ForeignKey(PoolItem, models.PROTECT, related_name="slots")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.JUDGE)
    k = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    value = models.FloatField(null=True, blank=True)
    reserved_for = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="reserved_slots"
    )
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    assessor = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="slots")
    token = models.UUIDField(default=uuid.uuid4)
    guideline_version = models.PositiveIntegerField(null=True, blank=True)
    leased_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "k"]
        indexes = [
            models.Index(fields=["topic", "purpose", "state", "position"], name="slot_next"),
            models.Index(fields=["assessor", "state"], name="slot_of_assessor"),
        ]
        constraints = [
            models.UniqueConstraint("item", "purpose", "k", name="slot_once"),
            models.UniqueConstraint("item", "purpose", "assessor", name="slot_of_assessor_once"),
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


class StoppingRule(AppendOnlyModel):
    """When a topic of the campaign is complete (``judging.core.stopping``). The latest applies."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="stopping_rules")
    documents = models.PositiveIntegerField(null=True, blank=True)
    relevant = models.PositiveIntegerField(null=True, blank=True)
    no_relevant_in = models.PositiveIntegerField(null=True, blank=True)
    set_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    set_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    @property
    def rule(self) -> StoppingCriteria:
        return StoppingCriteria(self.documents, self.relevant, self.no_relevant_in)


class StoppedTopic(models.Model):
    """A topic that is complete by the stopping rule: its documents are no longer checked out.

    Follows from the judgments and the latest rule; stored so that no claim reads the log.
    """

    topic = models.OneToOneField(Topic, models.CASCADE, related_name="stopped")
    at = models.DateTimeField(auto_now_add=True)


class TrainingPair(models.Model):
    """A pair with an explained correct grade; every assessor judges it before starting."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="training")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    docno = models.CharField(max_length=500)
    grade = models.SmallIntegerField()
    explanation = models.TextField(blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint("campaign", "topic", "docno", name="training_pair_once")
        ]


class AutomaticAssessor(models.Model):
    """A model; its judgments are kept apart from human ones. ``user`` cannot sign in."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="automatic_assessors")
    name = models.SlugField(max_length=60)
    description = models.TextField(blank=True)
    user = models.OneToOneField(User, models.PROTECT, related_name="automatic")
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint("campaign", "name", name="automatic_name_once")]

    def __str__(self) -> str:
        return self.name


class Judgment(AppendOnlyModel):
    """A revision of an assessor's judgment of a pair. An assessor's latest one counts.

    Keyed by (topic, docno, assessor, purpose), never by a position. ``client_uuid`` makes
    submission idempotent: the same UUID is the same judgment. ``flags`` are names of
    ``judging.rules.FLAGS``; ``passages`` are ``[start, end, text]`` in characters of the
    document's body. ``order`` is the plan's order, ``lease`` the token and ``guideline_version``
    the version on the assessor's page when the document was shown. A ``third`` judgment exists
    because the planned ones differ: its pairs are selected by their outcome, so figures of
    agreement leave it out.
    """

    class Kind(models.TextChoices):
        GRADE = "grade", "judged"
        SKIP = "skip", "skipped"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Source(models.TextChoices):
        SCREEN = "screen", "judging screen"
        API = "api", "API"
        IMPORT = "import", "imported"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="judgments")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="judgments")
    docno = models.CharField(max_length=500)
    assessor = models.ForeignKey(User, models.PROTECT, related_name="judgments")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.JUDGE)
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind)
    grade = models.SmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    comment = models.TextField(blank=True)
    flags = models.JSONField(default=list, blank=True)
    duplicate_of = models.CharField(max_length=500, blank=True)
    passages = models.JSONField(default=list, blank=True)
    slot = models.ForeignKey(Slot, models.PROTECT, null=True, blank=True, related_name="judgments")
    source = models.CharField(max_length=6, choices=Source)
    client_uuid = models.UUIDField(unique=True, default=uuid.uuid4)
    lease = models.UUIDField(null=True, blank=True)
    order = models.CharField(max_length=8, blank=True)
    guideline_version = models.PositiveIntegerField(default=0)
    rank_shown = models.PositiveIntegerField(null=True, blank=True)
    served_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(null=True, blank=True)
    document_sha256 = models.CharField(max_length=64, blank=True)
    third = models.BooleanField(default=False)
    judged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign",
                "topic",
                "docno",
                "assessor",
                "purpose",
                "revision",
                name="judgment_revision_once",
            ),
            models.CheckConstraint(
                condition=Q(kind="grade", grade__isnull=False)
                | (~Q(kind="grade") & Q(grade__isnull=True)),
                name="judgment_grade_iff_judged",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "assessor", "-judged_at"]),
            models.Index(fields=["assessor", "topic", "docno"], name="judgment_of_assessor"),
        ]


class Qrels(AppendOnlyModel):
    """An immutable qrels version: built from the judgments as of ``as_of`` under ``policy``.

    ``path`` is a name in the content store; ``sha256`` is of the 4-column text.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="qrels")
    version = models.PositiveIntegerField()
    policy = models.CharField(max_length=250)
    as_of = models.DateTimeField()
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    pairs = models.PositiveIntegerField()
    manifest = models.JSONField()
    note = models.CharField(max_length=200, blank=True)
    frozen_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-version"]
        verbose_name_plural = "qrels"
        constraints = [models.UniqueConstraint("campaign", "version", name="qrels_version_once")]

    def __str__(self) -> str:
        return f"qrels {self.version} ({self.label})" if self.label else f"qrels {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("qrels", args=[self.campaign.slug, self.version])

    @property
    def label(self) -> str:
        """What all scores by these qrels are labelled with; empty for human judgments."""
        return label_qrels(self.manifest)

    @property
    def label_reading(self) -> str:
        """The sentence about the label."""
        return NO_ESTIMATE if self.label else ""

    @property
    def automatic_pairs(self) -> int:
        """The pairs whose grade is an automatic assessor's."""
        return int((self.manifest.get("automatic") or {}).get("pairs", 0))
