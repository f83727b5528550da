"""What the documents without a judgment leave open in one run's scores."""

from __future__ import annotations

from math import isfinite
from typing import Any

from campaigns.models import Run
from evaluation.core.bounds import MeasureBounds, compute_bounds
from evaluation.core.measures.family import Measure
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.services.rankings import rebuild_run_batch
from evaluation.views.cells import format_score

MOST_DOCUMENTS = 50_000
"""Beyond these the bounds take longer than a page may: the command gives them."""


def bounds_context(
    board: Leaderboard, entry: LeaderboardEntry, measure: Measure, *, wanted: bool
) -> dict[str, Any]:
    """How many retrieved documents have no judgment; if ``wanted`` the bounds that they
    leave to the measure, by topic and over all: they can take a second.
    """
    ranking = rebuild_run_batch(board.score_set, Run.objects.get(pk=entry.run))
    retrieved = int(ranking.lengths.sum())
    told: dict[str, Any] = {
        "open_documents": retrieved - int(ranking.is_judged.sum()),
        "too_many": retrieved > MOST_DOCUMENTS,
        "bounds_of": {},
    }
    if wanted and not told["too_many"]:
        (found,) = compute_bounds(ranking, [measure])
        told["bounds"] = format_bounds(found.mean_low, found.mean_high)
        told["bounds_of"] = bounds_by_topic(board, found)
        told["bounds_reason"] = found.reason.rstrip(".")
    return told


def bounds_by_topic(board: Leaderboard, found: MeasureBounds) -> dict[str, str]:
    pairs = zip(board.topics, found.low.tolist(), found.high.tolist(), strict=True)
    return {topic: format_bounds(low, high) or "–" for topic, low, high in pairs}


def format_bounds(low: float | None, high: float | None) -> str | None:
    if low is None or high is None or not isfinite(low) or not isfinite(high):
        return None
    return format_score(low) if low == high else f"{format_score(low)} and {format_score(high)}"
