"""Tests of all run pairs at once, which need no correction: Tukey's HSD with topics as blocks, and
the range of means under permuted run labels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.comparison.paired_tests import PairedOutcome
from poolbench.evaluation.comparison.paired_values import NOISE, PARAMETERS, Places
from poolbench.evaluation.comparison.studentized_range import (
    studentized_range_isf,
    studentized_range_sf,
)
from poolbench.statistics.draws import Floats, ResamplingOptions, shuffled_columns
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

    def list_pairs(self) -> tuple[list[PairedOutcome], float | None]:
        """The outcome of each pair, and the critical difference."""
        numbers = zip(map(nan_to_none, self.statistic), map(nan_to_none, self.p_value), strict=True)
        tested = [PairedOutcome(*each, self.n, self.note, self.reason) for each in numbers]
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
    differences = mean_differences(values)
    blank = np.full(len(differences), np.nan)
    return FamilyOutcome(differences, blank, blank, None, values.shape[1], reason=reason)


NO_RESIDUAL = "the runs differ by the same amount on all topics, so the residual variance is 0"


def residual_variance(values: Floats) -> float:
    """MSE of the two-way analysis of variance without replication; ``values`` is runs × topics.

    The residual sum of squares over (runs − 1)(topics − 1) degrees of freedom.
    """
    runs, topics = values.shape
    explained = values.mean(axis=1, keepdims=True) + values.mean(axis=0) - values.mean()
    squares = float(np.square(values - explained).sum())
    return squares / float((runs - 1) * (topics - 1))


def tukey_hsd_test(values: Floats, alpha: float, sampling: ResamplingOptions) -> FamilyOutcome:  # noqa: ARG001
    """Differences of means in standard errors under the studentized range distribution."""
    runs, topics = values.shape
    variance = residual_variance(values)
    if np.sqrt(variance) <= NOISE * np.abs(values).max():
        return undefined_outcome(values, NO_RESIDUAL)
    df = float((runs - 1) * (topics - 1))
    differences, error = mean_differences(values), np.sqrt(variance / topics)
    statistic = np.abs(differences) / error
    return FamilyOutcome(
        differences,
        statistic,
        studentized_range_sf(statistic, runs, df),
        studentized_range_isf(alpha, runs, df) * float(error),
        topics,
        note=f"studentized range of {runs} means, {df:.0f} df, MSE {variance:.6g}",
    )


_THREE_RUNS = (5.0, 7.0, 6.0, 6.0), (4.0, 5.0, 5.0, 6.0), (1.0, 4.0, 3.0, 4.0)
TUKEY = FamilyTest(
    name="tukey-hsd",
    title="Tukey's HSD, blocked by topic",
    formula="q = |mean_i − mean_j| / √(MSE / n), MSE the residual mean square of the two-way "
    "analysis of variance of m runs × n topics without replication; p = P(Q > q), Q the "
    "studentized range of m means with (m − 1)(n − 1) degrees of freedom",
    reading="All run pairs at once: controls the family-wise error rate at α.",
    source="Tukey 1953; Carterette, TOIS 2012.",
    range="statistic 0 or more, p 0 to 1",
    edge_cases=(
        (
            "Assumes normal residuals with equal variance for all runs and topics, "
            "which holds only approximately for effectiveness measures."
        ),
        "Topics on which any run is undefined are left out.",
        "For two runs it equals the paired t test: q = √2·|t|.",
        (
            "Tukey's HSD in common statistics packages is one-way: it ignores that "
            "the runs share topics, and has much less power."
        ),
    ),
    undefined="fewer than two runs or topics; the runs differ by the same amount on all topics.",
    whole=tukey_hsd_test,
    examples=(
        FamilyExample(
            _THREE_RUNS,
            (0.1089, 0.0008, 0.0065),
            "q worked by hand: means 6, 5, 3; residual sum of squares 2 with 6 df, MSE 1/3; "
            "q = 1, 3 and 2 over √(1/12)",
        ),
    ),
)


CLOSE = 1e-9
"""Relative tolerance, of the largest value, within which differences are equal."""


def shuffled_ranges(values: Floats, sampling: ResamplingOptions) -> Floats:
    """Largest minus smallest mean in each permutation, ascending.

    Each permutation reassigns the values of every topic to the runs.
    """
    batches = shuffled_columns(values, sampling)
    return np.sort(np.concatenate([np.ptp(dealt.mean(axis=1), axis=1) for dealt in batches]))


def randomised_tukey_test(
    values: Floats, alpha: float, sampling: ResamplingOptions
) -> FamilyOutcome:
    """Proportion of permutations whose range of means reaches the difference of each pair."""
    ranges = shuffled_ranges(values, sampling)
    differences = mean_differences(values)
    close = CLOSE * float(np.abs(values).max())
    reached = len(ranges) - np.searchsorted(ranges, np.abs(differences) - close)
    return FamilyOutcome(
        differences,
        np.abs(differences),
        (reached + 1) / (len(ranges) + 1),
        critical_range(ranges, alpha),
        values.shape[1],
        note=f"{sampling.resamples} shuffles within topics, seed {sampling.seed}",
    )


def critical_range(ranges: Floats, alpha: float) -> float | None:
    """The range above which (b + 1) / (m + 1) ≤ alpha; None if there is none."""
    allowed = int(np.floor(alpha * (len(ranges) + 1) + 1e-9)) - 1
    return float(ranges[len(ranges) - allowed - 1]) if allowed >= 0 else None


RANDOMISED_TUKEY = FamilyTest(
    name="randomised-tukey-hsd",
    title="Randomized Tukey HSD",
    formula="p = (b + 1) / (m + 1), b of m shuffles of each topic's values among the runs "
    "having max mean − min mean ≥ |mean_i − mean_j|",
    reading="Probability that, by chance alone, any two of the runs differ at least as much "
    "as these two.",
    source="Carterette, TOIS 2012, algorithm 1; Sakai 2018, Laboratory Experiments in IR.",
    parameters=PARAMETERS,
    range="statistic the absolute difference of means, p 0 to 1",
    edge_cases=(
        (
            "Assumes only exchangeability: under the null hypothesis the values of "
            "a topic could be assigned to the runs in any order."
        ),
        "Topics on which any run is undefined are left out.",
        "Depends on the set of runs: one very poor run makes every difference harder to detect.",
        "p is never below 1 / (m + 1). The same seed gives the same p.",
    ),
    undefined="fewer than two runs or topics.",
    whole=randomised_tukey_test,
    examples=(
        FamilyExample(
            _THREE_RUNS,
            (0.7499, 0.0084, 0.2334),
            "10,000 shuffles, seed 0; all 6^4 = 1,296 of them give 972, 12 and 312 / 1,296",
        ),
    ),
)
