"""Judging plans: who judges what, slot by slot; when a topic is complete."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaigns.models import AppendOnlyModel, Campaign, Topic, User
from judging.models.indexes import WaitingIndex
from poolbench.judging.stopping import StoppingCriteria
from pooling.models import Pool, PoolItem


class Purpose(models.TextChoices):
    """The purpose of a judgment. ``JUDGE`` and ``ADJUDICATE`` count for a pair's grade; an
    ``AUTOMATIC`` judgment only under a policy that names its assessor. ``GOLD`` is the judgment of
    a document whose grade is known, by which a crowd worker is tested. ``PROPAGATED`` is the grade
    of another document with the same text, which was not judged: no figure of people's work has it.
    """

    JUDGE = "judge", _("judgment")
    REPEAT = "repeat", _("blind repeat")
    ADJUDICATE = "adjudicate", _("adjudication")
    TRAINING = "training", _("training")
    AUTOMATIC = "automatic", "automatic"
    GOLD = "gold", "gold"
    PROPAGATED = "propagated", "propagated to a duplicate"


class Audience(models.TextChoices):
    """Who judges: the assessors of the campaign, or crowd workers."""

    MEMBERS = "members", "assessors"
    CROWD = "crowd", "crowd workers"


class Plan(models.Model):
    """A judging plan of a pool, or an adjudication round (``kind``).

    ``design`` is a name of ``poolbench.judging.designs``, with ``parameters``; it created the
    slots. One assessor per topic (topic-owner) is overlap 1 with one ``Assignment`` per topic. A
    plan that is closed requests no more judgments, stays closed, and keeps ``closed_at``.

    A plan for the crowd has no assignments: its slots go to work units. Up to ``max_overlap``
    judgments of a pair may be requested where ``overlap`` leave the grade unsure.

    With ``propagate``, one of several documents of a topic with the same text is judged, and the
    others are its ``PropagatedPair`` rows instead of slots.
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
        LENGTH = "length", _("short and long in blocks")
        POOL = "pool", _("best pool rank first")
        VALUE = "value", _("highest rank-swap value first")

    class Language(models.TextChoices):
        BOTH = "both", "both side by side"
        ORIGINAL = "original", "original"
        TRANSLATION = "translation", "translation"

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
    max_overlap = models.PositiveSmallIntegerField(null=True, blank=True)
    audience = models.CharField(max_length=7, choices=Audience, default=Audience.MEMBERS)
    order = models.CharField(max_length=8, choices=Order, default=Order.RANDOM)
    third_from = models.PositiveSmallIntegerField(
        default=0, help_text="Grade difference that triggers a third judgment; 0 = never."
    )
    repeat_share = models.FloatField(
        default=0.0, help_text="Share of an assessor's documents repeated without notice."
    )
    rationale = models.CharField(max_length=8, choices=Rationale, default=Rationale.NO)
    first_language = models.CharField(
        max_length=11,
        choices=Language,
        default=Language.BOTH,
        help_text="What the screen shows first of a document with a translation.",
    )
    propagate = models.BooleanField(
        default=False, help_text="Documents with the same text are judged once."
    )
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

    def get_queryset(self) -> "models.QuerySet[Assignment]":
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
    ever: "models.Manager[Assignment]" = models.Manager()

    class Meta:
        ordering = ["topic__position", "topic__number", "assessor__username"]
        constraints = [models.UniqueConstraint("plan", "topic", "assessor", name="assignment_once")]


class LeasedSlot(models.Model):
    """Work for one person at a time. Claimed by compare-and-swap on ``token``.

    Only ``reserved_for`` may take it; if null, anybody whom its plan admits.
    """

    class State(models.TextChoices):
        OPEN = "open", "open"
        LEASED = "leased", "leased"
        JUDGED = "judged", "judged"
        SKIPPED = "skipped", "skipped"

    k = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    reserved_for = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="reserved_%(class)ss"
    )
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    assessor = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="%(class)ss"
    )
    token = models.UUIDField(default=uuid.uuid4)
    leased_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["position", "k"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="leased", expires_at__isnull=False)
                | (~Q(state="leased") & Q(expires_at__isnull=True)),
                name="%(class)s_expires_iff_leased",
            ),
            models.CheckConstraint(
                condition=Q(state="open", assessor__isnull=True)
                | (~Q(state="open") & Q(assessor__isnull=False)),
                name="%(class)s_assessor_iff_taken",
            ),
        ]


