"""The campaign itself: its texts, limits, deadlines, and grade scale."""

import secrets
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.validators import (
    MaxLengthValidator,
    MaxValueValidator,
    MinValueValidator,
    URLValidator,
)
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from campaigns.models.append_only import AppendOnlyModel
from campaigns.models.people import Member, Role, Team, User
from poolbench.evaluation.significance_tests import CORRECTIONS, TESTS
from poolbench.runs.run_form import RunField, read_run_fields

MARKDOWN_LENGTH = MaxLengthValidator(50_000)
"""About twenty pages. Rendering takes a second for the worst text of this length."""


def random_seed() -> int:
    return secrets.randbelow(2**31)


def validate_run_fields(entries: object) -> None:
    try:
        read_run_fields(entries)
    except ValueError as faults:
        raise ValidationError(str(faults)) from faults


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User | AnonymousUser) -> "CampaignQuerySet":
        """Access check: campaigns in which ``user`` has a role, those that are to be removed for
        organizers only; a superuser sees all.
        """
        reached = self.within_token(user)
        if user.is_superuser:
            return reached
        roles = Member.objects.filter(user_id=user.pk or 0)
        organized = roles.filter(role=Role.ORGANIZER)
        not_deleted = Q(removal_at=None, pk__in=roles.values("campaign"))
        return reached.filter(not_deleted | Q(pk__in=organized.values("campaign")))

    def open_for_registration(self) -> "CampaignQuerySet":
        """Campaigns in which strangers can register teams."""
        going_on = self.filter(removal_at=None, closed_at=None)
        return going_on.exclude(registration=Campaign.Registration.CLOSED)

    def organized_by(self, user: User | AnonymousUser) -> "CampaignQuerySet":
        """The campaigns that ``user`` organizes; a superuser organizes all."""
        reached = self.within_token(user)
        if user.is_superuser:
            return reached
        roles = Member.objects.filter(user_id=user.pk or 0, role=Role.ORGANIZER)
        return reached.filter(pk__in=roles.values("campaign"))

    def within_token(self, user: User | AnonymousUser) -> "CampaignQuerySet":
        """Only the campaign of the token with which ``user`` came, if it is for one."""
        only = getattr(user, "token_campaign_id", None)
        return self if only is None else self.filter(pk=only)


