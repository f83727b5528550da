"""Bootstrap over topics: how much a value would vary with other topics of the same kind.

Pairs of one topic are dependent (one guideline, one reading of the information need), so topics,
not pairs, are drawn with replacement. Percentile interval: the middle 95 % of the values. How many
topics it needs is said in ``campaigns.core.intervals``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from campaigns.core.intervals import TOO_FEW_TOPICS, has_enough_topics
from judging.core.agreement.counts import Floats, Ints

RESAMPLES = 1000
SEED = 20
SHARE = 0.95
ALL_ALIKE = "all resamples of the topics have the same value"
UNSTEADY = "undefined in {} of {} resamples of the topics"


@dataclass(frozen=True)
class ResampleDraws:
    """How topics are resampled: ``resamples`` draws from ``seed``."""

    resamples: int = RESAMPLES
    seed: int = SEED

    def weights(self, topics: int) -> Floats:
        """(resamples, topics): how often each resample contains each topic."""
        return _weights(topics, self.resamples, self.seed)


@lru_cache(maxsize=64)
def _weights(topics: int, resamples: int, seed: int) -> Floats:
    if not topics:
        return np.zeros((resamples, 0))
    random = np.random.default_rng([seed, topics])
    drawn = random.multinomial(topics, np.full(topics, 1 / topics), size=resamples)
    weights = drawn.astype(np.float64)
    weights.setflags(write=False)
    return weights


@dataclass(frozen=True)
class BootstrapInterval:
    """The bounds of the 95 % interval, or why there is none."""

    low: float | None = None
    high: float | None = None
    reason: str | None = None


def percentile_intervals(values: Floats, topics: Ints) -> list[BootstrapInterval]:
    """An interval for each row of ``values`` (rows, resamples), NaN where undefined; ``topics``
    (rows) is the number of topics with comparable judgments.
    """
    ordered = np.sort(values, axis=-1)
    defined = np.count_nonzero(~np.isnan(ordered), axis=-1)
    resamples = values.shape[-1]
    edges = [_at(ordered, defined, share) for share in ((1 - SHARE) / 2, (1 + SHARE) / 2)]
    intervals = []
    for row, (low, high) in enumerate(zip(*edges, strict=True)):
        if not has_enough_topics(int(topics[row])):
            intervals.append(BootstrapInterval(reason=TOO_FEW_TOPICS))
        elif defined[row] < SHARE * resamples:
            missing = resamples - int(defined[row])
            intervals.append(BootstrapInterval(reason=UNSTEADY.format(missing, resamples)))
        elif ordered[row, defined[row] - 1] - ordered[row, 0] < 1e-12:
            intervals.append(BootstrapInterval(reason=ALL_ALIKE))
        else:
            intervals.append(BootstrapInterval(float(low), float(high)))
    return intervals


def _at(ordered: Floats, defined: Ints, share: float) -> Floats:
    """The quantile of each row's first ``defined`` values, with linear interpolation."""
    place = share * np.maximum(defined - 1, 0)
    below = np.floor(place).astype(np.int64)
    rows = np.arange(len(ordered))
    low = ordered[rows, below]
    high = ordered[rows, np.minimum(below + 1, np.maximum(defined - 1, 0))]
    quantiles: Floats = low + (high - low) * (place - below)
    return quantiles
