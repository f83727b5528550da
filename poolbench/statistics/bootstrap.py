"""Bootstrap over units: how much a value would vary with other units of the same kind.

Units, not what they consist of, are resampled with replacement (``draws``): the judged pairs of one
topic depend on each other, topics do not. The percentile interval is the middle of the values of
the resamples. How many topics it needs is said in ``least_topics``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolbench.statistics.draws import Floats
from poolbench.statistics.estimate import Estimate, nan_to_none
from poolbench.statistics.least_topics import TOO_FEW_TOPICS, has_enough_topics

LEVEL = 0.95
ALL_ALIKE = "all resamples of the topics have the same value"
UNSTEADY = "undefined in {} of {} resamples of the topics"


def bootstrap_values(compute: Callable[[Floats], Floats], counts: Iterable[Floats]) -> Floats:
    """``compute`` maps counts (resamples × units) to values (…, resamples); the values of all
    batches of ``counts``, joined along the last axis.
    """
    return np.concatenate([compute(batch) for batch in counts], axis=-1)


def central_shares(level: float) -> tuple[float, float]:
    """The quantiles that bound the central interval of the confidence ``level``."""
    return (1 - level) / 2, (1 + level) / 2


def quantiles_by_row(
    values: Floats, shares: Sequence[float] | Floats, *, from_below: bool = False
) -> Floats:
    """The quantiles ``shares`` (k, or rows × k, between 0 and 1) of each row of ``values``, rows ×
    m with m ≥ 1, without NaN; rows × k, NaN for a row of NaN.

    Interpolated linearly between the two nearest values: from the nearer one, to the last bit as
    ``numpy.quantile`` does; or always ``from_below``, which can differ in the last bit.
    """
    ordered = np.sort(values, axis=-1)
    defined = np.count_nonzero(~np.isnan(ordered), axis=-1)
    last = np.maximum(defined - 1, 0)[:, None]
    place = np.asarray(shares) * last
    below = np.floor(place).astype(np.int64)
    low = np.take_along_axis(ordered, below, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(below + 1, last), axis=-1)
    part, gap = place - below, high - low
    quantiles: Floats = low + gap * part
    if not from_below:
        np.subtract(high, gap * (1 - part), out=quantiles, where=part >= 0.5)
    return quantiles


def percentile_estimates(
    values: Sequence[float] | Floats, resampled: Floats, topics: NDArray[np.integer[Any]]
) -> list[Estimate]:
    """Each of ``values`` (rows) with the 95 % interval of its resamples ``resampled`` (rows ×
    resamples, NaN where undefined) over ``topics`` (rows).

    No interval: fewer topics than ``least_topics`` asks for, a value that more than 5 % of the
    resamples leave undefined, or resamples that are all alike. A value that is NaN is None; the
    caller knows why.
    """
    shares = (0.0, *central_shares(LEVEL), 1.0)
    quantiles = quantiles_by_row(resampled, shares, from_below=True).tolist()
    missing = np.count_nonzero(np.isnan(resampled), axis=-1).tolist()
    resamples = resampled.shape[-1]
    estimates = []
    for row, value in enumerate(values):
        n = int(topics[row])
        least, low, high, most = quantiles[row]
        if not has_enough_topics(n):
            why = TOO_FEW_TOPICS
        elif resamples - missing[row] < LEVEL * resamples:
            why = UNSTEADY.format(missing[row], resamples)
        elif most - least < 1e-12:
            why = ALL_ALIKE
        else:
            estimates.append(Estimate(nan_to_none(value), n, low, high, LEVEL))
            continue
        estimates.append(Estimate(nan_to_none(value), n, why=why))
    return estimates
