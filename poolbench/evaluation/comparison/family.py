"""Tests of all run pairs at once, which need no correction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.comparison.paired_tests import PairedOutcome
from poolbench.evaluation.comparison.paired_values import Places
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.estimate import nan_to_none

TOO_SMALL = "fewer than two runs, or fewer than two topics with values for all runs"


@dataclass(frozen=True, eq=False)
class FamilyOutcome:
    """All run pairs in the order of ``run_pair_indices``, over the ``n`` topics with values for
    all runs.

    Two runs differ significantly at alpha if their means differ by more than ``critical``;
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

    def list_pairs(self, test: str) -> tuple[list[PairedOutcome], float | None]:
        """The outcome of each pair, and the critical difference."""
        numbers = zip(map(nan_to_none, self.statistic), map(nan_to_none, self.p_value), strict=True)
        tested = [PairedOutcome(test, *each, self.n, self.note, self.reason) for each in numbers]
        return tested, self.critical


@dataclass(frozen=True)
class FamilyExample:
    """Values of runs × topics and the expected p values of all pairs."""

    values: tuple[tuple[float, ...], ...]
    p_values: tuple[float, ...]
    working: str


@dataclass(frozen=True, kw_only=True)
class FamilyTest(Card):
    """A selectable test. ``whole`` takes runs × topics without NaN, and alpha."""

    whole: Callable[[Floats, float, ResamplingOptions], FamilyOutcome]
    examples: tuple[FamilyExample, ...] = ()

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
    differences: Floats = means[first] - means[second]
    return differences


def undefined_outcome(values: Floats, reason: str) -> FamilyOutcome:
    """An undefined outcome for all pairs."""
    differences = mean_differences(values)
    blank = np.full(len(differences), np.nan)
    return FamilyOutcome(differences, blank, blank, None, values.shape[1], reason=reason)
