"""Runs, and the dictionary of pairs by which their matrices are coded."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from campaigns.models.append_only import AppendOnlyModel
from campaigns.models.campaign import Campaign
from campaigns.models.people import Member, Role, Team, User
from campaigns.models.tasks import CampaignTask
from poolbench.files.faults import FaultReport


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, user: User | AnonymousUser) -> "RunQuerySet":
        """Access check: all runs for the campaign's organizers, a team's own for its members."""
        organized = Campaign.objects.organized_by(user)
        visible = Campaign.objects.visible_to(user).order_by()
        roles = Member.objects.filter(user_id=user.pk or 0, role=Role.PARTICIPANT)
        own = Q(team__in=roles.values("team"), campaign__in=visible)
        return self.filter(Q(campaign__in=organized.order_by()) | own)

    def accepted(self) -> "RunQuerySet":
        return self.filter(state=Run.State.ACCEPTED)

    def released(self) -> "RunQuerySet":
        """The runs whose scores participants have seen, in any score set.

        Scores belong to an upper app; only the reverse relation is known here.
        """
        scored = Run.objects.filter(scores__score_set__released_at__isnull=False)
        return self.filter(pk__in=scored.order_by().values("pk"))

    def scored(self) -> "RunQuerySet":
        """The runs that an evaluation scores: the accepted ones, and those that were withdrawn
        although their scores are released, unless another run has their tag.
        """
        same_tag = Run.objects.filter(
            campaign=OuterRef("campaign"), tag=OuterRef("tag"), state=Run.State.ACCEPTED
        )
        seen = self.released().filter(~Exists(same_tag), state=Run.State.WITHDRAWN)
        return self.filter(Q(state=Run.State.ACCEPTED) | Q(pk__in=seen.order_by().values("pk")))


@dataclass(frozen=True)
class CheckPlace:
    """Where a run is that is not checked yet: ``place`` of ``waiting`` jobs, or, with place 0, at a
    worker (``running``) or stopped by an error (``failed``).
    """

    state: str
    place: int = 0
    waiting: int = 0

    def __str__(self) -> str:
        if self.state == "failed":
            return gettext("check failed")
        if self.place:
            values = {"place": self.place, "waiting": self.waiting}
            return gettext("waiting, %(place)s of %(waiting)s") % values
        return gettext("checking")


class Run(models.Model):
    """A submitted run: the original file, the result of its check, and its columnar matrix.

    ``file`` and ``matrix`` are names in the content store; lines of runs are not database rows.
    ``file`` is empty once the file of a rejected run was removed. ``upload_key`` has digests of
    the sender's key and of file and form: what is sent again is found by it.
    """

    class State(models.TextChoices):
        RECEIVED = "received", _("checking")
        ACCEPTED = "accepted", _("accepted")
        REJECTED = "rejected", _("rejected")
        REPLACED = "replaced", _("replaced")
        WITHDRAWN = "withdrawn", _("withdrawn")

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic", _("automatic")
        FEEDBACK = "feedback", _("feedback")
        MANUAL = "manual", _("manual")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    team = models.ForeignKey(Team, models.PROTECT, related_name="runs")
    task = models.ForeignKey(
        CampaignTask, models.RESTRICT, null=True, blank=True, related_name="runs"
    )
    tag = models.CharField(max_length=60)
    description = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.AUTOMATIC)
    priority = models.PositiveSmallIntegerField(
        default=1, help_text="Judging precedence; 1 is first."
    )
    answers = models.JSONField(
        default=dict, blank=True, help_text="To the run form of the campaign, by field."
    )
    ir_metadata = models.JSONField(
        default=dict, blank=True, help_text="The ir_metadata block of the file."
    )
    state = models.CharField(max_length=10, choices=State, default=State.RECEIVED)
    file = models.CharField(max_length=200, blank=True)
    file_removed_at = models.DateTimeField(null=True, blank=True)
    file_name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    upload_key = models.CharField(max_length=64, blank=True, default="")
    normalised_hash = models.CharField(max_length=64, blank=True)
    lines = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    matrix = models.CharField(max_length=200, blank=True)
    replaces = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="+")
    submitted_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(auto_now_add=True)
    after_release = models.BooleanField(
        default=False, editable=False, help_text="Submitted after the first release of scores."
    )
    checked_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()
    check_place: CheckPlace | None = None
    """Set by ``campaigns.queries.run_checks`` on the runs that a page or answer shows."""

    class Meta:
        ordering = ["team__name", "priority", "tag", "pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", "tag", name="tag_of_one_accepted_run", condition=Q(state="accepted")
            ),
            models.UniqueConstraint(
                "team", "upload_key", name="upload_key_of_one_run", condition=~Q(upload_key="")
            ),
        ]

    def __str__(self) -> str:
        return self.tag

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.campaign.slug, self.pk])

    @property
    def label(self) -> str:
        """For messages and the log."""
        return f"{self.tag or self.file_name} ({self.team.name})"

    @property
    def has_metadata(self) -> bool:
        """Whether a file with an ``ir_metadata`` block can be made of it."""
        checked = self.state not in (self.State.RECEIVED, self.State.REJECTED)
        return checked and bool(self.answers or self.ir_metadata)

    @property
    def is_released(self) -> bool:
        """Whether participants have seen scores of this run. One query."""
        return Run.objects.filter(pk=self.pk).released().exists()

    @property
    def fault_report(self) -> FaultReport:
        return FaultReport.from_dict(self.report)


class PairChunk(AppendOnlyModel):
    """A stretch of the campaign's dictionary of (topic, docno) pairs.

    Codes ``start … start + count - 1`` are in the file ``path`` of the content store. The
    constraint makes appending a compare-and-swap: the second writer fails and retries.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pair_chunks")
    start = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    path = models.CharField(max_length=200)

    class Meta:
        ordering = ["start"]
        constraints = [models.UniqueConstraint("campaign", "start", name="pair_chunk_start_once")]
