"""Which score sets a user may read, and in which role.

Organizers read all score sets, participants only the latest released one, of each task if there
are tasks; the campaign's ``board`` setting determines which runs they see.
"""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, Member, Role, Team, User
from evaluation.models import RunScores, ScoreSet

AnyUser = User | AnonymousUser


@dataclass(frozen=True)
class ScoreReader:
    """The role in which scores are read: organizer, or participant of some teams."""

    is_organizer: bool
    teams: frozenset[int]
    board: str

    def owns(self, team: int) -> bool:
        return team in self.teams

    @property
    def sees_all_runs(self) -> bool:
        return self.is_organizer or self.board != Campaign.Board.OWN

    @property
    def sees_names(self) -> bool:
        return self.is_organizer or self.board == Campaign.Board.NAMES


def user_key(user: AnyUser) -> int:
    """The user's ID; 0, which no user has, for a visitor."""
    return user.pk or 0


def get_reader(user: AnyUser, campaign: Campaign) -> ScoreReader:
    rows = list(campaign.members.filter(user_id=user_key(user)).values_list("role", "team"))
    is_organizer = user.is_superuser or any(role == Role.ORGANIZER for role, _ in rows)
    teams = frozenset(team for _, team in rows if team is not None)
    return ScoreReader(is_organizer=is_organizer, teams=teams, board=campaign.board)


def organizer_reader(campaign: Campaign) -> ScoreReader:
    """An organizer: for files that a job makes for them."""
    return ScoreReader(is_organizer=True, teams=frozenset(), board=campaign.board)


def participant_reader(campaign: Campaign, team: Team | None) -> ScoreReader:
    """A member of ``team``: for the organizer's preview."""
    teams = frozenset() if team is None else frozenset((team.pk,))
    return ScoreReader(is_organizer=False, teams=teams, board=campaign.board)


def list_score_sets_for(campaign: Campaign, reader: ScoreReader) -> QuerySet[ScoreSet]:
    """The campaign's score sets for ``reader``, latest first, with their number of runs."""
    sets = ScoreSet.objects.filter(campaign=campaign).select_related(
        "campaign", "qrels", "task__campaign"
    )
    if not reader.is_organizer:
        sets = sets.filter(pk=latest_released_subquery())
    # An aggregating query ignores the default ordering of the model.
    return sets.annotate(size=Count("runs")).order_by("-created_at", "-pk")


def list_visible_score_sets(user: AnyUser) -> QuerySet[ScoreSet]:
    """All score sets that ``user`` may read, across campaigns, for the API."""
    teams = list_memberships(user)
    return ScoreSet.objects.select_related("campaign", "qrels", "task__campaign").filter(
        Q(campaign__in=Campaign.objects.organized_by(user))
        | Q(campaign__in=teams.values("campaign"), pk=latest_released_subquery())
    )


def list_memberships(user: AnyUser) -> QuerySet[Member]:
    """Those in teams, of campaigns that the user can see."""
    rows = Member.objects.filter(user_id=user_key(user), role=Role.PARTICIPANT)
    return rows.filter(campaign__in=Campaign.objects.visible_to(user).order_by())


def list_visible_run_scores(user: AnyUser) -> QuerySet[RunScores]:
    """Scores of single runs: all for organizers; for participants their team's, once released."""
    rows = RunScores.objects.select_related("run__team", "score_set__campaign", "score_set__qrels")
    teams = list_memberships(user)
    released = latest_released_subquery("score_set__")
    return rows.filter(
        Q(score_set__campaign__in=Campaign.objects.organized_by(user))
        | Q(run__team__in=teams.values("team"), score_set=released)
    )


def latest_released_subquery(prefix: str = "") -> Subquery:
    """A column: the ID of the latest released score set of a row's campaign and task; ``prefix``
    leads from the row to its score set.
    """
    # None is not equal to None.
    released = ScoreSet.objects.alias(own=Coalesce("task", 0)).filter(
        campaign=OuterRef(f"{prefix}campaign"),
        own=Coalesce(OuterRef(f"{prefix}task"), 0),
        released_at__isnull=False,
    )
    return Subquery(released.order_by("-released_at", "-pk").values("pk")[:1])
