"""Bias: how lenient or strict an assessor is against the others. Drift: how that changes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import DRAWS, Floats, Ints, divide_or_default
from poolbench.judging.quality.ordered_grades import OrderedGrades
from poolbench.statistics.bootstrap import percentile_estimates
from poolbench.statistics.draws import multinomial_counts
from poolbench.statistics.estimate import Estimate

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

    slope: Estimate
    blocks: tuple[BiasBlock, ...] = ()


def bias_by_assessor(grades: OrderedGrades) -> dict[str, Estimate]:
    """By assessor, the mean of the grade minus the mean grade of the others."""
    return {name: estimate_bias(grades, rows) for name, rows in grades.by_assessor()}


def estimate_bias(grades: OrderedGrades, rows: Ints) -> Estimate:
    rows = rows[~np.isnan(grades.difference_from_others[rows])]
    if not len(rows):
        return undefined_estimate(NO_OTHERS)
    sums = grades.by_topic(rows, np.ones(len(rows)), grades.difference_from_others[rows])
    return bootstrap_estimate(sums, mean_from_sums, NO_OTHERS)


def drift_by_assessor(grades: OrderedGrades) -> dict[str, BiasDrift]:
    """By assessor, the bias in consecutive blocks and its slope."""
    return {name: estimate_drift(grades, rows) for name, rows in grades.by_assessor()}


def estimate_drift(grades: OrderedGrades, rows: Ints) -> BiasDrift:
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
        bootstrap_estimate(sums, slope_from_sums, NO_SPREAD), _blocks(position[compared], y)
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


def undefined_estimate(reason: str, n: int = 0) -> Estimate:
    return Estimate(None, n, why=reason, topics=0, reason=reason)


def bootstrap_estimate(sums: Floats, compute: Callable[[Floats], Floats], flat: str) -> Estimate:
    """``compute`` maps sums (draws, parts) to values, NaN where undefined. ``sums`` are by topic
    (topics, parts), the number of judgments first; ``flat`` is the reason when undefined.
    """
    there = sums[sums[:, 0] > 0]
    n, topics = int(there[:, 0].sum()), len(there)
    (value,) = compute(there.sum(axis=0)[None]).tolist()
    if np.isnan(value):
        return undefined_estimate(flat, n)
    drawn = compute(multinomial_counts(topics, DRAWS) @ there)
    (over,) = percentile_estimates([value], drawn[None], np.array([topics]))
    return replace(over, n=n, topics=topics)


def mean_from_sums(sums: Floats) -> Floats:
    """The mean, from sums (…, 2) of n and Σ y."""
    return divide_or_default(sums[..., 1], sums[..., 0])


def slope_from_sums(sums: Floats) -> Floats:
    """The least-squares slope, from sums (…, 5) of n, Σ x, Σ y, Σ x² and Σ xy."""
    n, x, y, xx, xy = np.moveaxis(sums, -1, 0)
    spread = n * xx - x * x
    # Rounding moves a spread of 0 slightly above or below 0.
    spread = np.where(spread > 1e-9 * np.maximum(n * xx, 1), spread, 0.0)
    return divide_or_default(n * xy - x * y, spread)


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
