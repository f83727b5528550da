"""Tukey's HSD over all run pairs, with topics as blocks."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.comparison.family import (
    FamilyExample,
    FamilyOutcome,
    FamilyTest,
    mean_differences,
    undefined_outcome,
)
from poolbench.evaluation.comparison.paired_values import NOISE
from poolbench.evaluation.comparison.studentized_range import (
    studentized_range_isf,
    studentized_range_sf,
)
from poolbench.statistics.draws import Floats, ResamplingOptions

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
            ((5.0, 7.0, 6.0, 6.0), (4.0, 5.0, 5.0, 6.0), (1.0, 4.0, 3.0, 4.0)),
            (0.1089, 0.0008, 0.0065),
            "q worked by hand: means 6, 5, 3; residual sum of squares 2 with 6 df, MSE 1/3; "
            "q = 1, 3 and 2 over √(1/12)",
        ),
    ),
)
