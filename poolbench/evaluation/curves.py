"""Precision–recall curves: of one topic at every rank, and interpolated."""

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.means import arithmetic_mean
from poolbench.evaluation.profiles import RecallPoints
from poolbench.runs.tables import group_starts

ELEVEN = tuple(tenth / 10 for tenth in range(11))
"""The standard recall levels 0, 0.1 to 1."""


def sawtooth_curve(batch: ScoringBatch, segment: int) -> tuple[Floats, Floats]:
    """``(recall, precision)`` at every rank of one ranking; precision falls where recall does not
    rise."""
    mine = (batch.segment == segment) & batch.is_relevant
    ranks = np.arange(1, batch.lengths[segment] + 1)
    relevant = np.searchsorted(batch.ranks[mine], ranks, side="right")
    return safe_ratio(relevant, int(batch.relevant[segment])), relevant / ranks


def interpolate_precision(batch: ScoringBatch, levels: tuple[float, ...] = ELEVEN) -> Floats:
    """The maximum precision at each recall level or above; shape (segments, levels).

    0 if the ranking does not reach the level, and so at all levels if R = 0. The profile defines
    the number of relevant documents for a level.
    """
    starts = group_starts(batch.count(batch.hits))
    precision = batch.relevant_at_hits / batch.ranks[batch.hits]
    needed = count_relevant_needed(levels, batch.relevant, batch.options.profile.recall_points)
    first = starts[:-1, None] + np.maximum(needed, 1) - 1
    last = np.broadcast_to(starts[1:, None], first.shape)
    reached = first < last
    # reduceat takes the maximum from each index to the next; every second one is needed.
    ends = np.stack([np.where(reached, first, last), last], axis=-1).ravel()
    best = np.maximum.reduceat(np.append(precision, 0.0), ends)[::2] if len(ends) else ends
    return np.where(reached, best.reshape(first.shape), 0.0)


def count_relevant_needed(levels: tuple[float, ...], relevant: Ints, points: RecallPoints) -> Ints:
    """Number of relevant documents that define each level; shape (segments, levels)."""
    wanted: Floats = relevant[:, None] * np.array(levels)
    # 0.55 · 100 is 55.00000000000001: a rounding error above an integer is ignored.
    exact = np.ceil(np.round(wanted, 9))
    counted = {"plus 0.9": np.floor(wanted + 0.9), "rounded": np.floor(wanted + 0.5)}
    return counted.get(points, exact).astype(np.int64)


def average_curves(values: Floats) -> list[float | None]:
    """The mean of each level over the topics of ``interpolate_precision``; None without a topic."""
    return [arithmetic_mean(column) if len(column) else None for column in values.T]
