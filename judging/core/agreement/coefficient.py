"""What a coefficient of agreement is, and what comes of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.counts import (
    AgreementCounts,
    Floats,
    divide_or_default,
    weighted_sum,
    weighted_total,
)

Compute = Callable[[AgreementCounts], Floats]
Rows = tuple[tuple[int | None, ...], ...]

NO_OVERLAP = "no pair was judged by all of them"
NOTHING_PAIRED = "no pair was judged by two or more of them"


@dataclass(frozen=True)
class CoefficientValue:
    """One value over ``n`` pairs; ``value`` is None where undefined, and ``reason`` says why.

    ``prevalence`` is the share of the compared judgments that is relevant, ``topics`` in how
    many topics they are. ``low`` and ``high`` bound the 95 % bootstrap interval over topics;
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


@dataclass(frozen=True)
class AgreementCoefficient:
    """A coefficient as users choose it.

    ``compute`` maps counts to values (…), NaN where undefined: then ``flat`` says why, if
    there is something to compare at all. ``pairwise`` ones compare exactly two assessors.
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
        """(…): how many pairs the value is over."""
        return counts.sets[..., 0] if self.empty is NO_OVERLAP else counts.units

    def why(self, n: float) -> str:
        """The reason of an undefined value over ``n`` pairs."""
        return self.flat if n else self.empty


def observed_disagreement(counts: AgreementCounts, distance: Floats) -> Floats:
    """(…): mean ``distance`` (q, q) of two judgments of a pair, every pair counting once."""
    return divide_or_default(weighted_total(counts.matched, distance), counts.units)


def grade_proportions(counts: AgreementCounts) -> Floats:
    """(…, q): the mean share of each grade over all judged pairs; zeros where there are none."""
    return divide_or_default(counts.shares, weighted_sum(counts.shares)[..., None], 0.0)


def grade_differences(scale: tuple[int, ...]) -> Floats:
    """(q, q): how far grades are apart, by their own values."""
    grades = np.array(scale, np.float64)
    differences: Floats = np.abs(grades[:, None] - grades[None, :])
    return differences
