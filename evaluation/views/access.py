"""Access to score sets: through the campaign, in the role of the user."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.row_filters import RowFilter, build_choice
from evaluation.models import ScoreSet
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry, get_leaderboard
from evaluation.queries.score_sets import (
    ScoreReader,
    get_reader,
    list_score_sets_for,
    organizer_reader,
    participant_reader,
)

VIEW = "evaluation.view_scores"


@dataclass(frozen=True)
class ScoreVisit:
    """A user on the score pages of a campaign. ``preview``: an organizer viewing as participant."""

    campaign: Campaign
    reader: ScoreReader
    may_manage: bool
    preview: bool = False

    def list_score_sets(self) -> QuerySet[ScoreSet]:
        """A previewing organizer may also open score sets that are not released."""
        reader = organizer_reader(self.campaign) if self.preview else self.reader
        return list_score_sets_for(self.campaign, reader)


def get_visit(request: SignedInRequest, slug: str) -> ScoreVisit:
    user = request.user
    campaign = get_campaign_for(user, slug, VIEW)
    reader = get_reader(user, campaign)
    if reader.is_organizer and request.GET.get("as") == "participant":
        team = campaign.teams.filter(runs__state="accepted").first()
        return ScoreVisit(
            campaign, participant_reader(campaign, team), may_manage=True, preview=True
        )
    return ScoreVisit(campaign, reader, may_manage=reader.is_organizer)


def get_score_set(visit: ScoreVisit, pk: int) -> ScoreSet:
    return get_object_or_404(visit.list_score_sets(), pk=pk)


def get_visible_leaderboard(request: SignedInRequest, slug: str, pk: int) -> Leaderboard:
    visit = get_visit(request, slug)
    return get_leaderboard(get_score_set(visit, pk), visit.reader)


def get_entry(leaderboard: Leaderboard, run: int) -> LeaderboardEntry:
    """The entry of a run whose own page the reader may open, else 404."""
    entry = leaderboard.find(run)
    if entry is None or not entry.opens:
        raise Http404(f"unknown run {run}")
    return entry


def build_task_choice(
    request: HttpRequest,
    campaign: Campaign,
    visible: QuerySet[ScoreSet],
    score_set: ScoreSet | None,
    address: str,
) -> RowFilter:
    """The tasks of the ``visible`` score sets, with the number of these; the page at ``address``
    shows one task.
    """
    names = dict(campaign.tasks.values_list("slug", "name"))
    counts = Counter(each.task.slug for each in (visible if names else ()) if each.task)
    current = score_set.task.slug if score_set and score_set.task else ""
    return build_choice(request, "task", _("Task"), counts, names, current, address)
