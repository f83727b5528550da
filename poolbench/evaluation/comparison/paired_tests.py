"""Two-sided tests of two runs on the same topics: the common interface."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.comparison.paired_values import (
    SAME,
    TOO_FEW,
    select_common_topics,
    subtract_without_noise,
)
from poolbench.statistics.draws import Floats, ResamplingOptions

NO_DIFFERENCE = "all differences are 0"

Tested = tuple[Floats, Floats, Sequence[str]]
"""Statistic, p value and note of each row; NaN where undefined."""


class PairedOutcome(NamedTuple):
    """The outcome of a test of two runs on ``n`` topics; ``note`` says how p was computed.

    ``statistic`` and ``p_value`` are None where undefined; ``reason`` says why.
    """

    statistic: float | None
    p_value: float | None
    n: int
    note: str = ""
    reason: str | None = None


@dataclass(frozen=True)
class PairExample:
    """Values of two runs by topic with the expected statistic and p value."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    statistic: float
    p_value: float
    working: str


@dataclass(frozen=True, kw_only=True)
class PairedTest(Card):
    """A selectable test. ``rows`` takes differences, pairs × topics, and resampling options.

    ``rows`` gets at least two topics, and no row of zeros. ``smallest`` is the smallest p value
    possible with n topics.
    """

    rows: Callable[[Floats, ResamplingOptions], Tested]
    smallest: Callable[[int, ResamplingOptions], float]
    examples: tuple[PairExample, ...] = ()

    def of_pair(self, first: Floats, second: Floats, sampling: ResamplingOptions) -> PairedOutcome:
        """Test two runs; topics with NaN for either are left out."""
        differences = subtract_without_noise(*select_common_topics(first, second))
        return self.of_differences(differences[None, :], sampling)[0]

    def of_differences(
        self, differences: Floats, sampling: ResamplingOptions
    ) -> list[PairedOutcome]:
        """Test many pairs at once: ``differences`` is pairs × topics, without NaN.

        The outcome of a pair does not depend on the other rows.
        """
        n = differences.shape[1]
        if n < 2:
            return [PairedOutcome(None, None, n, reason=TOO_FEW)] * len(differences)
        outcomes = [PairedOutcome(0.0, 1.0, n, NO_DIFFERENCE)] * len(differences)
        moved = np.flatnonzero(differences.any(axis=1))
        if len(moved):
            statistic, p_value, notes = self.rows(differences[moved], sampling)
            tested = zip(moved.tolist(), statistic.tolist(), p_value.tolist(), notes, strict=True)
            undefined = PairedOutcome(None, None, n, reason=SAME)
            for row, value, p, note in tested:
                outcomes[row] = undefined if p != p else PairedOutcome(value, p, n, note)
        return outcomes


def least_p_by_signs(n: int, sampling: ResamplingOptions) -> float:  # noqa: ARG001
    """Smallest p of a test that counts assignments of signs: all + or all −."""
    return 2.0 ** (1 - n)


def least_p_by_resampling(n: int, sampling: ResamplingOptions) -> float:  # noqa: ARG001
    """Smallest p of a resampling test: no resample reaches the observed statistic."""
    return 1 / (sampling.resamples + 1)


TEN_QUERIES = (
    (35.0, 84.0, 15.0, 75.0, 68.0, 85.0, 80.0, 50.0, 58.0, 75.0),
    (25.0, 43.0, 39.0, 75.0, 43.0, 15.0, 20.0, 52.0, 49.0, 50.0),
)
"""Effectiveness of algorithms B and A for ten queries: Croft, Metzler & Strohman, table 8.6."""
