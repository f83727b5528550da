"""Precision–recall charts of one run or two, over all topics or of one topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.http import Http404

from campaigns.models import Run
from common.charts.axes import fifths_axis
from common.charts.chart import Chart
from common.charts.kinds import PlotValue, build_line_chart
from evaluation.core.batch import ScoringBatch
from evaluation.core.curves import ELEVEN, average_curves, interpolate_precision, sawtooth_curve
from evaluation.queries.leaderboard import Leaderboard, LeaderboardEntry
from evaluation.queries.rankings import rebuild_run_batch
from evaluation.views.cells import format_score

SQUARE = (420.0, 420.0)
THREADS = 100
"""Curves of single topics are drawn behind the mean for at most so many topics."""
LONGEST = 1000
"""Ranks of the raw curve that are drawn."""


class CurveRow(NamedTuple):
    recall: str
    precisions: list[str]


@dataclass(frozen=True)
class PrecisionRecallCurves:
    """Chart and table of the 11-point curves of one or two runs, the table by level of recall."""

    curves: Chart
    curve_threads: bool
    curve_rows: list[CurveRow]
    curve_means: list[str]
    curve_topic: str
    curve_tags: list[str]


def build_precision_recall_curves(
    leaderboard: Leaderboard, entries: Sequence[LeaderboardEntry], topic: str = ""
) -> PrecisionRecallCurves:
    """With ``topic`` (run page only) the raw curve of the topic is drawn too."""
    if topic and topic not in leaderboard.topics:
        raise Http404(f"unknown topic {topic}")
    runs = Run.objects.in_bulk([entry.run for entry in entries])
    batches = [rebuild_run_batch(leaderboard.score_set, runs[entry.run]) for entry in entries]
    at = leaderboard.topics.index(topic) if topic else None
    columns = [eleven_points(batch, at) for batch in batches]
    lines = [
        (entry.tag, curve_values(entry.tag, column))
        for entry, column in zip(entries, columns, strict=True)
    ]
    rows = [
        CurveRow(f"{level:.1f}", [format_score(column[place]) for column in columns])
        for place, level in enumerate(ELEVEN)
    ]
    means = [format_score(float(np.mean(column))) for column in columns]
    threads = background_curves(batches, at)
    return PrecisionRecallCurves(
        curves=build_line_chart(
            (
                "precision-recall",
                f"Precision by recall{f', topic {topic}' if topic else ''}",
                "Vertical axis: precision from 0 to 1. Horizontal axis: recall from 0 to 1.",
            ),
            lines,
            fifths_axis("recall"),
            fifths_axis("precision"),
            size=SQUARE,
            threads=threads,
            caption=caption_curves(entries, topic, has_threads=bool(threads)),
        ),
        curve_threads=bool(threads),
        curve_rows=rows,
        curve_means=means,
        curve_topic=topic,
        curve_tags=[entry.tag for entry in entries],
    )


def caption_curves(entries: Sequence[LeaderboardEntry], topic: str, *, has_threads: bool) -> str:
    tags = " and ".join(entry.tag for entry in entries)
    scope = f"on topic {topic}" if topic else "mean over topics"
    what = f"Interpolated precision at eleven levels of recall, {tags}, {scope}."
    if not has_threads:
        return f"{what} The higher curve is better at that recall."
    thin = "the ranking itself" if topic else "single topics"
    return f"{what} Thin lines: {thin}."


def eleven_points(batch: ScoringBatch, at: int | None) -> list[float]:
    """The interpolated curve of the topic at ``at``, or the mean over all topics."""
    values = interpolate_precision(batch)
    if at is not None:
        return [float(value) for value in values[at]]
    return [value or 0.0 for value in average_curves(values)]


def curve_values(tag: str, column: Sequence[float]) -> list[PlotValue]:
    """The points of a curve with their labels."""
    points = zip(ELEVEN, column, strict=True)
    return [PlotValue(r, p, f"{tag}: precision {p:.4f} at recall {r:.2f}") for r, p in points]


def background_curves(
    batches: Sequence[ScoringBatch], at: int | None
) -> list[list[tuple[float, float]]]:
    """Behind the curve of one run: those of all topics, or the raw curve of one topic."""
    if len(batches) > 1:
        return []
    (batch,) = batches
    if at is not None:
        recall, precision = sawtooth_curve(batch, at)
        pairs = zip(recall[:LONGEST].tolist(), precision[:LONGEST].tolist(), strict=True)
        return [list(pairs)]
    if len(batch) > THREADS:
        return []
    return [list(zip(ELEVEN, row, strict=True)) for row in interpolate_precision(batch).tolist()]
