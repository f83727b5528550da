"""Bounds of the scores of one run from its unjudged documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from django.utils.translation import gettext as _

from campaigns.models import Run
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.queries.scoring_inputs import rebuild_run_batch
from poolbench.evaluation.bounds import MeasureBounds, compute_bounds
from poolbench.evaluation.measures.family import Measure
from poolbench.number_formats import format_score

MOST_DOCUMENTS = 50_000
"""For more documents the bounds take too long for a page; use the command."""


@dataclass(frozen=True)
class UnjudgedDocuments:
    """The number of unjudged documents retrieved, and the bounds of the measure by topic and over
    all topics on request.
    """

    unjudged_documents: int
    too_many: bool
    topic_bounds: dict[str, str] = field(default_factory=dict)
    bounds: str | None = None
    bounds_reason: str = ""


def count_unjudged_documents(
    leaderboard: Leaderboard, entry: LeaderboardEntry, measure: Measure, *, show_bounds: bool
) -> UnjudgedDocuments:
    """If ``show_bounds`` with bounds, which can take a second."""
    ranking = rebuild_run_batch(leaderboard.score_set, Run.objects.get(pk=entry.run))
    retrieved = int(ranking.lengths.sum())
    unjudged = retrieved - int(ranking.is_judged.sum())
    too_many = retrieved > MOST_DOCUMENTS
    if not show_bounds or too_many:
        return UnjudgedDocuments(unjudged, too_many)
    (bounds,) = compute_bounds(ranking, [measure])
    return UnjudgedDocuments(
        unjudged_documents=unjudged,
        too_many=too_many,
        topic_bounds=bounds_by_topic(leaderboard, bounds),
        bounds=format_bounds(bounds.mean_low, bounds.mean_high),
        bounds_reason=bounds.reason.rstrip("."),
    )


def bounds_by_topic(leaderboard: Leaderboard, bounds: MeasureBounds) -> dict[str, str]:
    pairs = zip(leaderboard.topics, bounds.low.tolist(), bounds.high.tolist(), strict=True)
    return {topic: format_bounds(low, high) or "–" for topic, low, high in pairs}


def format_bounds(low: float | None, high: float | None) -> str | None:
    if low is None or high is None or not isfinite(low) or not isfinite(high):
        return None
    return (
        format_score(low) if low == high else f"{format_score(low)} {_('to')} {format_score(high)}"
    )
