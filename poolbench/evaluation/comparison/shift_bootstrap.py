"""The shifted, studentized bootstrap hypothesis test."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.comparison.paired_tests import (
    TEN_QUERIES,
    PairedTest,
    PairExample,
    Tested,
    least_p_by_resampling,
)
from poolbench.evaluation.comparison.paired_values import PARAMETERS
from poolbench.evaluation.comparison.student import standard_error
from poolbench.statistics.draws import ROWS, Floats, ResamplingOptions, iter_slices, resample_counts

CLOSE = 1e-9
"""Relative tolerance below the observed t within which a resample reaches it."""


def shift_bootstrap_test(differences: Floats, sampling: ResamplingOptions) -> Tested:
    """Proportion of resamples of the shifted differences with |t| at least as large as observed."""
    error = standard_error(differences)
    statistic = np.full(len(differences), np.nan)
    np.divide(differences.mean(axis=1), error, out=statistic, where=error > 0)
    reached = _reached(differences, np.square(statistic) * (1 - CLOSE), sampling)
    p_value = np.where(error > 0, (reached + 1) / (sampling.resamples + 1), np.nan)
    note = f"{sampling.resamples} resamples of topics, seed {sampling.seed}"
    return statistic, p_value, [note] * len(differences)


def _reached(differences: Floats, least: Floats, sampling: ResamplingOptions) -> Floats:
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
