"""Randomized Tukey's HSD: the range of means under permuted run labels."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.comparison.family import (
    FamilyExample,
    FamilyOutcome,
    FamilyTest,
    mean_differences,
)
from poolbench.evaluation.comparison.paired_values import PARAMETERS
from poolbench.statistics.draws import Floats, ResamplingOptions, shuffled_columns

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
            ((5.0, 7.0, 6.0, 6.0), (4.0, 5.0, 5.0, 6.0), (1.0, 4.0, 3.0, 4.0)),
            (0.7499, 0.0084, 0.2334),
            "10,000 shuffles, seed 0; all 6^4 = 1,296 of them give 972, 12 and 312 / 1,296",
        ),
    ),
)
