"""Tests by resampling: Fisher's randomization test, which flips the signs of differences, and the
shifted, studentized bootstrap test.
"""

from collections.abc import Iterator

import numpy as np

from poolbench.evaluation.comparison.classical_tests import compute_t_statistic
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
    resample_counts,
)

EXACT = 14
"""Largest number of topics for which all assignments of signs are enumerated: 2^14 = 16,384."""

CLOSE = 1e-9
"""Relative tolerance within which a resample reaches the observed value, a sum or t."""


def randomisation_test(differences: Floats, sampling: ResamplingOptions) -> Tested:
    """Proportion of assignments of signs with a mean difference at least as large, in either
    direction."""
    n = differences.shape[1]
    exact = n <= EXACT
    signs = all_signs(n) if exact else random_signs(n, sampling)
    reached = _count_sums(differences, signs)
    if exact:
        p_value, note = reached / 2.0**n, f"exact: all {2**n} assignments of signs"
    else:
        p_value = (reached + 1) / (sampling.resamples + 1)
        note = f"{sampling.resamples} random assignments of signs, seed {sampling.seed}"
    return differences.mean(axis=1), p_value, [note] * len(differences)


def _count_sums(differences: Floats, signs: Iterator[Floats]) -> Floats:
    """Number of assignments for which the absolute sum of each row is at least the observed one."""
    least = np.abs(differences.sum(axis=1)) - CLOSE * np.abs(differences).sum(axis=1)
    count = np.zeros(len(differences))
    for piece in signs:
        for rows in iter_slices(len(differences), ROWS):
            sums = np.abs(differences[rows] @ piece.T)
            count[rows] += (sums >= least[rows, None]).sum(axis=1)
    return count


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
    smallest=lambda n, sampling: (least_p_by_signs if n <= EXACT else least_p_by_resampling)(
        n, sampling
    ),
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


def shift_bootstrap_test(differences: Floats, sampling: ResamplingOptions) -> Tested:
    """Proportion of resamples of the shifted differences with |t| at least as large as observed."""
    statistic = compute_t_statistic(differences)
    reached = _count_resamples(differences, np.square(statistic) * (1 - CLOSE), sampling)
    p_value = np.where(np.isnan(statistic), np.nan, (reached + 1) / (sampling.resamples + 1))
    note = f"{sampling.resamples} resamples of topics, seed {sampling.seed}"
    return statistic, p_value, [note] * len(differences)


def _count_resamples(differences: Floats, least: Floats, sampling: ResamplingOptions) -> Floats:
    """Number of resamples of each row, shifted to mean 0, with t² of at least ``least``."""
    n = differences.shape[1]
    shifted = differences - differences.mean(axis=1, keepdims=True)
    shifted /= np.maximum(np.abs(shifted).max(axis=1, keepdims=True), np.finfo(float).tiny)
    count = np.zeros(len(differences))
    for drawn in resample_counts(n, sampling):
        for rows in iter_slices(len(differences), ROWS):
            mean = shifted[rows] @ drawn.T / n
            power = n * np.square(mean)
            spread = np.maximum(np.square(shifted[rows]) @ drawn.T - power, 0.0) / (n - 1)
            # A resample of equal values has t = ±∞, and undefined t if all of them are 0.
            far = (power >= least[rows, None] * spread) & (power > CLOSE**2)
            count[rows] += far.sum(axis=1)
    return count


BOOTSTRAP = PairedTest(
    name="bootstrap",
    title="Shifted, studentized bootstrap test",
    formula="t = mean(d) / (s / √n); p = (b + 1) / (m + 1), b of m resamples of "
    "d − mean(d) over topics having |t*| ≥ |t|",
    reading="Probability of a t at least as large if the topics were sampled from a "
    "population with mean difference 0.",
    source="Efron and Tibshirani 1993, chapter 16; Sakai, SIGIR 2006, who uses b / m.",
    parameters=PARAMETERS,
    range="statistic any number, p 0 to 1",
    edge_cases=(
        (
            "Assumes that the topics are a random sample from the population of "
            "interest; differences may have any distribution."
        ),
        (
            "p is never below 1 / (m + 1). With few topics a resample often contains a single "
            "topic only, whose t is infinite: p is then far above 0."
        ),
        "The same seed gives the same p; swapping the runs changes nothing.",
        "All differences 0: statistic 0 and p 1.",
    ),
    undefined="fewer than two topics; all topics have the same non-zero difference.",
    rows=shift_bootstrap_test,
    smallest=least_p_by_resampling,
    examples=(
        PairExample(
            *TEN_QUERIES,
            statistic=2.33,
            p_value=0.051,
            working="differences as in Croft, Metzler & Strohman, table 8.6: t = 2.33; p with "
            "10,000 resamples and seed 0",
        ),
    ),
)
