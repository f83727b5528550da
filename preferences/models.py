"""Preferences: comparisons, the slots of their judges, the preference log, click logs."""

import uuid

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.models import AppendOnlyModel, Campaign, Run, Topic, User
from judging.models import LeasedSlot
from pooling.models import Pool


class ClickLog(AppendOnlyModel):
    """An imported file of sessions; ``sha256`` is of the file. The file itself is not kept.

    ``own_lists``: by run tag, how many of the sessions showed a list of that run, among the runs
    accepted at the time of the import and those that the file names.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="click_logs")
    name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    sessions = models.PositiveIntegerField()
    preferences = models.PositiveIntegerField()
    own_lists = models.JSONField(default=dict)
    imported_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint("campaign", "sha256", name="click_log_once")]


class ClickPreference(AppendOnlyModel):
    """``better`` was clicked in ``times`` sessions, and ``worse`` above it was not."""

    log = models.ForeignKey(ClickLog, models.CASCADE, related_name="pairs")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    better = models.CharField(max_length=500)
    worse = models.CharField(max_length=500)
    times = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("log", "topic", "better", "worse", name="click_pair_once")
        ]


class ComparisonPlan(models.Model):
    """Comparisons to be judged, ``judges`` times each.

    ``documents`` compares documents of ``pool`` by topic; ``rankings`` the first ``depth``
    documents of ``run_a`` and ``run_b`` side by side; ``interleaved`` shows both runs as one list,
    built by ``method``, and the judge picks documents. ``seed`` shuffles sides and first turns.
    ``narrowed`` has, where given, the numbers of the only ``topics`` compared, and of documents the
    worst ``top`` rank in the pool and the lowest ``grade`` in a version of ``qrels``.
    """

    class Kind(models.TextChoices):
        DOCUMENTS = "documents", "two documents"
        RANKINGS = "rankings", "two rankings"
        INTERLEAVED = "interleaved", "interleaved list"

    class Method(models.TextChoices):
        BALANCED = "balanced", "balanced"
        TEAM_DRAFT = "team-draft", "team draft"

    class State(models.TextChoices):
        OPEN = "open", "open"
        PAUSED = "paused", "paused"
        CLOSED = "closed", "closed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="comparison_plans")
    kind = models.CharField(max_length=11, choices=Kind)
    title = models.CharField(max_length=120)
    question = models.CharField(max_length=300, blank=True)
    pool = models.ForeignKey(Pool, models.PROTECT, null=True, blank=True, related_name="+")
    run_a = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="+")
    run_b = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="+")
    depth = models.PositiveSmallIntegerField(default=10)
    method = models.CharField(max_length=10, choices=Method, blank=True)
    judges = models.PositiveSmallIntegerField(default=1)
    ties = models.BooleanField(default=True)
    seed = models.PositiveIntegerField()
    narrowed = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("comparison-plan", args=[self.campaign.slug, self.pk])


class Comparison(models.Model):
    """What a judge compares. Two documents: ``docno_a`` and ``docno_b``. Two rankings and
    interleaved lists: ``content`` holds what was built, so that it is shown the same for ever:
    ``{"a": [...], "b": [...]}``, and for an interleaved list also
    ``{"documents": [...], "by": ["A", "B", ...], "first": "A"}``.
    """

    plan = models.ForeignKey(ComparisonPlan, models.CASCADE, related_name="comparisons")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    docno_a = models.CharField(max_length=500, blank=True)
    docno_b = models.CharField(max_length=500, blank=True)
    content = models.JSONField(default=dict, blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint("plan", "topic", "docno_a", "docno_b", name="comparison_once")
        ]


class ComparisonSlot(LeasedSlot):
    """The ``k``-th preference needed for a comparison. ``swapped``: A stands on the right."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="slots")
    swapped = models.BooleanField(default=False)

    class Meta(LeasedSlot.Meta):
        constraints = [
            *LeasedSlot.Meta.constraints,
            models.UniqueConstraint("comparison", "k", name="comparison_slot_once"),
            models.UniqueConstraint(
                "comparison", "assessor", name="comparison_slot_of_assessor_once"
            ),
        ]


class Preference(AppendOnlyModel):
    """A revision of a judge's answer to a comparison; the latest one counts.

    ``choice`` is A, B or a tie, never left or right; ``swapped`` says where A stood. Of an
    interleaved list ``picks`` are the docnos picked, ``choice`` the run with more of them.
    ``reason`` is that of a skip. ``client_uuid`` makes submission idempotent. A preference never
    becomes a grade.
    """

    class Kind(models.TextChoices):
        CHOICE = "choice", "judged"
        SKIP = "skip", "skipped"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Choice(models.TextChoices):
        A = "a", "A"
        B = "b", "B"
        TIE = "tie", "tie"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="preferences")
    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="preferences")
    slot = models.ForeignKey(
        ComparisonSlot, models.PROTECT, null=True, blank=True, related_name="preferences"
    )
    assessor = models.ForeignKey(User, models.PROTECT, related_name="preferences")
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind)
    choice = models.CharField(max_length=3, choices=Choice, blank=True)
    picks = models.JSONField(default=list, blank=True)
    reason = models.CharField(max_length=40, blank=True)
    comment = models.TextField(blank=True)
    swapped = models.BooleanField(default=False)
    client_uuid = models.UUIDField(unique=True, default=uuid.uuid4)
    lease = models.UUIDField(null=True, blank=True)
    served_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.FloatField(null=True, blank=True)
    judged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "comparison", "assessor", "revision", name="preference_revision_once"
            ),
            models.CheckConstraint(
                condition=(Q(kind="choice") & ~Q(choice="")) | (~Q(kind="choice") & Q(choice="")),
                name="preference_choice_iff_judged",
            ),
        ]

    def get_side(self, *, swapped: bool) -> str:
        """The side on which what was chosen stands if ``swapped``; empty for a skip and for an
        interleaved list.
        """
        if self.comparison.plan.kind == ComparisonPlan.Kind.INTERLEAVED or not self.choice:
            return ""
        if self.choice == self.Choice.TIE:
            return "tie"
        return next(side for side, chosen in SIDES[swapped].items() if chosen == self.choice)

    @property
    def answer(self) -> str:
        """The answer as its assessor gave it, by side; never by run."""
        if self.kind == self.Kind.SKIP:
            return _("skipped")
        if self.comparison.plan.kind == ComparisonPlan.Kind.INTERLEAVED:
            return _("%(n)s picked") % {"n": len(self.picks) or _("none")}
        return str(SIDE_LABELS[self.get_side(swapped=self.swapped)])


SIDES = {
    False: {"left": Preference.Choice.A, "right": Preference.Choice.B},
    True: {"left": Preference.Choice.B, "right": Preference.Choice.A},
}
"""By whether the sides are swapped: which document is on which side."""
SIDE_LABELS = {
    "left": gettext_lazy("left is better"),
    "right": gettext_lazy("right is better"),
    "tie": gettext_lazy("equally good"),
}