class Campaign(models.Model):
    """One shared task: topics, a document set, a grade scale, limits and deadlines."""

    class Board(models.TextChoices):
        OWN = "own", _("Own scores with best, median and worst")
        PSEUDONYMS = "pseudonyms", _("Full leaderboard, other teams under pseudonyms")
        NAMES = "names", _("Full leaderboard with team names")

    class Registration(models.TextChoices):
        CLOSED = "closed", _("By invitation only")
        APPROVAL = "approval", _("Teams register; an organizer approves each")
        OPEN = "open", _("Teams register and take part at once")

    class TextLayout(models.TextChoices):
        AUTOMATIC = "automatic", _("As each document needs")
        WRITTEN = "written", _("As written, in fixed width")
        WRAPPED = "wrapped", _("Wrapped, as prose")

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(
        blank=True, validators=[MARKDOWN_LENGTH], help_text="Markdown. Visible to members."
    )
    guidelines = models.TextField(
        blank=True,
        validators=[MARKDOWN_LENGTH],
        help_text="Markdown. Shown to assessors next to every document.",
    )
    website = models.CharField(
        max_length=200, blank=True, validators=[URLValidator(["http", "https"])],
        help_text="For the citation in papers.",
    )  # fmt: skip
    citation = models.TextField(
        blank=True, validators=[MARKDOWN_LENGTH],
        help_text="How papers should cite the campaign: BibTeX or text. Default: title and page.",
    )  # fmt: skip
    registration = models.CharField(
        "registration of teams",
        max_length=8,
        choices=Registration,
        default=Registration.CLOSED,
        help_text="Unless by invitation only, title and terms are shown to everybody who signs in.",
    )
    terms = models.TextField(
        "terms of participation",
        blank=True,
        validators=[MARKDOWN_LENGTH],
        help_text="Markdown. Teams accept them when they register or join.",
    )
    terms_version = models.PositiveIntegerField(
        default=0, editable=False, help_text="Version of the terms; 0 if there have been none."
    )
    guideline_version = models.PositiveIntegerField(
        default=0, editable=False, help_text="Guideline version; 0 if none exist."
    )
    last_erratum = models.PositiveIntegerField(
        default=0, editable=False, help_text="Number of the last correction of a text."
    )
    relevance_level = models.SmallIntegerField(
        default=1, help_text="Lowest grade counted as relevant in binary measures."
    )
    text_layout = models.CharField(
        _("layout of plain text"),
        max_length=9,
        choices=TextLayout,
        default=TextLayout.AUTOMATIC,
        help_text=_("On the judging screen; each assessor can change it."),
    )
    max_runs_per_team = models.PositiveIntegerField(
        null=True,
        blank=True,
        default=5,
        help_text="Maximum number of accepted runs. Leave empty for no limit.",
    )
    max_docs_per_topic = models.PositiveIntegerField(
        default=1000, validators=[MinValueValidator(1)], help_text="Per run."
    )
    require_all_topics = models.BooleanField(
        default=False, help_text="Reject runs that omit a topic."
    )
    run_fields = models.JSONField(
        default=list,
        blank=True,
        validators=[validate_run_fields],
        help_text="Questions about each run: name, label, kind, choices, required, help.",
    )
    runs_deadline = models.DateTimeField(null=True, blank=True, help_text="UTC.")
    judging_deadline = models.DateTimeField(null=True, blank=True, help_text="UTC.")
    board = models.CharField(
        "visible to participants after release", max_length=12, choices=Board, default=Board.OWN
    )
    measures = models.JSONField(default=list, blank=True)
    test = models.CharField(
        "significance test",
        max_length=20,
        choices=TESTS,
        default="t",
        help_text="Set in advance; cannot be changed once scores have been computed.",
    )
    correction = models.CharField(
        "multiple-comparison correction",
        max_length=10,
        choices=CORRECTIONS,
        default="holm",
        help_text="Applied to the p values of all run pairs. Not needed for Tukey's tests.",
    )
    alpha = models.FloatField(
        "significance level",
        default=0.05,
        validators=[MinValueValidator(0.0001), MaxValueValidator(0.5)],
        help_text="Differences with p at or below this level are significant.",
    )
    estimate_looks = models.PositiveSmallIntegerField(
        "looks planned at estimates",
        default=8,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text="How often estimates from a sample are looked at while people judge.",
    )
    estimate_machines = models.JSONField(
        "automatic assessors used for estimates",
        null=True,
        blank=True,
        help_text="Names. Null: all that cover 95 % of the pairs.",
    )
    seed = models.PositiveIntegerField(default=random_seed, editable=False)
    reminded_at = models.DateTimeField(
        null=True, editable=False, help_text="When it was last looked for assessors to remind."
    )
    rehearsal = models.BooleanField(
        default=False, editable=False, help_text="A copy with generated runs, to be thrown away."
    )
    closed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since when nothing can be changed."
    )
    removal_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a deleted campaign is removed."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    objects = CampaignQuerySet.as_manager()

    # No field: by user, the roles that a request has read (see ``get_campaign_for``).
    known_roles: dict[int, frozenset[str]] | None = None

    class Meta:
        ordering = ["-created_at", "slug"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.slug])

    def clean(self) -> None:
        runs, judging = self.runs_deadline, self.judging_deadline
        if runs and judging and timezone.now() < runs > judging:
            same = {"runs_deadline": runs, "judging_deadline": judging}
            if Campaign.objects.filter(pk=self.pk, **same).exists():
                return  # submission was reopened after judging
            message = "Judging would end before runs close: choose a later date."
            raise ValidationError({"judging_deadline": message})

    @property
    def run_form(self) -> tuple[RunField, ...]:
        """The questions about each run."""
        return read_run_fields(self.run_fields)

    @property
    def is_read_only(self) -> bool:
        """Closed or deleted: ``rules.require_open`` refuses every act."""
        return self.closed_at is not None or self.removal_at is not None

    def takes_runs(self) -> bool:
        return self.is_open_for(None)

    def list_teams_with_more_time(self) -> models.QuerySet[Team]:
        """Those whose own deadline is still ahead."""
        return self.teams.filter(runs_deadline__gt=timezone.now())

    def takes_runs_of_a_team(self) -> bool:
        return self.takes_runs() or self.list_teams_with_more_time().exists()

    def get_deadline_for(self, own: datetime | None) -> datetime | None:
        """Until when a team can submit that has the later deadline ``own``, or None, for itself;
        None: without end.
        """
        return self.runs_deadline and max(self.runs_deadline, own or self.runs_deadline)

    def is_open_for(self, own: datetime | None) -> bool:
        deadline = self.get_deadline_for(own)
        return deadline is None or timezone.now() < deadline

    @cached_property
    def late_tags(self) -> frozenset[str]:
        """The tags of scored runs that were submitted after a release of scores."""
        late = self.runs.scored().filter(after_release=True)
        return frozenset(late.values_list("tag", flat=True))

    def takes_judgments(self) -> bool:
        return self.judging_deadline is None or timezone.now() < self.judging_deadline


class Grade(models.Model):
    """One grade of the scale, with the key that assigns it and its gain in nDCG."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="grades")
    value = models.SmallIntegerField()
    label = models.CharField(max_length=60)
    key = models.CharField(max_length=1)
    gain = models.FloatField(default=0.0, validators=[MinValueValidator(0.0)])
    meaning = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint("campaign", "value", name="grade_value_once"),
            models.UniqueConstraint("campaign", "key", name="grade_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.value} {self.label}"


class Guideline(AppendOnlyModel):
    """A version of the guidelines, in force from ``at`` on; judgments refer to it."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="guideline_versions")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint("campaign", "version", name="guideline_version_once")
        ]


class Terms(AppendOnlyModel):
    """A version of the terms of participation, in force from ``at`` on."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="terms_versions")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint("campaign", "version", name="terms_version_once")]


class TermsAcceptance(AppendOnlyModel):
    """That ``user`` has accepted a version of the terms of participation."""

    terms = models.ForeignKey(Terms, models.CASCADE, related_name="acceptances")
    user = models.ForeignKey(User, models.PROTECT, related_name="accepted_terms")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [models.UniqueConstraint("terms", "user", name="terms_accepted_once")]


class Erratum(AppendOnlyModel):
    """A correction of texts that runs and judgments may refer to, in force from ``at`` on.

    ``name``: the topic's number, the grade's value or the docno. ``before`` and ``after`` have
    the changed texts by field. Judgments name the last ``number`` in force when their document
    was shown; what an assessor read follows from it.
    """

    class Kind(models.TextChoices):
        TOPIC = "topic", _("Topic")
        GRADE = "grade", _("Grade")
        DOCUMENT = "document", _("Document")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="errata")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=500)
    before = models.JSONField()
    after = models.JSONField()
    reason = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint("campaign", "number", name="erratum_number_once")]

    @property
    def label(self) -> str:
        return f"{self.get_kind_display()} {self.name}"
