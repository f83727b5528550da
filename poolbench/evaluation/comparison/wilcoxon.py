"""Wilcoxon's signed-rank test."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poolbench.evaluation.comparison.paired_tests import (
    TEN_QUERIES,
    PairedTest,
    PairExample,
    Tested,
    least_p_by_signs,
)
from poolbench.evaluation.comparison.paired_values import TIE
from poolbench.statistics.draws import Floats, ResamplingOptions

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
