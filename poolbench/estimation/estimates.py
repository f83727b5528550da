"""Estimates of scores from a judged sample, with their errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.estimation.errors import compute_covariance
from poolbench.estimation.measures import Derivative, FractionalMeasure
from poolbench.estimation.raking import rake_chances
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats


@dataclass(frozen=True, eq=False)
class MeasureEstimate:
    """Of one measure: ``topics`` (runs, topics), ``means`` by run, ``covariance`` (runs, runs) of
    the means over samples, ``allowance`` by run for what the first order leaves.
    """

    topics: Floats
    means: Floats
    covariance: Floats
    allowance: Floats

    @cached_property
    def errors(self) -> Floats:
        total: Floats = np.sqrt(np.diag(self.covariance) + self.allowance**2)
        return total

    def limits(self, quantile: float) -> tuple[Floats, Floats]:
        """Ends of the intervals by run, cut to [0, 1]; ``means`` are not cut."""
        half = quantile * self.errors
        return np.clip(self.means - half, 0, 1), np.clip(self.means + half, 0, 1)

    def over_topics(self, level: float = 0.95) -> list[tuple[float, float] | tuple[None, None]]:
        """By run, the interval with topics as a sample too: t · √(s² / T)."""
        from scipy.stats import t

        topics = self.topics.shape[1]
        if topics < 2:
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
    if measure.is_linear:
        topics, derivative = _correct(sample, chances, measure)
        allowance = np.zeros(len(sample.frame.runs))
        used = chances
    else:
        used = rake_chances(sample, chances)
        topics, derivative = _correct(sample, used, measure)
        less = rake_chances(sample, chances, shrink=True)
        other, _ = _correct(sample, less, measure)
        allowance = abs(topics.mean(axis=1) - other.mean(axis=1)) / 2
    covariance = compute_covariance(sample, used, derivative, measure.is_linear)
    return MeasureEstimate(topics, topics.mean(axis=1), covariance, allowance)


def _correct(
    sample: JudgedSample, chances: Floats, measure: FractionalMeasure
) -> tuple[Floats, Derivative]:
    scores = measure.compute(sample.frame, sample.fill(chances))
    left = sample.inverse[:, None] * (sample.steps - chances[sample.judged])
    return scores.values + sum_over_sample(sample, scores.derivative, left), scores.derivative


def sum_over_sample(sample: JudgedSample, derivative: Derivative, left: Floats) -> Floats:
    """Σ over judged pairs and steps of φ · ``left``, by run and topic."""
    frame = sample.frame
    spread = np.zeros((len(sample.pi), left.shape[1]))
    spread[sample.judged] = left
    own = (spread @ derivative.gain)[frame.pair] * derivative.entry
    by_topic = frame.sum_topics(spread)
    spread_out: Floats = np.einsum("rtg,tg->rt", derivative.background, by_topic)
    return frame.sum_segments(own) + spread_out
