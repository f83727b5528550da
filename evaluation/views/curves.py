"""Precision–recall pictures of one run or two, over all topics or of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.http import Http404

from campaigns.models import Run
from evaluation.charts.lines import Value, fifths_axis, line_chart
from evaluation.core.batch import Batch
from evaluation.core.curves import ELEVEN, interpolated, mean_curve, saw_tooth
from evaluation.queries.board import Board, Entry
from evaluation.services.rankings import ranking_of
from evaluation.views.cells import figure

SQUARE = (420.0, 420.0)
THREADS = 100
"""Single topics are drawn behind the mean when there are no more than these."""
LONGEST = 1000
"""Ranks of the raw curve that are drawn."""


def curves_of(board: Board, entries: Sequence[Entry], topic: str = "") -> dict[str, Any]:
    """What the picture and its table are made of: 11-point curves of one or two runs.

    With ``topic``, which only the first run's page asks for, its raw curve is drawn too.
    """
    if topic and topic not in board.topics:
        raise Http404(f"no topic {topic}")
    runs = Run.objects.in_bulk([entry.run for entry in entries])
    batches = [ranking_of(board.score_set, runs[entry.run]) for entry in entries]
    at = board.topics.index(topic) if topic else None
    columns = [eleven(batch, at) for batch in batches]
    lines = [
        (entry.tag, values_of(entry.tag, column))
        for entry, column in zip(entries, columns, strict=True)
    ]
    rows = [
        (f"{level:.1f}", [figure(column[place]) for column in columns])
        for place, level in enumerate(ELEVEN)
    ]
    means = [figure(float(np.mean(column))) for column in columns]
    return {
        "curves": line_chart(
            lines,
            fifths_axis("recall"),
            fifths_axis("precision"),
            size=SQUARE,
            threads=threads(batches, at),
        ),
        "curve_rows": rows,
        "curve_means": means,
        "curve_topic": topic,
        "curve_tags": [entry.tag for entry in entries],
    }


def eleven(batch: Batch, at: int | None) -> list[float]:
    """The interpolated curve of the topic at ``at``, or the mean over all topics."""
    values = interpolated(batch)
    if at is not None:
        return [float(value) for value in values[at]]
    return [value or 0.0 for value in mean_curve(values)]


def values_of(tag: str, column: Sequence[float]) -> list[Value]:
    """Each point of a curve, told."""
    points = zip(ELEVEN, column, strict=True)
    return [Value(r, p, f"{tag}: precision {p:.4f} at recall {r:.2f}") for r, p in points]


def threads(batches: Sequence[Batch], at: int | None) -> list[list[tuple[float, float]]]:
    """Behind the curve of one run: every topic's, or of one topic the raw precision by rank."""
    if len(batches) > 1:
        return []
    (batch,) = batches
    if at is not None:
        recall, precision = saw_tooth(batch, at)
        pairs = zip(recall[:LONGEST].tolist(), precision[:LONGEST].tolist(), strict=True)
        return [list(pairs)]
    if len(batch) > THREADS:
        return []
    return [list(zip(ELEVEN, row, strict=True)) for row in interpolated(batch).tolist()]
