"""Scores as files."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from campaigns.api.attachments import attachment_response, report_response
from campaigns.views.helpers import SignedInRequest
from evaluation.queries.exports import (
    LEADERBOARD_FORMATS,
    RUN_FORMATS,
    leaderboard_to_csv,
    run_scores_file,
)
from evaluation.queries.leaderboard import Leaderboard
from evaluation.views.access import get_entry, get_visible_leaderboard
from evaluation.views.cells import select_visible_measures


def score_set_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The leaderboard in a format of reports; CSV with ``?shape=long`` has one line per value."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = f"{slug}-scores-{pk}{format_label_ending(leaderboard)}"
    if fmt == "csv" and request.GET.get("shape") == "long":
        text = leaderboard_to_csv(leaderboard, by_topic=True)
        return attachment_response(text, f"{name}.csv")
    visible = [name for name in request.GET.getlist("m") if name in leaderboard.score_set.measures]
    visible = visible or select_visible_measures(leaderboard, ())
    return report_response(f"{name}.{fmt}", LEADERBOARD_FORMATS, leaderboard, visible)


def run_scores_download_view(
    request: SignedInRequest, slug: str, pk: int, run: int, fmt: str
) -> HttpResponse:
    """Scores of a run by topic, in the format of trec_eval or of reports."""
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
