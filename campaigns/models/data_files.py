"""Data files: what a campaign gives to its teams, and to everybody."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.append_only import AppendOnlyModel
from campaigns.models.campaign import Campaign
from campaigns.models.people import Member, Role, User

UPLOAD, TEXT, QRELS = "upload", "text", "qrels"
"""Values of ``DataFile.source``; that of a file made by the system is its own name."""


class DataFileQuerySet(models.QuerySet["DataFile"]):
    def visible_to(self, user: User | AnonymousUser) -> "DataFileQuerySet":
        """Access check: the files that ``user``, who need not be signed in, can download."""
        reached = Campaign.objects.within_token(user).order_by()
        files = self.filter(removed_at__isnull=True, versions__isnull=False).distinct()
        files = files.filter(campaign__in=reached)
        if user.is_superuser:
            return files
        members = Member.objects.filter(user_id=user.pk or 0)
        teams = members.filter(role=Role.PARTICIPANT).values("campaign")
        organized = members.filter(role=Role.ORGANIZER).values("campaign")
        offered = Q(audience=DataFile.Audience.EVERYBODY)
        offered |= Q(audience=DataFile.Audience.TEAMS, campaign__in=teams)
        not_deleted = Q(campaign__removal_at=None)
        return files.filter((offered & not_deleted) | Q(campaign__in=organized))


class DataFile(models.Model):
    """A file under a name that stays; its content is that of its newest version.

    ``source``: uploaded, written as a text, a qrels version, or the name of a file that the system
    makes, with ``made_from``: a hash of what the newest version was made from. ``audience`` is
    only ever widened.
    """

    class Audience(models.TextChoices):
        ORGANIZERS = "organizers", _("organizers")
        TEAMS = "teams", _("teams")
        EVERYBODY = "everybody", _("everybody")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="data_files")
    name = models.CharField(max_length=100)
    title = models.CharField(max_length=120)
    licence = models.TextField(blank=True, max_length=2_000)
    audience = models.CharField(max_length=10, choices=Audience, default=Audience.ORGANIZERS)
    source = models.CharField(max_length=100)
    made_from = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = DataFileQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint("campaign", "name", name="data_file_name_once")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("data-file", args=[self.campaign.slug, self.name])

    @property
    def is_by_hand(self) -> bool:
        """Whether organizers uploaded or wrote it."""
        return self.source in (UPLOAD, TEXT)

    def list_wider_audiences(self) -> "list[DataFile.Audience]":
        """To whom it can be given besides those who have it, the smaller audience first."""
        order = list(DataFile.Audience)
        return order[order.index(DataFile.Audience(self.audience)) + 1 :]


class DataFileVersion(AppendOnlyModel):
    """The content of a data file from ``at`` on. ``path`` is a name in the content store;
    ``holds`` says what is in it; ``by`` is None for what the system made.
    """

    file = models.ForeignKey(DataFile, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    path = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    holds = models.CharField(max_length=200, blank=True)
    note = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint("file", "number", name="data_file_version_once")]

    def __str__(self) -> str:
        return f"{self.file.name}, version {self.number}"


class PublicPage(models.Model):
    """The page of a campaign for everybody. It can be opened from ``published_at`` on.

    ``dates`` has a line for each date: a day or a moment in UTC, and what it is. A day lasts
    until it ends anywhere on Earth.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, related_name="public_page")
    summary = models.CharField(max_length=300, blank=True)
    call = models.TextField(blank=True, max_length=50_000)
    dates = models.TextField(blank=True, max_length=5_000)
    organizers = models.TextField(blank=True, max_length=5_000)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
