"""Scores as files."""

from __future__ import annotations

from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse

from evaluation.queries.exports import MIME, RUN_FORMATS, board_csv, board_json, run_file
from evaluation.views.gate import board_for, entry_for


def score_set_download(request: HttpRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The leaderboard as CSV (``?shape=long``: one line a value) or JSON."""
    board = board_for(request, slug, pk)
    if fmt == "json":
        return as_file(board_json(board), f"{slug}-scores-{pk}", fmt)
    if fmt == "csv":
        by_topic = request.GET.get("shape") == "long"
        return as_file(board_csv(board, by_topic=by_topic), f"{slug}-scores-{pk}", fmt)
    raise Http404(f"no format {fmt}")


def run_scores_download(
    request: HttpRequest, slug: str, pk: int, run: int, fmt: str
) -> HttpResponse:
    """One run's scores by topic, as trec_eval prints them, CSV or JSON."""
    board = board_for(request, slug, pk)
    entry = entry_for(board, run)
    if fmt not in RUN_FORMATS:
        raise Http404(f"no format {fmt}")
    return as_file(run_file(board, entry, fmt), f"{slug}-{entry.tag}-scores", fmt)


def as_file(text: str, name: str, fmt: str) -> HttpResponse:
    answer = HttpResponse(text, content_type=f"{MIME[fmt]}; charset=utf-8")
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)
    answer["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(f'{plain}.{fmt}')}"
    return answer
