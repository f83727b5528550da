"""Scores as files."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from campaigns.attachments import attachment_response
from campaigns.views.helpers import SignedInRequest
from evaluation.queries.exports import (
    RUN_FORMATS,
    leaderboard_to_csv,
    leaderboard_to_json,
    run_scores_file,
)
from evaluation.views.access import get_board, get_entry


def score_set_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The leaderboard as CSV (``?shape=long``: one line a value) or JSON."""
    board = get_board(request, slug, pk)
    if fmt == "json":
        return attachment_response(leaderboard_to_json(board), f"{slug}-scores-{pk}.json")
    if fmt == "csv":
        by_topic = request.GET.get("shape") == "long"
        return attachment_response(
            leaderboard_to_csv(board, by_topic=by_topic), f"{slug}-scores-{pk}.csv"
        )
    raise Http404(f"no format {fmt}")


def run_scores_download_view(
    request: SignedInRequest, slug: str, pk: int, run: int, fmt: str
) -> HttpResponse:
    """One run's scores by topic, as trec_eval prints them, CSV or JSON."""
    board = get_board(request, slug, pk)
    entry = get_entry(board, run)
    if fmt not in RUN_FORMATS:
        raise Http404(f"no format {fmt}")
    return attachment_response(
        run_scores_file(board, entry, fmt), f"{slug}-{entry.tag}-scores.{fmt}"
    )
