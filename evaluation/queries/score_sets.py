"""Which score sets a person may read, and as whom.

Organizers read all. Participants read the latest released one and nothing else; what of
it they see is said by the campaign's board.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from campaigns.models import Campaign, Member, Role, Team, User
from evaluation.models import RunScores, ScoreSet

Person = User | AnonymousUser


@dataclass(frozen=True)
class ScoreReader:
    """As whom scores are read: an organizer, or a participant of some teams."""

    organizes: bool
    teams: frozenset[int]
    board: str

    def owns(self, team: int) -> bool:
        return team in self.teams

    @property
    def sees_all_runs(self) -> bool:
        return self.organizes or self.board != Campaign.Board.OWN

    @property
    def sees_names(self) -> bool:
        return self.organizes or self.board == Campaign.Board.NAMES


def user_key(user: Person) -> int:
    """The person's key; 0, which is nobody's, for a visitor."""
    return user.pk or 0


def get_reader(user: Person, campaign: Campaign) -> ScoreReader:
    rows = list(campaign.members.filter(user_id=user_key(user)).values_list("role", "team"))
    organizes = user.is_superuser or any(role == Role.ORGANIZER for role, _ in rows)
    teams = frozenset(team for _, team in rows if team is not None)
    return ScoreReader(organizes=organizes, teams=teams, board=campaign.board)


def participant_reader(campaign: Campaign, team: Team | None) -> ScoreReader:
    """How a member of ``team`` will read the scores: the organizer's preview."""
    teams = frozenset() if team is None else frozenset((team.pk,))
    return ScoreReader(organizes=False, teams=teams, board=campaign.board)


def list_score_sets_for(campaign: Campaign, reader: ScoreReader) -> QuerySet[ScoreSet]:
    """The campaign's score sets for ``reader``, newest first, with their number of runs."""
    sets = ScoreSet.objects.filter(campaign=campaign).select_related("campaign", "qrels")
    if not reader.organizes:
        released = sets.filter(released_at__isnull=False).order_by("-released_at", "-pk")
        sets = sets.filter(pk__in=released.values("pk")[:1])
    # A query that counts forgets the model's own order.
    return sets.annotate(size=Count("runs")).order_by("-created_at", "-pk")


def list_visible_score_sets(user: Person) -> QuerySet[ScoreSet]:
    """The gate across campaigns, for the API."""
    teams = Member.objects.filter(user_id=user_key(user), role=Role.PARTICIPANT)
    return ScoreSet.objects.select_related("campaign", "qrels").filter(
        Q(campaign__in=Campaign.objects.organized_by(user))
        | Q(campaign__in=teams.values("campaign"), pk=latest_released_subquery())
    )


def list_visible_run_scores(user: Person) -> QuerySet[RunScores]:
    """The gate to single runs' scores: all for organizers, a team's own after release."""
    rows = RunScores.objects.select_related("run__team", "score_set__campaign", "score_set__qrels")
    teams = Member.objects.filter(user_id=user_key(user), role=Role.PARTICIPANT)
    released = latest_released_subquery("score_set__campaign")
    return rows.filter(
        Q(score_set__campaign__in=Campaign.objects.organized_by(user))
        | Q(run__team__in=teams.values("team"), score_set=released)
    )


def latest_released_subquery(campaign: str = "campaign") -> Subquery:
    """The score set that the campaign released last, as a column."""
    released = ScoreSet.objects.filter(campaign=OuterRef(campaign), released_at__isnull=False)
    return Subquery(released.order_by("-released_at", "-pk").values("pk")[:1])
