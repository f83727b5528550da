"""Confidence intervals of a mean over topics."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.comparison.classical_tests import standard_error
from poolbench.evaluation.comparison.paired_values import (
    PARAMETERS,
    TIE,
    group_rows_by_topics,
    is_constant_row,
)
from poolbench.statistics.bootstrap import bootstrap_values, central_shares, quantiles_by_row
from poolbench.statistics.draws import ROWS, Floats, ResamplingOptions, iter_slices, resample_counts
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import FIRM_TOPICS, TOO_FEW_TOPICS, has_enough_topics

NO_INTERVAL = f"{TOO_FEW_TOPICS} have a value"

Bounds = tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class IntervalMethod(Card):
    """A selectable interval method. ``bounds`` takes rows × topics, without NaN."""

    bounds: Callable[[Floats, float, ResamplingOptions], Bounds]
    expected: tuple[float, float]
    working: str

    def of_columns(
        self, values: Floats, confidence: float = 0.95, sampling: ResamplingOptions | None = None
    ) -> list[Estimate]:
        """One interval for each column of ``values``, topics × measures; NaN is left out.

        All columns use the same resamples. Raises ``ValueError`` for a confidence not between 0
        and 1.
        """
        if not 0 < confidence < 1:
            raise ValueError("the confidence must be between 0 and 1")
        rows = np.ascontiguousarray(values.T)
        answer = [Estimate(None, 0, level=confidence, why=NO_INTERVAL)] * len(rows)
        for places, topics in group_rows_by_topics(~np.isnan(rows)):
            intervals = self._compute_rows(
                rows[np.ix_(places, topics)], confidence, sampling or ResamplingOptions()
            )
            for place, interval in zip(places.tolist(), intervals, strict=True):
                answer[place] = interval
        return answer

    def of_mean(
        self, values: Floats, confidence: float = 0.95, sampling: ResamplingOptions | None = None
    ) -> Estimate:
        """The interval of the mean of one array of values by topic."""
        return self.of_columns(values[:, None], confidence, sampling)[0]

    def _compute_rows(
        self, rows: Floats, confidence: float, sampling: ResamplingOptions
    ) -> list[Estimate]:
        n = rows.shape[1]
        means = rows.mean(axis=1).tolist() if n else [None] * len(rows)
        if not has_enough_topics(n):
            return [Estimate(mean, n, level=confidence, why=NO_INTERVAL) for mean in means]
        low, high = self.bounds(rows, confidence, sampling)
        bounds = zip(means, low.tolist(), high.tolist(), strict=True)
        return [Estimate(mean, n, below, above, confidence) for mean, below, above in bounds]


def student_bounds(rows: Floats, confidence: float, sampling: ResamplingOptions) -> Bounds:  # noqa: ARG001
    """Mean ± t · standard error."""
    from scipy.special import stdtrit

    half = stdtrit(rows.shape[1] - 1, (1 + confidence) / 2) * standard_error(rows)
    means = rows.mean(axis=1)
    return means - half, means + half


def percentile_bounds(rows: Floats, confidence: float, sampling: ResamplingOptions) -> Bounds:
    """The central interval of the resampled means with coverage ``confidence``."""
    ends = [
        quantiles_by_row(resampled_means(rows[part], sampling), central_shares(confidence))
        for part in iter_slices(len(rows), ROWS)
    ]
    low, high = np.concatenate(ends).T
    return low, high


def bca_bounds(rows: Floats, confidence: float, sampling: ResamplingOptions) -> Bounds:
    """Quantiles of the resampled means, corrected for bias and skewness."""
    ends = []
    for part in iter_slices(len(rows), ROWS):
        resampled = resampled_means(rows[part], sampling)
        shares = _bca_shares(rows[part], resampled, confidence)
        ends.append(quantiles_by_row(resampled, np.stack(shares, axis=-1)))
    low, high = np.concatenate(ends).T
    return low, high


def _bca_shares(rows: Floats, resampled: Floats, confidence: float) -> Bounds:
    """The quantiles that bound the interval; the plain ones if all values are equal."""
    from scipy.special import ndtr, ndtri

    means = rows.mean(axis=1, keepdims=True)
    differences = resampled - means
    differences[np.abs(differences) <= TIE * np.abs(differences).max(axis=1, keepdims=True)] = 0.0
    below = (1 - np.sign(differences).mean(axis=1)) / 2
    bias = np.where(is_constant_row(rows), 0.0, ndtri(below))
    deviations = rows - means
    squares = np.square(deviations).sum(axis=1) ** 1.5
    skew = np.zeros(len(rows))
    np.divide((deviations**3).sum(axis=1), 6 * squares, out=skew, where=~is_constant_row(rows))
    tail = ndtri((1 - confidence) / 2)
    shares = [ndtr(bias + (bias + side) / (1 - skew * (bias + side))) for side in (tail, -tail)]
    return shares[0], shares[1]


def resampled_means(rows: Floats, sampling: ResamplingOptions) -> Floats:
    """Means of each row over topics resampled with replacement; rows × resamples."""
    n = rows.shape[1]
    return bootstrap_values(lambda counts: rows @ counts.T / n, resample_counts(n, sampling))


def mean_to_dict(mean: Estimate) -> dict[str, Any]:
    """A mean with its interval as plain values, by the names that files have for them."""
    return {
        "mean": mean.value,
        "low": mean.low,
        "high": mean.high,
        "n": mean.n,
        "confidence": mean.level,
        "reason": mean.why,
    }


_SAMPLE = "Assumes that the topics are a random sample from the population of interest."
_UNDEFINED = f"{NO_INTERVAL}; from fewer than {FIRM_TOPICS} the interval is marked as a hint."
_BOOK = "mean difference of the ten queries of Croft, Metzler & Strohman, table 8.6"

INTERVALS: dict[str, IntervalMethod] = {
    method.name: method
    for method in (
        IntervalMethod(
            name="t",
            title="Student's interval",
            formula="mean ± t · s / √n, t the (1 + c)/2 quantile of Student's t with n − 1 "
            "degrees of freedom, c the confidence",
            reading="The means that the t test would not reject.",
            source="Student 1908.",
            range="low ≤ mean ≤ high",
            edge_cases=(_SAMPLE, "May extend below 0 or above 1."),
            undefined=_UNDEFINED,
            bounds=student_bounds,
            expected=(0.595, 42.205),
            working=f"{_BOOK}: 21.4 ± 2.262 · 9.197",
        ),
        IntervalMethod(
            name="percentile",
            title="Percentile bootstrap interval",
            formula="the (1 − c)/2 and (1 + c)/2 quantiles of the means of m resamples of "
            "the topics, c the confidence",
            reading="The range of the mean under resampling of the topics.",
            parameters=PARAMETERS,
            source="Efron and Tibshirani 1993, chapter 13.",
            range="low ≤ mean ≤ high, almost always",
            edge_cases=(_SAMPLE, "Too narrow for few topics."),
            undefined=_UNDEFINED,
            bounds=percentile_bounds,
            expected=(4.8, 38.6),
            working=f"{_BOOK}; 10,000 resamples, seed 0",
        ),
        IntervalMethod(
            name="bca",
            title="Bias-corrected and accelerated (BCa) bootstrap interval",
            formula="the quantiles Φ(z + (z + z_c) / (1 − a(z + z_c))) of the resampled "
            "means, z_c = Φ⁻¹((1 ± c)/2), z = Φ⁻¹(share of them below the mean), "
            "a = Σ d³ / (6 (Σ d²)^1.5), d the deviations from the mean",
            reading="Percentiles adjusted for the bias and skewness of the values.",
            parameters=PARAMETERS,
            source="Efron 1987; Efron and Tibshirani 1993, chapter 14.",
            range="low ≤ mean ≤ high, almost always",
            edge_cases=(_SAMPLE, "Constant values give an interval of width 0."),
            undefined=_UNDEFINED,
            bounds=bca_bounds,
            expected=(5.6, 39.3),
            working=f"{_BOOK}; 10,000 resamples, seed 0",
        ),
    )
}
