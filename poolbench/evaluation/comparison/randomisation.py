"""The randomization test: Fisher's, by flipping the signs of differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poolbench.evaluation.comparison.paired_tests import (
    TEN_QUERIES,
    PairedTest,
    PairExample,
    Tested,
    least_p_by_resampling,
    least_p_by_signs,
)
from poolbench.evaluation.comparison.paired_values import PARAMETERS
from poolbench.statistics.draws import (
    ROWS,
    Floats,
    ResamplingOptions,
    all_signs,
    iter_slices,
    random_signs,
)

EXACT = 14
"""Largest number of topics for which all assignments of signs are enumerated: 2^14 = 16,384."""

CLOSE = 1e-9
"""Relative tolerance, of the largest possible sum, within which sums are equal."""


def randomisation_test(differences: Floats, sampling: ResamplingOptions) -> Tested:
    """Proportion of assignments of signs with a mean difference at least as large, in either
    direction."""
    n = differences.shape[1]
    exact = n <= EXACT
    signs = all_signs(n) if exact else random_signs(n, sampling)
    reached = _reached(differences, signs)
    if exact:
        p_value, note = reached / 2.0**n, f"exact: all {2**n} assignments of signs"
    else:
        p_value = (reached + 1) / (sampling.resamples + 1)
        note = f"{sampling.resamples} random assignments of signs, seed {sampling.seed}"
    return differences.mean(axis=1), p_value, [note] * len(differences)


def _reached(differences: Floats, signs: Iterator[Floats]) -> Floats:
    """Number of assignments for which the absolute sum of each row is at least the observed one."""
    least = np.abs(differences.sum(axis=1)) - CLOSE * np.abs(differences).sum(axis=1)
    count = np.zeros(len(differences))
    for piece in signs:
        for rows in iter_slices(len(differences), ROWS):
            sums = np.abs(differences[rows] @ piece.T)
            count[rows] += (sums >= least[rows, None]).sum(axis=1)
    return count


def least_p_of_randomisation(n: int, sampling: ResamplingOptions) -> float:
    return least_p_by_signs(n, sampling) if n <= EXACT else least_p_by_resampling(n, sampling)


RANDOMISATION = PairedTest(
    name="randomisation",
    title="Randomization test",
    formula="p = share of the assignments of signs s with |mean(s·d)| ≥ |mean(d)|; all 2^n "
    f"of them for n ≤ {EXACT} topics, else (b + 1) / (m + 1), b of m random ones",
    reading="Probability of a mean difference at least as large if, for each topic, the "
    "values were assigned to the two runs at random.",
    source="Fisher 1935; Smucker, Allan and Carterette, CIKM 2007; (b + 1) / (m + 1) by "
    "Phipson and Smyth 2010.",
    parameters=PARAMETERS,
    range="statistic the mean difference, p 0 to 1",
    edge_cases=(
        (
            "Assumes only exchangeability: under the null hypothesis the two values of "
            "a topic could be swapped."
        ),
        (
            "With m random assignments p is never below 1 / (m + 1): correcting for "
            "more pairs than that needs a larger m."
        ),
        "The same seed gives the same p; swapping the runs changes nothing.",
        "All differences 0: statistic 0 and p 1.",
    ),
    undefined="fewer than two topics.",
    rows=randomisation_test,
    smallest=least_p_of_randomisation,
    examples=(
        PairExample(
            (3.0, 5.0, 6.0),
            (2.0, 3.0, 3.0),
            statistic=2.0,
            p_value=2 / 8,
            working="worked by hand: of 8 assignments only +++ and −−− reach an absolute sum of 6",
        ),
        PairExample(
            *TEN_QUERIES,
            statistic=21.4,
            p_value=48 / 1024,
            working="differences of Croft, Metzler & Strohman, table 8.6; 48 of 1,024 assignments",
        ),
    ),
)
