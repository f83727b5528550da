"""Means over topics, each for the defined values of at least one topic."""

from collections.abc import Callable

import numpy as np

from poolbench.evaluation.judgments import Floats

LEAST = 1e-5
"""Smaller values are replaced by this in trec_eval's geometric means, so that one 0 does not
make the mean 0."""


def arithmetic_mean(values: Floats) -> float:
    return sum_over_topics(values) / len(values)


def geometric_mean(values: Floats) -> float:
    return float(np.exp(sum_over_topics(np.log(np.maximum(values, LEAST))) / len(values)))


def harmonic_mean(values: Floats) -> float:
    return len(values) / sum_over_topics(1.0 / np.maximum(values, LEAST))


def median(values: Floats) -> float:
    return float(np.median(values))


def sum_over_topics(values: Floats) -> float:
    """The sum, added topic by topic as in trec_eval, so that the last digit agrees."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


MEANS: dict[str, Callable[[Floats], float]] = {
    "geometric": geometric_mean,
    "harmonic": harmonic_mean,
    "median": median,
}
"""Means other than the arithmetic one, by their name in ``map(mean=geometric)``."""
