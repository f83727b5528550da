"""The sign test."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.comparison.paired_tests import (
    TEN_QUERIES,
    PairedTest,
    PairExample,
    Tested,
    least_p_by_signs,
)
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.proportions import sign_test_probability


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
