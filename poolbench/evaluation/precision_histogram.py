"""The precision histogram: differences of two runs by topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.judgments import Floats

PRECISION_HISTOGRAM = Card(
    name="precision_histogram",
    title="Precision histogram of two runs",
    formula="RP_A/B(topic) = Rprec of A − Rprec of B",
    reading="A bar per topic: above 0 if the first run is better, below 0 if the second is better.",
    source="Modern Information Retrieval, chapter 4.",
    range="-1 to 1",
    edge_cases=(
        "Only topics with values for both runs are included.",
        "Any measure with values by topic can replace R-precision.",
    ),
    example="A retrieves 3 relevant documents in the first R = 4, B retrieves 1: 3/4 − 1/4 = 1/2.",
)


@dataclass(frozen=True, eq=False)
class Histogram:
    """``values[i]`` is the first run's value for ``topics[i]`` minus the second run's."""

    measure: str
    topics: tuple[str, ...]
    values: Floats

    @property
    def ahead(self) -> int:
        """Number of topics on which the first run is better."""
        return int(np.count_nonzero(self.values > 0))

    @property
    def behind(self) -> int:
        """Number of topics on which the second run is better."""
        return int(np.count_nonzero(self.values < 0))


def precision_histogram(a: ScoredRun, b: ScoredRun, measure: str = "Rprec") -> Histogram:
    """The differences ``a`` − ``b`` of the measure printed as ``measure``, in topic order.

    Raises ``ValueError`` if a run was not scored with the measure.
    """
    first, second = a.by_topic(measure), b.by_topic(measure)
    both = {
        topic: value - other
        for topic, value in first.items()
        if value is not None and (other := second.get(topic)) is not None
    }
    return Histogram(measure, tuple(both), np.array(list(both.values()), np.float64))
