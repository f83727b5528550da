"""The shared task: who takes part, what is searched, which runs came, what happened when."""

from __future__ import annotations

import secrets
from typing import Any, NoReturn

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from campaigns.core.faults import FaultReport


class AppendOnly(models.Model):
    """A row that is written once: changing or deleting it is a programming error."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError(f"{type(self).__name__} rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} rows are never deleted")


class User(AbstractUser):
    """A person. What they may do in a campaign is said by their ``Member`` rows."""

    can_create_campaigns = models.BooleanField(default=False)

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.username


def random_seed() -> int:
    return secrets.randbelow(2**31)


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User | AnonymousUser) -> CampaignQuerySet:
        """The gate: campaigns in which ``user`` has a role; a superuser sees all."""
        if user.is_superuser:
            return self
        return self.filter(pk__in=Member.objects.filter(user_id=user.pk or 0).values("campaign"))

    def organized_by(self, user: User | AnonymousUser) -> CampaignQuerySet:
        """The campaigns that ``user`` may see as a whole; a superuser organizes all."""
        if user.is_superuser:
            return self
        roles = Member.objects.filter(user_id=user.pk or 0, role=Role.ORGANIZER)
        return self.filter(pk__in=roles.values("campaign"))


class Campaign(models.Model):
    """One shared task: topics, a document set, a grade scale, limits and deadlines."""

    class Board(models.TextChoices):
        OWN = "own", "Own scores beside best, median and worst"
        PSEUDONYMS = "pseudonyms", "The whole leaderboard, other teams under pseudonyms"
        NAMES = "names", "The whole leaderboard with names"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="Markdown. Members read it.")
    guidelines = models.TextField(
        blank=True, help_text="Markdown. Assessors see it beside every document."
    )
    relevance_level = models.SmallIntegerField(
        default=1, help_text="The lowest grade that counts as relevant in binary measures."
    )
    max_runs_per_team = models.PositiveIntegerField(
        null=True, blank=True, default=5, help_text="Accepted runs; empty: no limit."
    )
    max_docs_per_topic = models.PositiveIntegerField(
        default=1000, validators=[MinValueValidator(1)], help_text="Per run."
    )
    require_all_topics = models.BooleanField(
        default=False, help_text="Refuse a run that leaves out a topic."
    )
    runs_deadline = models.DateTimeField(null=True, blank=True, help_text="UTC.")
    judging_deadline = models.DateTimeField(null=True, blank=True, help_text="UTC.")
    board = models.CharField(
        "after release participants see", max_length=12, choices=Board, default=Board.OWN
    )
    measures = models.JSONField(default=list, blank=True)
    seed = models.PositiveIntegerField(default=random_seed, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "slug"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.slug])

    def takes_runs(self) -> bool:
        return self.runs_deadline is None or timezone.now() < self.runs_deadline

    def takes_judgments(self) -> bool:
        return self.judging_deadline is None or timezone.now() < self.judging_deadline


class Grade(models.Model):
    """One step of the grade scale, with the key that gives it and its gain in NDCG."""

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


class Team(models.Model):
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="teams")
    name = models.CharField(max_length=60)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint("campaign", "name", name="team_name_once")]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    ORGANIZER = "organizer", "Organizer"
    ASSESSOR = "assessor", "Assessor"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    PARTICIPANT = "participant", "Participant"
    VIEWER = "viewer", "Viewer"


TEAM_IFF_PARTICIPANT = Q(role=Role.PARTICIPANT, team__isnull=False) | (
    ~Q(role=Role.PARTICIPANT) & Q(team__isnull=True)
)


class Member(models.Model):
    """A person's role in a campaign; someone with two roles has two rows."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="members")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["role", "user__username"]
        constraints = [
            models.UniqueConstraint("campaign", "user", "role", name="member_role_once"),
            models.CheckConstraint(condition=TEAM_IFF_PARTICIPANT, name="team_iff_participant"),
        ]


