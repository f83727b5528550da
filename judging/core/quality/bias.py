"""Bias: how lenient or strict an assessor is against the others. Drift: how that changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from common.statistics.draws import ResamplingOptions
from judging.core.agreement.counts import Floats, Ints
from judging.core.quality.estimate import (
    QualityEstimate,
    bootstrap_estimate,
    mean_from_sums,
    slope_from_sums,
    undefined_estimate,
)
from judging.core.quality.ordered_grades import OrderedGrades

NO_OTHERS = "no other assessor judged any of the pairs"
NO_ORDER = "the order of the judgments is unknown"
TOO_FEW = "fewer than {} judgments can be compared with those of others"
NO_SPREAD = "all comparable judgments have the same position in the order"
MIN_COMPARABLE = 20
BLOCKS = 5
"""Parts of an assessor's judgments, of equal size, for which the bias is given."""
DRIFT_UNIT = 100
"""Drift is reported in grades per this number of judgments."""


@dataclass(frozen=True)
class BiasBlock:
    """Consecutive judgments of one assessor, number ``first`` to ``last``: their bias, over the
    ``n`` comparable ones.
    """

    first: int
    last: int
    value: float
    n: int


@dataclass(frozen=True)
class BiasDrift:
    """``slope``: change of the bias, in grades per 100 judgments."""

    slope: QualityEstimate
    blocks: tuple[BiasBlock, ...] = ()


def bias_by_assessor(grades: OrderedGrades, draws: ResamplingOptions) -> dict[str, QualityEstimate]:
    """By assessor, the mean of the grade minus the mean grade of the others."""
    return {
        name: estimate_bias(grades, np.flatnonzero(grades.assessor == at), draws)
        for at, name in enumerate(grades.assessors)
    }


def estimate_bias(grades: OrderedGrades, rows: Ints, draws: ResamplingOptions) -> QualityEstimate:
    rows = rows[~np.isnan(grades.difference_from_others[rows])]
    if not len(rows):
        return undefined_estimate(NO_OTHERS)
    sums = grades.by_topic(rows, np.ones(len(rows)), grades.difference_from_others[rows])
    return bootstrap_estimate(sums, mean_from_sums, draws, NO_OTHERS)


def drift_by_assessor(grades: OrderedGrades, draws: ResamplingOptions) -> dict[str, BiasDrift]:
    """By assessor, the bias in consecutive blocks and its slope."""
    return {
        name: estimate_drift(grades, np.flatnonzero(grades.assessor == at), draws)
        for at, name in enumerate(grades.assessors)
    }


def estimate_drift(grades: OrderedGrades, rows: Ints, draws: ResamplingOptions) -> BiasDrift:
    """The drift of the assessor whose judgments are ``rows``."""
    rows = rows[grades.ordered[rows]]
    if not len(rows):
        return BiasDrift(undefined_estimate(NO_ORDER))
    position = np.arange(1.0, len(rows) + 1)
    compared = ~np.isnan(grades.difference_from_others[rows])
    n = int(compared.sum())
    if n < MIN_COMPARABLE:
        return BiasDrift(undefined_estimate(TOO_FEW.format(MIN_COMPARABLE), n))
    x, y = position[compared] / DRIFT_UNIT, grades.difference_from_others[rows[compared]]
    # Centered positions: the same slope, without loss of precision.
    x = x - x.mean()
    sums = grades.by_topic(rows[compared], np.ones(n), x, y, x * x, x * y)
    return BiasDrift(
        bootstrap_estimate(sums, slope_from_sums, draws, NO_SPREAD), _blocks(position[compared], y)
    )


def _blocks(position: Floats, difference_from_others: Floats) -> tuple[BiasBlock, ...]:
    parts = zip(
        np.array_split(position, BLOCKS),
        np.array_split(difference_from_others, BLOCKS),
        strict=True,
    )
    return tuple(
        BiasBlock(int(positions[0]), int(positions[-1]), float(values.mean()), len(values))
        for positions, values in parts
    )


BIAS = Card(
    name="bias",
    title="Bias",
    formula="mean of (grade − mean grade of the others) over the assessor's pairs that others "
    "judged too",
    reading="In grades: above 0 more lenient than the others, below 0 stricter.",
    source="Mean signed difference; interval by bootstrap over topics.",
    range="± (highest − lowest grade); 0 is no bias",
    edge_cases=(
        "The others are human assessors only.",
        "With two assessors, one has the other's bias with the opposite sign.",
    ),
    undefined="no other assessor judged any of the pairs.",
    example="grades 2, 1, 3; the others' means 1, 1.5, 2: (1 − 0.5 + 1) / 3 = 0.5.",
)

DRIFT = Card(
    name="drift",
    title="Drift",
    formula="least-squares slope of (grade − mean grade of the others) on the position of the "
    f"judgment among all of the assessor's, times {DRIFT_UNIT}; also the bias within each of "
    f"{BLOCKS} consecutive blocks of equal size",
    reading="By how many grades the assessor becomes more lenient (above 0) or stricter (below 0) "
    f"per {DRIFT_UNIT} judgments.",
    source="Least squares; interval by bootstrap over topics, since judgments of one topic are "
    "consecutive and dependent.",
    range="unbounded; 0 is no drift",
    edge_cases=(
        "A judgment has the position of its first revision and its current grade.",
        "Time and topic are confounded when judging topic by topic; only the interval shows it.",
    ),
    undefined=f"fewer than {MIN_COMPARABLE} comparable judgments, or their order is unknown "
    "(imports).",
    example="differences that rise evenly from 0 to 1 over 101 judgments: 1.0.",
)
