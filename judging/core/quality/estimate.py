"""An estimate for one assessor, with its bootstrap interval over topics or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from common.statistics.bootstrap import percentile_estimates
from common.statistics.draws import ResamplingOptions, multinomial_counts
from common.statistics.estimate import is_hint
from common.statistics.least_topics import TOO_FEW_TOPICS
from judging.core.agreement.counts import Floats, divide_or_default


@dataclass(frozen=True)
class QualityEstimate:
    """``value`` over ``n`` judgments of ``topics`` topics; None where undefined, with the
    ``reason``. ``low`` and ``high`` bound the 95 % interval; ``no_interval`` says why it lacks.
    """

    value: float | None
    n: int
    reason: str | None = None
    topics: int = 0
    low: float | None = None
    high: float | None = None
    no_interval: str | None = None

    @property
    def is_hint(self) -> bool:
        return is_hint(self.topics, self.low)

    @property
    def lacks_topics(self) -> bool:
        return self.no_interval == TOO_FEW_TOPICS


def undefined_estimate(reason: str, n: int = 0) -> QualityEstimate:
    return QualityEstimate(None, n, reason, no_interval=reason)


def bootstrap_estimate(
    sums: Floats, compute: Callable[[Floats], Floats], draws: ResamplingOptions, flat: str
) -> QualityEstimate:
    """``compute`` maps sums (draws, parts) to values, NaN where undefined. ``sums`` are by topic
    (topics, parts), the number of judgments first; ``flat`` is the reason when undefined.
    """
    there = sums[sums[:, 0] > 0]
    n, topics = int(there[:, 0].sum()), len(there)
    (value,) = compute(there.sum(axis=0)[None]).tolist()
    if np.isnan(value):
        return undefined_estimate(flat, n)
    drawn = compute(multinomial_counts(topics, draws) @ there)
    (over,) = percentile_estimates([value], drawn[None], np.array([topics]))
    return QualityEstimate(value, n, None, topics, over.low, over.high, over.why)


def mean_from_sums(sums: Floats) -> Floats:
    """The mean, from sums (…, 2) of n and Σ y."""
    return divide_or_default(sums[..., 1], sums[..., 0])


def slope_from_sums(sums: Floats) -> Floats:
    """The least-squares slope, from sums (…, 5) of n, Σ x, Σ y, Σ x² and Σ xy."""
    n, x, y, xx, xy = np.moveaxis(sums, -1, 0)
    spread = n * xx - x * x
    # Rounding moves a spread of 0 slightly above or below 0.
    spread = np.where(spread > 1e-9 * np.maximum(n * xx, 1), spread, 0.0)
    return divide_or_default(n * xy - x * y, spread)
