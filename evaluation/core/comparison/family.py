"""Tests of all pairs of runs at once, which need no correction afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.comparison.estimate import Floats, Places, ResamplingOptions

TOO_SMALL = "fewer than two runs, or fewer than two topics where all runs have a value"


@dataclass(frozen=True, eq=False)
class FamilyOutcome:
    """Every pair of runs in the order of ``pairs``, over the ``n`` topics that all runs have.

    Two runs are different at alpha when their means are further apart than ``critical``;
    difference ± ``critical`` are the simultaneous confidence intervals. Where undefined,
    ``statistic`` and ``p_value`` are NaN, ``critical`` is None and ``reason`` says why.
    """

    differences: Floats
    statistic: Floats
    p_value: Floats
    critical: float | None
    n: int
    note: str = ""
    reason: str | None = None


@dataclass(frozen=True)
class FamilyExample:
    """Values of runs × topics with the p values of all pairs to come out."""

    values: tuple[tuple[float, ...], ...]
    p_values: tuple[float, ...]
    working: str


@dataclass(frozen=True)
class FamilyTest:
    """A test as users choose it. ``whole`` takes runs × topics without NaN, and alpha."""

    card: Card
    whole: Callable[[Floats, float, ResamplingOptions], FamilyOutcome]
    examples: tuple[FamilyExample, ...] = ()

    @property
    def name(self) -> str:
        return self.card.name

    def of_runs(self, values: Floats, alpha: float, sampling: ResamplingOptions) -> FamilyOutcome:
        """Test all pairs of ``values``, runs × topics; topics with a NaN are left out."""
        complete = values[:, ~np.isnan(values).any(axis=0)]
        if min(complete.shape) < 2:
            return undefined_outcome(complete, TOO_SMALL)
        return self.whole(complete, alpha, sampling)


def run_pair_indices(runs: int) -> tuple[Places, Places]:
    """First and second run of each pair: (0, 1), (0, 2), …, (1, 2), …"""
    first, second = np.triu_indices(runs, 1)
    return first, second


def mean_differences(values: Floats) -> Floats:
    """Mean of the first run minus mean of the second, for each pair."""
    means = values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)
    first, second = run_pair_indices(len(values))
    apart: Floats = means[first] - means[second]
    return apart


def undefined_outcome(values: Floats, reason: str) -> FamilyOutcome:
    """No answer for any pair."""
    apart = mean_differences(values)
    blank = np.full(len(apart), np.nan)
    return FamilyOutcome(apart, blank, blank, None, values.shape[1], reason=reason)
