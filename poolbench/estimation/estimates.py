"""Estimates of scores from a judged sample, with their errors."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from poolbench.estimation.errors import compute_covariance, compute_parts
from poolbench.estimation.measures import Derivative, FractionalMeasure
from poolbench.estimation.raking import rake_chances
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats, Mask
from poolbench.statistics.least_topics import has_enough_topics

LEAST_RELEVANT = 0.5


@dataclass(frozen=True, eq=False)
class MeasureEstimate:
    """Of one measure: ``topics`` (runs, topics), ``means`` by run, ``covariance`` (runs, runs) of
    the means over samples, ``allowance`` by run for what the first order leaves; ``empty``, the
    topics that count 0; ``by_pair``, what each judged pair adds to the variances of all runs.
    """

    topics: Floats
    means: Floats
    covariance: Floats
    allowance: Floats
    empty: Mask
    by_pair: Floats

    @cached_property
    def errors(self) -> Floats:
        total: Floats = np.sqrt(np.diag(self.covariance) + self.allowance**2)
        return total

    def limits(self, quantile: float) -> tuple[Floats, Floats]:
        """Ends of the intervals by run, cut to [0, 1]; ``means`` are not cut."""
        half = quantile * self.errors
        return np.clip(self.means - half, 0, 1), np.clip(self.means + half, 0, 1)

    def over_topics(self, level: float = 0.95) -> list[tuple[float, float] | tuple[None, None]]:
        """By run, the interval with topics as a sample too: t · √(s² / T); none from few topics."""
        from scipy.stats import t

        topics = self.topics.shape[1]
        if not has_enough_topics(topics):
            return [(None, None)] * len(self.means)
        half = t.ppf((1 + level) / 2, topics - 1) * self.topics.std(axis=1, ddof=1) / topics**0.5
        low, high = np.clip(self.means - half, 0, 1), np.clip(self.means + half, 0, 1)
        return list(zip(low.tolist(), high.tolist(), strict=True))

    @cached_property
    def difference_errors(self) -> Floats:
        v = np.diag(self.covariance)
        variance = v[:, None] + v[None, :] - 2 * self.covariance
        gap = self.allowance[:, None] - self.allowance[None, :]
        errors: Floats = np.sqrt(np.maximum(variance, 0) + gap**2)
        return errors


def estimate_measure(
    sample: JudgedSample, chances: Floats, measure: FractionalMeasure
) -> MeasureEstimate:
    """Raked chances for ratios, chances as they are for linear measures, corrected by the sample.

    A topic with fewer than half a relevant pair expected counts 0, as in trec_eval one without any.
    """
    if measure.is_linear:
        used, allowance = chances, np.zeros(len(sample.frame.runs))
        topics, derivative, empty = _correct(sample, used, measure)
    else:
        used = rake_chances(sample, chances)
        topics, derivative, empty = _correct(sample, used, measure)
        other = _correct(sample, rake_chances(sample, chances, shrink=True), measure).topics
        allowance = abs(topics.mean(axis=1) - other.mean(axis=1)) / 2
        if measure.is_concave:
            topics = (topics + other) / 2
    parts = compute_parts(sample, used, derivative, measure.is_linear)
    covariance = compute_covariance(sample, used, derivative, parts)
    by_pair = (parts**2).sum(axis=1)
    return MeasureEstimate(topics, topics.mean(axis=1), covariance, allowance, empty, by_pair)


class CorrectedScores(NamedTuple):
    """``topics`` (runs, topics), and which topics are ``empty``: without anything relevant."""

    topics: Floats
    derivative: Derivative
    empty: Mask


def _correct(sample: JudgedSample, chances: Floats, measure: FractionalMeasure) -> CorrectedScores:
    frame, q = sample.frame, sample.fill(chances)
    values, derivative = measure.compute(frame, q)
    empty = np.zeros(len(frame.topics), bool)
    if measure.step is not None:
        empty = frame.sum_topics(q[:, measure.step - 1]) < LEAST_RELEVANT
    if empty.any():
        share = (~empty).astype(float)
        values = values * share
        derivative = Derivative(
            derivative.entry * share[frame.segment % len(share)],
            derivative.gain,
            derivative.background * share[:, None],
        )
    left = sample.inverse[:, None] * (sample.steps - chances[sample.judged])
    return CorrectedScores(values + sum_over_sample(sample, derivative, left), derivative, empty)


def sum_over_sample(sample: JudgedSample, derivative: Derivative, left: Floats) -> Floats:
    """Σ over judged pairs and steps of φ · ``left``, by run and topic."""
    frame = sample.frame
    spread = np.zeros((len(sample.pi), left.shape[1]))
    spread[sample.judged] = left
    own = (spread @ derivative.gain)[frame.pair] * derivative.entry
    by_topic = frame.sum_topics(spread)
    spread_out: Floats = np.einsum("rtg,tg->rt", derivative.background, by_topic)
    return frame.sum_segments(own) + spread_out
