"""The way to a score set: through the campaign, as the reader one is."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404
from django.shortcuts import get_object_or_404

from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from evaluation.models import ScoreSet
from evaluation.queries.board import Board, Entry, board_of
from evaluation.queries.sets import Reader, as_participant, readable_sets, reader_of

VIEW = "evaluation.view_scores"


@dataclass(frozen=True)
class Visit:
    """Who looks at which campaign's scores. ``preview``: an organizer as a participant."""

    campaign: Campaign
    reader: Reader
    may_manage: bool
    preview: bool = False


def visit_for(request: SignedIn, slug: str) -> Visit:
    user = request.user
    campaign = campaign_for(user, slug, VIEW)
    reader = reader_of(user, campaign)
    if reader.organizes and request.GET.get("as") == "participant":
        team = campaign.teams.filter(runs__state="accepted").first()
        return Visit(campaign, as_participant(campaign, team), may_manage=True, preview=True)
    return Visit(campaign, reader, may_manage=reader.organizes)


def score_set_for(visit: Visit, pk: int) -> ScoreSet:
    """A preview reaches what its organizer may see, released or not."""
    reader = Reader(True, frozenset(), visit.campaign.board) if visit.preview else visit.reader
    return get_object_or_404(readable_sets(visit.campaign, reader), pk=pk)


def board_for(request: SignedIn, slug: str, pk: int) -> Board:
    visit = visit_for(request, slug)
    return board_of(score_set_for(visit, pk), visit.reader)


def entry_for(board: Board, run: int) -> Entry:
    """A run whose own page the reader may open."""
    entry = board.find(run)
    if entry is None or not entry.opens:
        raise Http404(f"no run {run}")
    return entry
