"""What the documents without a judgment leave open in one run's scores."""

from __future__ import annotations

from math import isfinite
from typing import Any

from campaigns.models import Run
from evaluation.core.bounds import Bounds, bounds
from evaluation.core.measures.family import Measure
from evaluation.queries.board import Board, Entry
from evaluation.services.rankings import ranking_of
from evaluation.views.cells import figure

MOST_DOCUMENTS = 50_000
"""Beyond these the bounds take longer than a page may: the command gives them."""


def bounds_context(board: Board, entry: Entry, measure: Measure, *, wanted: bool) -> dict[str, Any]:
    """How many retrieved documents have no judgment; if ``wanted`` the bounds that they
    leave to the measure, by topic and over all: they can take a second.
    """
    ranking = ranking_of(board.score_set, Run.objects.get(pk=entry.run))
    retrieved = int(ranking.lengths.sum())
    told: dict[str, Any] = {
        "open_documents": retrieved - int(ranking.is_judged.sum()),
        "too_many": retrieved > MOST_DOCUMENTS,
        "bounds_of": {},
    }
    if wanted and not told["too_many"]:
        (found,) = bounds(ranking, [measure])
        told["bounds"] = between(found.mean_low, found.mean_high)
        told["bounds_of"] = by_topic(board, found)
        told["bounds_reason"] = found.reason.rstrip(".")
    return told


def by_topic(board: Board, found: Bounds) -> dict[str, str]:
    pairs = zip(board.topics, found.low.tolist(), found.high.tolist(), strict=True)
    return {topic: between(low, high) or "–" for topic, low, high in pairs}


def between(low: float | None, high: float | None) -> str | None:
    if low is None or high is None or not isfinite(low) or not isfinite(high):
        return None
    return figure(low) if low == high else f"{figure(low)} and {figure(high)}"