class Invitation(models.Model):
    """A link that lets whoever holds it join in one role until it expires or is revoked."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True)
    uses_left = models.PositiveIntegerField(default=1)
    expires_at = models.DateTimeField()
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=TEAM_IFF_PARTICIPANT, name="invitation_team_iff_participant"
            )
        ]

    @property
    def is_open(self) -> bool:
        return self.uses_left > 0 and timezone.now() < self.expires_at


class Topic(models.Model):
    """An information need. ``number`` is a string: ``001`` is not ``1``."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topics")
    number = models.CharField(max_length=100)
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    withheld = models.BooleanField(default=False, help_text="For training: no runs, no scores.")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "number"]
        constraints = [models.UniqueConstraint("campaign", "number", name="topic_number_once")]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class Document(models.Model):
    """A text that can be retrieved. ``sha256`` is of title and body as assessors see them."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=500)
    title = models.TextField(blank=True)
    body = models.TextField(blank=True)
    url = models.TextField(blank=True)
    date = models.CharField(max_length=60, blank=True)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["docno"]
        constraints = [models.UniqueConstraint("campaign", "docno", name="docno_once")]

    def __str__(self) -> str:
        return self.docno


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: User | AnonymousUser) -> RunQuerySet:
        """The gate: all runs for the campaign's organizers, a team's own for its members."""
        organized = Campaign.objects.organized_by(user)
        roles = Member.objects.filter(user_id=user.pk or 0, role=Role.PARTICIPANT)
        return self.filter(Q(campaign__in=organized.order_by()) | Q(team__in=roles.values("team")))

    def accepted(self) -> RunQuerySet:
        return self.filter(state=Run.State.ACCEPTED)


class Run(models.Model):
    """A submitted run: the file as it came, what the check said, and its columnar matrix.

    ``file`` and ``matrix`` are names in the content store; a run's lines are never rows.
    """

    class State(models.TextChoices):
        RECEIVED = "received", "being checked"
        ACCEPTED = "accepted", "accepted"
        REFUSED = "refused", "refused"
        REPLACED = "replaced", "replaced"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic", "automatic"
        MANUAL = "manual", "manual"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    team = models.ForeignKey(Team, models.PROTECT, related_name="runs")
    tag = models.CharField(max_length=60)
    description = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.AUTOMATIC)
    priority = models.PositiveSmallIntegerField(default=1, help_text="1 is pooled first.")
    state = models.CharField(max_length=10, choices=State, default=State.RECEIVED)
    file = models.CharField(max_length=200)
    file_name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    normalised_hash = models.CharField(max_length=64, blank=True)
    lines = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    matrix = models.CharField(max_length=200, blank=True)
    replaces = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="+")
    submitted_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(auto_now_add=True)
    checked_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["team__name", "priority", "tag", "pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", "tag", name="tag_of_one_accepted_run", condition=Q(state="accepted")
            )
        ]

    def __str__(self) -> str:
        return self.tag

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.campaign.slug, self.pk])

    @property
    def fault_report(self) -> FaultReport:
        return FaultReport.from_dict(self.report)


class PairChunk(AppendOnly):
    """A stretch of the campaign's dictionary of (topic, docno) pairs.

    Codes ``start … start + count - 1`` stand in the file ``path`` of the content store.
    The constraint makes appending a compare-and-swap: the second writer fails and retries.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pair_chunks")
    start = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    path = models.CharField(max_length=200)

    class Meta:
        ordering = ["start"]
        constraints = [models.UniqueConstraint("campaign", "start", name="pair_chunk_start_once")]


class Event(AppendOnly):
    """Something that changed a campaign: who did what to which thing, and when."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="events")
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["campaign", "-at"])]


class Job(models.Model):
    """Background work. This row is the truth of it; ``kind`` is the name of a Celery task."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=60)
    args = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    of = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    heartbeat = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(of=0) | Q(done__lte=F("of")), name="job_done_le_of")
        ]

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.FAILED)
