"""Is an assessor stricter or more lenient than the others, and does that change with time?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.counts import Floats, Ints
from judging.core.agreement.resampling import ResampleDraws
from judging.core.quality.estimate import (
    QualityEstimate,
    bootstrap_estimate,
    mean_from_sums,
    slope_from_sums,
    undefined_estimate,
)
from judging.core.quality.ordered_grades import OrderedGrades

ALONE = "nobody else judged any of the pairs"
NO_ORDER = "the order in which the grades were given is not known"
TOO_FEW = "fewer than {} of the judgments can be compared with others'"
NO_SPREAD = "the judgments that can be compared all stand at one place in the order"
FEWEST = 20
BLOCKS = 5
PER = 100
"""Drift is told in grades per so many judgments."""


@dataclass(frozen=True)
class BiasBlock:
    """Successive judgments of one assessor, from the ``first`` to the ``last`` of all of them:
    the bias within them, over the ``n`` that can be compared.
    """

    first: int
    last: int
    value: float
    n: int


@dataclass(frozen=True)
class BiasDrift:
    """``slope``: how many grades the bias changes in a hundred judgments."""

    slope: QualityEstimate
    blocks: tuple[BiasBlock, ...] = ()


def bias_by_assessor(grades: OrderedGrades, draws: ResampleDraws) -> dict[str, QualityEstimate]:
    """By assessor the mean of grade less the mean grade of the others."""
    return {
        name: estimate_bias(grades, np.flatnonzero(grades.assessor == at), draws)
        for at, name in enumerate(grades.assessors)
    }


def estimate_bias(grades: OrderedGrades, rows: Ints, draws: ResampleDraws) -> QualityEstimate:
    rows = rows[~np.isnan(grades.apart[rows])]
    if not len(rows):
        return undefined_estimate(ALONE)
    sums = grades.by_topic(rows, np.ones(len(rows)), grades.apart[rows])
    return bootstrap_estimate(sums, mean_from_sums, draws, ALONE)


def drift_by_assessor(grades: OrderedGrades, draws: ResampleDraws) -> dict[str, BiasDrift]:
    """By assessor the bias in successive blocks, and its slope."""
    return {
        name: estimate_drift(grades, np.flatnonzero(grades.assessor == at), draws)
        for at, name in enumerate(grades.assessors)
    }


def estimate_drift(grades: OrderedGrades, rows: Ints, draws: ResampleDraws) -> BiasDrift:
    """Of one assessor, whose judgments are ``rows``."""
    rows = rows[grades.ordered[rows]]
    if not len(rows):
        return BiasDrift(undefined_estimate(NO_ORDER))
    place = np.arange(1.0, len(rows) + 1)
    compared = ~np.isnan(grades.apart[rows])
    n = int(compared.sum())
    if n < FEWEST:
        return BiasDrift(undefined_estimate(TOO_FEW.format(FEWEST), n))
    x, y = place[compared] / PER, grades.apart[rows[compared]]
    # Sums of centred places: the slope is the same and loses no digits.
    x = x - x.mean()
    sums = grades.by_topic(rows[compared], np.ones(n), x, y, x * x, x * y)
    return BiasDrift(
        bootstrap_estimate(sums, slope_from_sums, draws, NO_SPREAD), _blocks(place[compared], y)
    )


def _blocks(place: Floats, apart: Floats) -> tuple[BiasBlock, ...]:
    parts = zip(np.array_split(place, BLOCKS), np.array_split(apart, BLOCKS), strict=True)
    return tuple(
        BiasBlock(int(places[0]), int(places[-1]), float(values.mean()), len(values))
        for places, values in parts
    )


BIAS = Card(
    name="bias",
    title="Bias",
    formula="mean over the assessor's pairs that others judged too of (grade − mean grade of the "
    "others)",
    reading="Above 0 the assessor is more lenient than the others, below 0 stricter, in grades.",
    source="Mean signed difference; interval by bootstrap over topics.",
    range="the width of the scale, either way; 0 is none",
    edge_cases=(
        "The others are people; automatic assessors are never among them.",
        "With two assessors the bias of the one is that of the other with the sign turned.",
    ),
    undefined="nobody else judged any of the pairs.",
    example="grades 2, 1, 3 where the others' means are 1, 1.5, 2: (1 − 0.5 + 1) / 3 = 0.5.",
)

DRIFT = Card(
    name="drift",
    title="Drift",
    formula="least-squares slope of (grade − mean grade of the others) on the place of the "
    f"judgment among all of the assessor's, times {PER}; and the bias within each of {BLOCKS} "
    "successive blocks of equally many judgments",
    reading="By how many grades the assessor becomes more lenient (above 0) or stricter (below 0) "
    f"in {PER} judgments.",
    source="Least squares; interval by bootstrap over topics, since judgments of a topic follow "
    "each other and hang together.",
    range="unbounded; 0 is none",
    edge_cases=(
        "A judgment stands where it was first given, with the grade that is current.",
        "Who judges topic by topic moves through topics too: the interval knows, blocks do not.",
    ),
    undefined=f"fewer than {FEWEST} judgments can be compared, or their order is not known, as of "
    "imported ones.",
    example="differences that rise evenly from 0 to 1 over 101 judgments: 1.0.",
)
