"""Users and their API tokens, their roles and teams, and invitations."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class User(AbstractUser):
    """A user. Their ``Member`` rows say what they can do in a campaign."""

    can_create_campaigns = models.BooleanField(default=False)
    reminders = models.BooleanField(
        _("reminders by mail"),
        default=True,
        help_text=_("Of deadlines, and of documents that wait. Other mails always come."),
    )
    mail_language = models.CharField(
        _("language of mails"), max_length=10, choices=settings.LANGUAGES, default="en"
    )

    token_campaign_id: int | None = None
    """The one campaign that the token of the request is for: no others can be seen."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save. A new password, however it was set, revokes the user's API tokens."""
        # Django sets this for a new password, but not when it upgrades the hash of the old one.
        has_new_password = self.pk is not None and vars(self).get("_password") is not None
        super().save(*args, **kwargs)
        if has_new_password:
            ApiToken.objects.filter(user=self.pk).delete()

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.username


class Scope(models.TextChoices):
    """What a token may be used for, of what its user may do."""

    READ = "read", pgettext_lazy("scope", "Read")
    SUBMIT = "submit", pgettext_lazy("scope", "Submit runs")
    JUDGE = "judge", pgettext_lazy("scope", "Judge")
    ORGANIZE = "organize", pgettext_lazy("scope", "Organize")


def list_all_scopes() -> list[str]:
    return list(Scope.values)


class ApiToken(models.Model):
    """A user's API token. ``digest`` is the sha256 of the key, which is shown once.

    The key is random, so neither a salt nor a slow hash would add anything. ``campaign``: the
    only one that it is for, None for all.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, default="API token")
    scopes = models.JSONField(default=list_all_scopes)
    campaign = models.ForeignKey(
        "campaigns.Campaign", models.CASCADE, null=True, blank=True, related_name="+"
    )
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    @property
    def is_expired(self) -> bool:
        return timezone.now() >= self.expires_at

    def list_scope_labels(self) -> list[str]:
        return [str(scope.label) for scope in Scope if scope in self.scopes]


class Team(models.Model):
    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="teams")
    name = models.CharField(max_length=60)
    affiliation = models.CharField(max_length=200, blank=True)
    contact = models.CharField(
        _("contact person"),
        max_length=200,
        blank=True,
        help_text=_("Name, and how to reach them. Visible to the team and to organizers."),
    )
    runs_deadline = models.DateTimeField(
        null=True, blank=True, help_text="UTC. Later than the campaign's, for this team alone."
    )

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint("campaign", "name", name="team_name_once")]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    ORGANIZER = "organizer", pgettext_lazy("role", "Organizer")
    ASSESSOR = "assessor", pgettext_lazy("role", "Assessor")
    ADJUDICATOR = "adjudicator", pgettext_lazy("role", "Adjudicator")
    PARTICIPANT = "participant", pgettext_lazy("role", "Participant")
    VIEWER = "viewer", pgettext_lazy("role", "Viewer")


TEAM_IFF_PARTICIPANT = Q(role=Role.PARTICIPANT, team__isnull=False) | (
    ~Q(role=Role.PARTICIPANT) & Q(team__isnull=True)
)


class Member(models.Model):
    """A user's role in a campaign; a user with two roles has two rows."""

    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="members")
    joined_at = models.DateTimeField(auto_now_add=True)

    conflicts: list[Role] = []
    """Set by ``queries.mark_conflicts``: the conflicting roles that this is one of."""

    class Meta:
        ordering = ["role", "user__username"]
        constraints = [
            models.UniqueConstraint("campaign", "user", "role", name="member_role_once"),
            models.CheckConstraint(condition=TEAM_IFF_PARTICIPANT, name="team_iff_participant"),
        ]


class Invitation(models.Model):
    """A link with which users can join in one role until it expires or is revoked."""

    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=12, choices=Role)
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True)
    sent_to = models.EmailField(max_length=254, blank=True)
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


class TeamRequest(models.Model):
    """A registration of a team by ``user``, before and after an organizer has decided on it.

    A team exists only once it is approved, so no other query has to leave out those that wait.
    """

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("registration", "waiting")
        APPROVED = "approved", pgettext_lazy("registration", "approved")
        REFUSED = "refused", pgettext_lazy("registration", "refused")

    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="team_requests")
    user = models.ForeignKey(User, models.CASCADE, related_name="team_requests")
    name = models.CharField(max_length=60)
    affiliation = models.CharField(max_length=200)
    contact = models.CharField(max_length=200)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    created_at = models.DateTimeField(default=timezone.now)
    team = models.ForeignKey(Team, models.SET_NULL, null=True, blank=True, related_name="requests")
    decided_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                "campaign", "user", condition=Q(state="waiting"), name="team_request_waiting_once"
            )
        ]
