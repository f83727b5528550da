"""A figure about one assessor, with its bootstrap interval over topics or the reason of none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judging.core.agreement.counts import Floats, divide_or_default
from judging.core.agreement.resampling import ResampleDraws, percentile_intervals


@dataclass(frozen=True)
class QualityEstimate:
    """``value`` over ``n`` judgments of ``topics`` topics, None where undefined: ``reason``
    says why. ``low`` and ``high`` bound the 95 % interval; without one ``no_interval`` says why.
    """

    value: float | None
    n: int
    reason: str | None = None
    topics: int = 0
    low: float | None = None
    high: float | None = None
    no_interval: str | None = None


def undefined_estimate(reason: str, n: int = 0) -> QualityEstimate:
    return QualityEstimate(None, n, reason, no_interval=reason)


def bootstrap_estimate(
    sums: Floats, compute: Callable[[Floats], Floats], draws: ResampleDraws, flat: str
) -> QualityEstimate:
    """``compute`` of sums (draws, parts), NaN where undefined, from sums by topic (topics, parts)
    whose first part is the number of judgments; ``flat`` is why it may be undefined.
    """
    there = sums[sums[:, 0] > 0]
    n, topics = int(there[:, 0].sum()), len(there)
    (value,) = compute(there.sum(axis=0)[None]).tolist()
    if np.isnan(value):
        return undefined_estimate(flat, n)
    drawn = compute(draws.weights(topics) @ there)
    (bound,) = percentile_intervals(drawn[None], np.array([topics]))
    return QualityEstimate(value, n, None, topics, bound.low, bound.high, bound.reason)


def mean_from_sums(sums: Floats) -> Floats:
    """Of sums (…, 2) with n and Σ y: the mean."""
    return divide_or_default(sums[..., 1], sums[..., 0])


def slope_from_sums(sums: Floats) -> Floats:
    """Of sums (…, 5) with n, Σ x, Σ y, Σ x² and Σ xy: the least-squares slope."""
    n, x, y, xx, xy = np.moveaxis(sums, -1, 0)
    spread = n * xx - x * x
    # Rounding leaves a spread of 0 a little above or below it.
    spread = np.where(spread > 1e-9 * np.maximum(n * xx, 1), spread, 0.0)
    return divide_or_default(n * xy - x * y, spread)
