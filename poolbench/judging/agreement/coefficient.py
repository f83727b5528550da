"""Agreement coefficients, and the counts from which they are computed, which add up over topics."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.judging.agreement.labels import LabelTable
from poolbench.statistics.draws import ResamplingOptions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AgreementCounts:
    """Sums over pairs; all arrays share their leading axes, q is the number of grades.

    ``units``      (…)        pairs with at least two judgments
    ``matched``    (…, q, q)  over these pairs: share of two judgments of the pair with grades
                              (c, k), in both orders; sums to ``units``
    ``coincident`` (…, q, q)  the same, each pair weighted by its number of judgments:
                              Krippendorff's coincidences
    ``shares``     (…, q)     over all judged pairs: share of the judgments by grade
    ``sets``       (…, 3)     pairs judged by all assessors, without third judgments; of
                              these, relevant to all of them; relevant to any of them
    ``table``      (…, q, q)  for two assessors: rows by the grade of the first; else None
    """

    scale: tuple[int, ...]
    level: int
    units: Floats
    matched: Floats
    coincident: Floats
    shares: Floats
    sets: Floats
    table: Floats | None = None

    @property
    def totals(self) -> Floats:
        """(…, q): number of comparable judgments by grade."""
        return weighted_sum(self.coincident)

    @property
    def prevalence(self) -> Floats:
        """(…): the relevant share of ``totals``; 0 if there are none."""
        totals = self.totals
        relevant = weighted_sum(totals, np.array([float(g >= self.level) for g in self.scale]))
        return divide_or_default(relevant, weighted_sum(totals), 0.0)

    def over(self, weights: Floats) -> "AgreementCounts":
        """Sums over topics, the last leading axis (…, topics), weighted by ``weights``
        (draws, topics): (…, draws).
        """
        return self._reduce(lambda values: _resampled_sum(values, weights))

    def summed(self) -> "AgreementCounts":
        """Sums over all topics: (…)."""
        topics = self.units.ndim - 1
        return self._reduce(lambda values: values.sum(axis=topics))

    def _reduce(self, reduce: Callable[[Floats], Floats]) -> "AgreementCounts":
        if self.table is not None:
            return count_two_assessors(reduce(self.table), self.scale, self.level)
        parts = (self.units, self.matched, self.coincident, self.shares, self.sets)
        return AgreementCounts(self.scale, self.level, *map(reduce, parts))


def _resampled_sum(values: Floats, weights: Floats) -> Floats:
    """``values`` (a, topics, more…) summed over topics by ``weights``: (a, draws, more…)."""
    summed = weights @ values.reshape(*values.shape[:2], -1)
    totals: Floats = summed.reshape(*summed.shape[:2], *values.shape[2:])
    return totals


def count_two_assessors(table: Floats, scale: tuple[int, ...], level: int) -> AgreementCounts:
    """Counts for two assessors from their confusion ``table`` (…, q, q)."""
    turned = np.swapaxes(table, -1, -2)
    rows, columns = weighted_sum(table), weighted_sum(turned)
    units = weighted_sum(rows)
    relevant = np.array([float(grade >= level) for grade in scale])
    both = weighted_sum(weighted_sum(table, relevant), relevant)
    either = weighted_sum(rows, relevant) + weighted_sum(columns, relevant) - both
    return AgreementCounts(
        scale,
        level,
        units,
        (table + turned) / 2,
        table + turned,
        (rows + columns) / 2,
        np.stack([units, both, either], axis=-1),
        table,
    )


def iter_confusion_tables(labels: LabelTable, others: LabelTable | None = None) -> Iterator[Floats]:
    """Confusion tables (topics, q, q) of every two assessors in the order of ``combinations``;
    with ``others`` (same pairs, same scale): of each assessor with each of the others.
    """
    q = len(labels.scale) + 1
    topics = len(labels.topics)
    start = labels.topic_indices * q * q
    rows = labels.positions
    columns = rows if others is None else others.positions
    couples = (
        combinations(range(len(rows)), 2)
        if others is None
        else ((i, j) for i in range(len(rows)) for j in range(len(columns)))
    )
    last, base = -1, start
    for i, j in couples:
        if i != last:
            last, base = i, start + rows[i] * q
        cells = np.bincount(base + columns[j], minlength=topics * q * q)
        yield cells.reshape(topics, q, q)[:, :-1, :-1].astype(np.float64)


def count_all_assessors(labels: LabelTable, level: int) -> AgreementCounts:
    """Counts over all assessors together, by topic: leading axes (1, topics)."""
    by_grade = np.stack([(labels.positions == at).sum(axis=0) for at in range(len(labels.scale))])
    judgments = by_grade.sum(axis=0)
    several = judgments >= 2
    # Pairs with one judgment are divided by 1 and then excluded.
    others = np.maximum(judgments - 1, 1)
    relevant = (labels.judged & (labels.grades >= level)).sum(axis=0)
    # A pair that all judged only because two disagreed was selected by its outcome.
    planned = judgments if labels.third is None else judgments - labels.third.sum(axis=0)
    everyone = planned == len(labels.assessors)

    def by_topic(values: NDArray[np.generic]) -> Floats:
        summed = np.bincount(labels.topic_indices, values, minlength=len(labels.topics))
        return summed.astype(np.float64)[None]

    def couples(weights: Floats) -> Floats:
        q = range(len(labels.scale))
        cells = [by_topic(weights * by_grade[c] * (by_grade[k] - (c == k))) for c in q for k in q]
        return np.stack(cells, axis=-1).reshape(1, -1, len(q), len(q))

    sets = (everyone, everyone & (relevant == judgments), everyone & (relevant > 0))
    return AgreementCounts(
        labels.scale,
        level,
        by_topic(several),
        couples(several / (others * np.maximum(judgments, 1))),
        couples(several / others),
        np.stack([by_topic(row / np.maximum(judgments, 1)) for row in by_grade], axis=-1),
        np.stack([by_topic(row) for row in sets], axis=-1),
    )


def weighted_sum(values: Floats, weights: Floats | None = None) -> Floats:
    """Sum over the last axis, weighted if ``weights`` is given.

    On short axes a product is faster than ``sum``.
    """
    total: Floats = values @ (np.ones(values.shape[-1]) if weights is None else weights)
    return total


def weighted_total(cells: Floats, weights: Floats) -> Floats:
    """Sum over the last two axes of ``cells`` (…, q, q), weighted by (q, q) or (…, q, q)."""
    if weights.ndim == 2:
        return weighted_sum(cells.reshape(*cells.shape[:-2], -1), weights.ravel())
    total: Floats = np.einsum("...ij,...ij->...", cells, weights)
    return total


def divide_or_default(top: Floats, bottom: Floats, otherwise: float = np.nan) -> Floats:
    """``top / bottom``; ``otherwise`` where ``bottom`` is not positive."""
    bottom = np.asarray(bottom, np.float64)
    quotient = np.full(np.broadcast_shapes(np.shape(top), bottom.shape), otherwise)
    np.divide(top, bottom, out=quotient, where=bottom > 0)
    return quotient


class RunningMean:
    """A mean without undefined values, over rows that are added in batches."""

    def __init__(self, size: int) -> None:
        self.total = np.zeros(size)
        self.count = np.zeros(size)

    def add(self, values: Floats) -> None:
        there = ~np.isnan(values)
        self.total += np.where(there, values, 0.0).sum(axis=0)
        self.count += there.sum(axis=0)

    @property
    def mean(self) -> Floats:
        return divide_or_default(self.total, self.count)


class CoefficientSums:
    """Running means of one coefficient over pairs of assessors."""

    def __init__(self, topics: int, resamples: int) -> None:
        self.by_topic, self.prevalence = RunningMean(topics), RunningMean(topics)
        self.drawn = RunningMean(resamples)


DRAWS = ResamplingOptions(seed=20, resamples=1000)
"""The resamples of topics behind the intervals of agreement and assessor quality."""

Compute = Callable[[AgreementCounts], Floats]
Rows = tuple[tuple[int | None, ...], ...]

NO_OVERLAP = (
    "no pair was judged by all compared assessors (third judgments do not count, since they exist "
    "only where two disagreed)"
)
NOTHING_PAIRED = "no pair was judged by two or more assessors"


@dataclass(frozen=True)
class AgreementCoefficient:
    """A coefficient that users can choose.

    ``compute`` maps counts to values (…), NaN where undefined. ``flat`` is the reason when
    pairs can be compared, ``empty`` when none can. ``pairwise``: for exactly two assessors.
    """

    card: Card
    compute: Compute
    flat: str
    pairwise: bool = False
    empty: str = NOTHING_PAIRED
    examples: tuple[tuple[Rows, float], ...] = field(default=())

    @property
    def name(self) -> str:
        return self.card.name

    def n(self, counts: AgreementCounts) -> Floats:
        """(…): number of pairs compared."""
        return counts.sets[..., 0] if self.empty is NO_OVERLAP else counts.units

    def why(self, n: float) -> str:
        """Why the value over ``n`` pairs is undefined."""
        return self.flat if n else self.empty


def observed_disagreement(counts: AgreementCounts, distance: Floats) -> Floats:
    """(…): mean ``distance`` (q, q) of two judgments of a pair; every pair has weight 1."""
    return divide_or_default(weighted_total(counts.matched, distance), counts.units)


def grade_proportions(counts: AgreementCounts) -> Floats:
    """(…, q): the mean share of each grade over all judged pairs; zeros without pairs."""
    return divide_or_default(counts.shares, weighted_sum(counts.shares)[..., None], 0.0)


def grade_differences(scale: tuple[int, ...]) -> Floats:
    """(q, q): absolute differences of the grade values."""
    grades = np.array(scale, np.float64)
    differences: Floats = np.abs(grades[:, None] - grades[None, :])
    return differences