class Slot(LeasedSlot):
    """The ``k``-th judgment needed for a pair: of ``item`` in the pool, or of ``gold``.

    Without ``reserved_for``, any assessor assigned to the topic may fill it. ``value`` is
    the sort key of an adjudication. ``position`` of a repeat is the number of documents of the
    topic that its assessor has judged when it is due. ``guideline_version`` was current when the
    document was last checked out. ``unit`` is the work unit of the crowd that has, or last had,
    the slot, as document number ``unit_position`` of it (from 1).
    """

    # Without indexes of their own: others begin with each of these, and every index takes its
    # share of the time of every judgment.
    plan = models.ForeignKey(Plan, models.CASCADE, related_name="slots", db_index=False)
    item = models.ForeignKey(
        PoolItem, models.PROTECT, null=True, blank=True, related_name="slots", db_index=False
    )
    gold = models.ForeignKey(
        "crowd.GoldPair",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="slots",
        db_index=False,
    )
    # That of the item or gold pair, whose keys are checked.
    topic = models.ForeignKey(
        Topic, models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    assessor = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="slots", db_index=False
    )
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.JUDGE)
    value = models.FloatField(null=True, blank=True)
    guideline_version = models.PositiveIntegerField(null=True, blank=True)
    unit = models.ForeignKey(
        "crowd.WorkUnit",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="slots",
        db_index=False,
    )
    unit_position = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta(LeasedSlot.Meta):
        indexes = [
            WaitingIndex(fields=["topic", "purpose", "state", "position"], name="slot_next"),
            WaitingIndex(fields=["plan", "purpose", "state", "position"], name="slot_next_of_plan"),
            models.Index(fields=["assessor", "state"], name="slot_of_assessor"),
            models.Index(fields=["unit"], condition=Q(unit__isnull=False), name="slot_of_unit"),
            # What every campaign page counts of all slots is read from this index alone.
            models.Index(
                fields=["plan", "purpose", "topic", "state", "assessor", "item"], name="slot_tally"
            ),
        ]
        constraints = [
            *LeasedSlot.Meta.constraints,
            models.UniqueConstraint("item", "purpose", "k", name="slot_once"),
            models.UniqueConstraint("item", "purpose", "assessor", name="slot_of_assessor_once"),
            models.UniqueConstraint(
                fields=["gold", "assessor"],
                condition=Q(gold__isnull=False),
                name="gold_slot_of_assessor_once",
            ),
            models.CheckConstraint(
                condition=Q(purpose="gold", gold__isnull=False, item__isnull=True)
                | (~Q(purpose="gold") & Q(gold__isnull=True, item__isnull=False)),
                name="slot_of_gold_or_item",
            ),
        ]

    @property
    def docno(self) -> str:
        if self.gold is not None:
            return self.gold.docno
        assert self.item is not None  # noqa: S101 (slot_of_gold_or_item)
        return self.item.docno


class PropagatedPair(models.Model):
    """A pair of the plan's pool without slots: ``original``, a document of the topic with the same
    text, is judged for it, in this plan or an earlier one, and each judgment of that is propagated.
    """

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="propagated_pairs")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+", db_index=False)
    docno = models.CharField(max_length=500)
    original = models.CharField(max_length=500)

    class Meta:
        ordering = ["topic", "docno"]
        constraints = [models.UniqueConstraint("topic", "docno", name="propagated_pair_once")]
        indexes = [models.Index(fields=["topic", "original"], name="propagated_pair_of_original")]

    def __str__(self) -> str:
        return f"{self.docno} as {self.original}"


class StoppingRule(AppendOnlyModel):
    """When a topic is complete (``poolbench.judging.stopping``). The latest applies."""

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
