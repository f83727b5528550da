"""The precision histogram: by topic, how far one run is ahead of another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.evaluate import ScoredRun
from evaluation.core.judgments import Floats

PRECISION_HISTOGRAM = Card(
    name="precision_histogram",
    title="Precision histogram of two runs",
    formula="RP_A/B(topic) = Rprec of A − Rprec of B",
    reading="A bar for each topic: above 0 where the first run is better, below where the second.",
    source="Modern Information Retrieval, chapter 4.",
    range="-1 to 1",
    edge_cases=(
        "Only topics for which both runs have a value stand in it.",
        "Any measure by topic can take the place of R-precision.",
    ),
    example="A finds 3 of the first R = 4, B finds 1: 3/4 − 1/4 = 1/2.",
)


@dataclass(frozen=True, eq=False)
class Histogram:
    """``values[i]`` is the first run's value of ``topics[i]`` less the second run's."""

    measure: str
    topics: tuple[str, ...]
    values: Floats

    @property
    def ahead(self) -> int:
        """Topics for which the first run is better."""
        return int(np.count_nonzero(self.values > 0))

    @property
    def behind(self) -> int:
        """Topics for which the second run is better."""
        return int(np.count_nonzero(self.values < 0))


def precision_histogram(a: ScoredRun, b: ScoredRun, measure: str = "Rprec") -> Histogram:
    """The differences ``a`` − ``b`` of the measure printed as ``measure``, in order of topics.

    Raises ``ValueError`` where a run was not scored with the measure.
    """
    first, second = a.by_topic(measure), b.by_topic(measure)
    both = {
        topic: value - other
        for topic, value in first.items()
        if value is not None and (other := second.get(topic)) is not None
    }
    return Histogram(measure, tuple(both), np.array(list(both.values()), np.float64))
