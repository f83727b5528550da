"""All pairs of runs whose scores are estimated from a sample, by the intervals of differences."""

from collections.abc import Sequence

import numpy as np

from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.family import run_pair_indices
from poolbench.evaluation.comparison.pair_rows import PairRow
from poolbench.evaluation.comparison.paired_values import subtract_without_noise
from poolbench.evaluation.comparison.registry import SAMPLE_INTERVALS
from poolbench.statistics.draws import Floats, ResamplingOptions
from poolbench.statistics.estimate import Estimate, nan_to_none

LEVEL = 0.95
QUANTILE = 1.96


def compare_estimates(
    tags: Sequence[str],
    means: Sequence[Estimate],
    errors: Floats,
    *,
    topics: int,
    alpha: float = 0.05,
) -> Comparisons:
    """All pairs without a correction. ``means`` by run with their intervals, whose ``why`` says
    why there are none; ``errors``, runs × runs, are standard errors of the differences.

    ``statistic`` is the difference over its error, p the Normal's, two-sided: below 0.05 where the
    95 % interval of the difference excludes 0. Wins, losses and effect sizes are of values by
    topic, which a sample hardly tells, so there are none.
    """
    first, second = run_pair_indices(len(tags))
    values = np.array([np.nan if each.value is None else each.value for each in means])
    differences = subtract_without_noise(values[first], values[second])
    rows = tuple(
        build_row((tags[a], tags[b]), difference, errors[a, b], means[a].why, topics, alpha)
        for a, b, difference in zip(
            first.tolist(), second.tolist(), differences.tolist(), strict=True
        )
    )
    return Comparisons(
        tags=tuple(tags),
        test=SAMPLE_INTERVALS.name,
        correction="none",
        alpha=alpha,
        sampling=ResamplingOptions(),
        topics=topics,
        left_out=0,
        means=tuple(means),
        rows=rows,
        corrected_over=len(rows),
    )


def build_row(
    pair: tuple[str, str],
    difference: float,
    error: float,
    why: str | None,
    topics: int,
    alpha: float,
) -> PairRow:
    from scipy.special import ndtr

    if why is not None or difference != difference:
        value = nan_to_none(difference)
        return PairRow(*pair, topics, value, *(None,) * 7, False, "", why)
    statistic = difference / error if error > 0 else float(np.sign(difference)) * np.inf
    p = 1.0 if difference == 0 else float(2 * ndtr(-abs(statistic)))
    finite = statistic if np.isfinite(statistic) else None
    return PairRow(*pair, topics, difference, None, None, None, None, finite, p, p, p <= alpha)


def estimate_difference(row: PairRow, error: float) -> Estimate:
    """The difference of a pair with its 95 % interval."""
    if row.p_value is None or row.difference is None:
        return Estimate(row.difference, row.n, why=row.reason)
    half = QUANTILE * error
    return Estimate(row.difference, row.n, row.difference - half, row.difference + half, LEVEL)
