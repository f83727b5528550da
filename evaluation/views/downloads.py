"""Scores as files."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from campaigns.api.attachments import attachment_response
from campaigns.views.helpers import SignedInRequest
from evaluation.queries.exports import (
    RUN_FORMATS,
    leaderboard_to_csv,
    leaderboard_to_json,
    run_scores_file,
)
from evaluation.queries.leaderboard import Leaderboard
from evaluation.views.access import get_entry, get_visible_leaderboard


def score_set_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The leaderboard as CSV (``?shape=long``: one line per value) or JSON."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = f"{slug}-scores-{pk}{format_label_ending(leaderboard)}"
    if fmt == "json":
        return attachment_response(leaderboard_to_json(leaderboard), f"{name}.json")
    if fmt == "csv":
        by_topic = request.GET.get("shape") == "long"
        return attachment_response(
            leaderboard_to_csv(leaderboard, by_topic=by_topic), f"{name}.csv"
        )
    raise Http404(f"unknown format {fmt}")


def run_scores_download_view(
    request: SignedInRequest, slug: str, pk: int, run: int, fmt: str
) -> HttpResponse:
    """Scores of a run by topic, in the format of trec_eval, CSV or JSON."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    entry = get_entry(leaderboard, run)
    if fmt not in RUN_FORMATS:
        raise Http404(f"unknown format {fmt}")
    return attachment_response(
        run_scores_file(leaderboard, entry, fmt),
        f"{slug}-{entry.tag}-scores{format_label_ending(leaderboard)}.{fmt}",
    )


def format_label_ending(leaderboard: Leaderboard) -> str:
    """``-filled`` for the name of a file with such scores; files get separated from pages."""
    label = leaderboard.score_set.label
    return f"-{label.partition(',')[0]}" if label else ""
