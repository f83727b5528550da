"""Scores as files."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from campaigns.attachments import attachment
from campaigns.views.signed_in import SignedIn
from evaluation.queries.exports import RUN_FORMATS, board_csv, board_json, run_file
from evaluation.views.gate import board_for, entry_for


def score_set_download(request: SignedIn, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The leaderboard as CSV (``?shape=long``: one line a value) or JSON."""
    board = board_for(request, slug, pk)
    if fmt == "json":
        return attachment(board_json(board), f"{slug}-scores-{pk}.json")
    if fmt == "csv":
        by_topic = request.GET.get("shape") == "long"
        return attachment(board_csv(board, by_topic=by_topic), f"{slug}-scores-{pk}.csv")
    raise Http404(f"no format {fmt}")


def run_scores_download(request: SignedIn, slug: str, pk: int, run: int, fmt: str) -> HttpResponse:
    """One run's scores by topic, as trec_eval prints them, CSV or JSON."""
    board = board_for(request, slug, pk)
    entry = entry_for(board, run)
    if fmt not in RUN_FORMATS:
        raise Http404(f"no format {fmt}")
    return attachment(run_file(board, entry, fmt), f"{slug}-{entry.tag}-scores.{fmt}")
