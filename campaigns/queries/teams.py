"""Queries on teams: one's own, registrations, who has submitted, who has accepted the terms."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from campaigns.models import (
    Campaign,
    Invitation,
    Member,
    Role,
    Run,
    Team,
    TeamRequest,
    TermsAcceptance,
    User,
)

SUBMITTED, NO_RUNS, WITHOUT_MEMBERS = "submitted", "no-runs", "no-members"


def find_own_team(user: User, campaign: Campaign) -> Team | None:
    """The team of which ``user`` is a member, if they participate."""
    own = Member.objects.filter(user_id=user.pk, campaign=campaign, role=Role.PARTICIPANT)
    return Team.objects.filter(pk__in=own.values("team")).select_related("campaign").first()


def find_last_request(user: User, campaign: Campaign) -> TeamRequest | None:
    return campaign.team_requests.filter(user_id=user.pk).last()


def list_open_registrations(user: User) -> list[tuple[Campaign, TeamRequest | None]]:
    """The campaigns in which ``user`` could register a team, with the last attempt of each."""
    mine = Member.objects.filter(user_id=user.pk)
    campaigns = Campaign.objects.open_for_registration().exclude(pk__in=mine.values("campaign"))
    last = {each.campaign_id: each for each in TeamRequest.objects.filter(user_id=user.pk)}
    return [(campaign, last.get(campaign.pk)) for campaign in campaigns]


def has_accepted_terms(user: User, campaign: Campaign) -> bool:
    """Whether ``user`` has accepted the newest terms; there may be none."""
    if not campaign.terms:
        return True
    version = {"terms__campaign": campaign, "terms__version": campaign.terms_version}
    return TermsAcceptance.objects.filter(user_id=user.pk, **version).exists()


def list_waiting_requests(campaign: Campaign) -> QuerySet[TeamRequest]:
    """Oldest first."""
    waiting = campaign.team_requests.filter(state=TeamRequest.State.WAITING)
    return waiting.select_related("user")


@dataclass(frozen=True)
class TeamRow:
    """A team in the list of organizers; ``state`` is what the list is filtered by."""

    team: Team
    members: int
    runs: int
    has_accepted: bool

    @property
    def state(self) -> str:
        if self.runs:
            return SUBMITTED
        return NO_RUNS if self.members else WITHOUT_MEMBERS


def list_team_rows(campaign: Campaign) -> list[TeamRow]:
    """All teams with counts of members and of accepted runs, in two queries."""
    accepted = Run.objects.filter(campaign=campaign).accepted().order_by()
    runs = dict(accepted.values_list("team").annotate(Count("pk")))
    missing = Member.objects.filter(team=OuterRef("pk")).exclude(
        user__in=list_accepting_users(campaign)
    )
    teams = campaign.teams.annotate(member_count=Count("members"), lacks_acceptance=Exists(missing))
    return [
        TeamRow(
            team,
            team.member_count,
            runs.get(team.pk, 0),
            not campaign.terms or (team.member_count > 0 and not team.lacks_acceptance),
        )
        for team in teams
    ]


def list_accepting_users(campaign: Campaign) -> Any:
    """The IDs of those who have accepted the newest terms."""
    version = Q(terms__campaign=campaign, terms__version=campaign.terms_version)
    return TermsAcceptance.objects.filter(version).values("user")


def list_team_members(team: Team) -> list[tuple[Member, bool]]:
    """Its members by name, and whether each has accepted the newest terms."""
    accepted = set(list_accepting_users(team.campaign).values_list("user", flat=True))
    members = team.members.select_related("user").order_by("joined_at", "pk")
    return [(member, member.user_id in accepted) for member in members]


def list_team_invitations(team: Team) -> list[Invitation]:
    """Those that are open, newest first."""
    invitations = Invitation.objects.filter(team=team).select_related("created_by")
    return [invitation for invitation in invitations if invitation.is_open]
