"""The paired t test."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.comparison.paired_tests import (
    TEN_QUERIES,
    PairedTest,
    PairExample,
    Tested,
)
from poolbench.evaluation.comparison.paired_values import is_constant_row
from poolbench.statistics.draws import Floats, ResamplingOptions


def paired_t_test(differences: Floats, sampling: ResamplingOptions) -> Tested:  # noqa: ARG001
    """Mean over its standard error against Student's t with n − 1 degrees of freedom."""
    from scipy.special import stdtr

    n = differences.shape[1]
    error = standard_error(differences)
    statistic = np.full(len(differences), np.nan)
    np.divide(differences.mean(axis=1), error, out=statistic, where=error > 0)
    return (
        statistic,
        2 * stdtr(n - 1, -np.abs(statistic)),
        [f"t with {n - 1} df"] * len(differences),
    )


def standard_error(rows: Floats) -> Floats:
    """s / √n of each row; exactly 0 where all values are equal."""
    spread = rows.std(axis=1, ddof=1) / np.sqrt(rows.shape[1])
    error: Floats = np.where(is_constant_row(rows), 0.0, spread)
    return error


def least_p_of_t_test(n: int, sampling: ResamplingOptions) -> float:  # noqa: ARG001
    return 0.0


T = PairedTest(
    name="t",
    title="Paired t test",
    formula="t = mean(d) / (s / √n), d the differences by topic, s their standard "
    "deviation with n − 1; p = 2 · P(T ≥ |t|), T Student's t with n − 1 degrees of freedom",
    reading="The mean difference in units of its standard error.",
    source="Student 1908; recommended for IR by Urbano, Lima and Hanjalic, SIGIR 2019.",
    range="statistic any number, p 0 to 1",
    edge_cases=(
        (
            "Assumes that the mean difference over this many topics is "
            "approximately normal; the individual differences need not be."
        ),
        "All differences 0: statistic 0 and p 1.",
    ),
    undefined="fewer than two topics; all topics have the same non-zero difference.",
    rows=paired_t_test,
    smallest=least_p_of_t_test,
    examples=(
        PairExample(
            *TEN_QUERIES,
            statistic=2.33,
            p_value=0.045,
            working="Croft, Metzler & Strohman, Search Engines, section 8.6.1: t = 2.33, one-sided "
            "p = 0.02",
        ),
    ),
)
