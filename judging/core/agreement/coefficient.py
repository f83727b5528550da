"""Agreement coefficients and their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from campaigns.core.cards import Card
from common.statistics.draws import ResamplingOptions
from common.statistics.estimate import is_hint
from common.statistics.least_topics import TOO_FEW_TOPICS
from judging.core.agreement.counts import (
    AgreementCounts,
    Floats,
    divide_or_default,
    weighted_sum,
    weighted_total,
)

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
class CoefficientValue:
    """One value over ``n`` pairs; ``value`` is None where undefined, and ``reason`` says why.

    ``prevalence`` is the share of the compared judgments that are relevant, ``topics`` the
    number of their topics. ``low`` and ``high`` bound the 95 % bootstrap interval over topics;
    where they are None, ``no_interval`` says why.
    """

    value: float | None
    n: int
    reason: str | None = None
    prevalence: float | None = None
    topics: int = 0
    low: float | None = None
    high: float | None = None
    no_interval: str | None = None

    @property
    def is_hint(self) -> bool:
        return is_hint(self.topics, self.low)

    @property
    def lacks_topics(self) -> bool:
        return self.no_interval == TOO_FEW_TOPICS


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
