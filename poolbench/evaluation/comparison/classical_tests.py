"""The paired t test, Wilcoxon's signed-rank test and the sign test."""

from functools import lru_cache

import numpy as np

from poolbench.evaluation.batch import defined_ratio
from poolbench.evaluation.comparison.paired_tests import (
    TEN_QUERIES,
    PairedTest,
    PairExample,
    Tested,
    least_p_by_signs,
)
from poolbench.evaluation.comparison.paired_values import TIE, is_constant_row
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.proportions import sign_test_probability


def paired_t_test(differences: Floats, sampling: ResamplingOptions) -> Tested:  # noqa: ARG001
    """Mean over its standard error against Student's t with n − 1 degrees of freedom."""
    from scipy.special import stdtr

    df, statistic = differences.shape[1] - 1, compute_t_statistic(differences)
    return statistic, 2 * stdtr(df, -np.abs(statistic)), [f"t with {df} df"] * len(differences)


def compute_t_statistic(differences: Floats) -> Floats:
    """Mean over standard error of each row; NaN where all values are equal."""
    return defined_ratio(differences.mean(axis=1), standard_error(differences))


def standard_error(rows: Floats) -> Floats:
    """s / √n of each row; exactly 0 where all values are equal."""
    spread = rows.std(axis=1, ddof=1) / np.sqrt(rows.shape[1])
    error: Floats = np.where(is_constant_row(rows), 0.0, spread)
    return error


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
    smallest=lambda _n, _sampling: 0.0,
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


EXACT = 50
"""Largest number of differences for which p is computed exactly."""


def wilcoxon_test(differences: Floats, sampling: ResamplingOptions) -> Tested:  # noqa: ARG001
    """Row by row: zeros are left out, tied differences share their mean rank."""
    statistic, p_value = np.empty(len(differences)), np.empty(len(differences))
    notes = []
    for row, row_differences in enumerate(differences):
        moved = row_differences[row_differences != 0]
        statistic[row], p_value[row], how = signed_ranks(moved)
        zeros = len(row_differences) - len(moved)
        notes.append(f"{how}; zero differences left out: {zeros}" if zeros else how)
    return statistic, p_value, notes


def signed_ranks(moved: Floats) -> tuple[float, float, str]:
    """Sum of signed ranks, two-sided p and its method; ``moved`` has no zero."""
    n = len(moved)
    ranks, sizes = mid_ranks(np.abs(moved))
    above = float(ranks[moved > 0].sum())
    total = n * (n + 1) / 2
    if n <= EXACT and len(sizes) == n:
        tail = exact_signed_rank_counts(n)[: int(min(above, total - above)) + 1].sum()
        return 2 * above - total, min(1.0, 2 * float(tail) / 2.0**n), "exact"
    return 2 * above - total, _normal(above - total / 2, n, sizes), "normal, corrected for ties"


def _normal(differences: float, n: int, sizes: Floats) -> float:
    from scipy.special import ndtr

    variance = n * (n + 1) * (2 * n + 1) / 24 - float((sizes**3 - sizes).sum()) / 48
    return float(2 * ndtr(-abs(differences) / np.sqrt(variance)))


def mid_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Rank of each value from 1, ties sharing their mean rank; and the size of each tie.

    0.3 − 0.1 and 0.2 − 0 are tied, although they differ in floating point.
    """
    scale = TIE * float(np.abs(values).max()) or 1.0
    _, groups, sizes = np.unique(np.round(values / scale), return_inverse=True, return_counts=True)
    ranks = np.cumsum(sizes) - (sizes - 1) / 2
    return ranks[groups], sizes.astype(np.float64)


@lru_cache(maxsize=EXACT)
def exact_signed_rank_counts(n: int) -> Floats:
    """Number of the 2^n assignments of signs for which the positive ranks sum to 0, 1, 2, …"""
    counts = np.zeros(n * (n + 1) // 2 + 1)
    counts[0] = 1
    for rank in range(1, n + 1):
        counts[rank:] += counts[:-rank].copy()
    return counts


WILCOXON = PairedTest(
    name="wilcoxon",
    title="Wilcoxon signed-rank test",
    formula="w = Σ sign(d) · rank(|d|) over the differences that are not 0; p from all 2^n "
    f"assignments of signs for n ≤ {EXACT} without ties, else from the normal distribution "
    "with variance n(n+1)(2n+1)/6 − Σ(t³ − t)/12, t the sizes of ties",
    reading="Whether the larger differences, by rank, favor one run.",
    source="Wilcoxon 1945 (zeros left out, unlike Pratt's method); no continuity correction.",
    range="statistic −n(n+1)/2 to n(n+1)/2, p 0 to 1",
    edge_cases=(
        (
            "Assumes that the differences are symmetric about their median; "
            "otherwise it can report a difference of means where there is none, more "
            "often with more topics (Ihemelandu and Ekstrand, SIGIR 2023)."
        ),
        "Tied differences share their mean rank.",
        "All differences 0: statistic 0 and p 1.",
    ),
    undefined="fewer than two topics.",
    rows=wilcoxon_test,
    smallest=least_p_by_signs,
    examples=(
        PairExample(
            *TEN_QUERIES,
            statistic=35.0,
            p_value=0.038,
            working="Croft, Metzler & Strohman, section 8.6.1: w = 35; p worked by hand: "
            "35 / √284.5 = 2.075 standard deviations",
        ),
        PairExample(
            (3.0, 5.0, 6.0, 9.0, 7.0),
            (2.0, 3.0, 3.0, 5.0, 12.0),
            statistic=5.0,
            p_value=0.625,
            working="worked by hand: ranks 1 2 3 4 and −5; in 10 of 32 assignments the negative "
            "ranks sum to 5 or less",
        ),
    ),
)


def sign_test(differences: Floats, sampling: ResamplingOptions) -> Tested:  # noqa: ARG001
    """The number of wins among the topics that differ, under the binomial distribution with
    probability ½."""
    wins = (differences > 0).sum(axis=1)
    moved = (differences != 0).sum(axis=1)
    zeros = (differences.shape[1] - moved).tolist()
    notes = [f"exact; zero differences left out: {left}" if left else "exact" for left in zeros]
    return wins.astype(np.float64), sign_test_probability(wins, moved), notes


SIGN = PairedTest(
    name="sign",
    title="Sign test",
    formula="S = number of topics with d > 0; p = min(1, 2 · P(B ≤ min(S, n − S))), B "
    "binomial with n topics where d ≠ 0 and probability ½",
    reading="Whether one run wins on more topics than expected by chance.",
    source="Arbuthnott 1710; van Rijsbergen, Information Retrieval, chapter 7.",
    range="statistic 0 to n, p 0 to 1",
    edge_cases=(
        "Ignores the size of the differences, and thus their mean.",
        "Zero differences are left out.",
        "All differences 0: statistic 0 and p 1.",
    ),
    undefined="fewer than two topics.",
    rows=sign_test,
    smallest=least_p_by_signs,
    examples=(
        PairExample(
            *TEN_QUERIES,
            statistic=7.0,
            p_value=92 / 512,
            working="worked by hand: 7 wins, 2 losses, 1 tie left out; 2 · (1 + 9 + 36) / 512. "
            "(Croft, Metzler & Strohman count the tie as a loss: one-sided p = 0.17)",
        ),
    ),
)
