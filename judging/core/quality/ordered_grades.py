"""Human judgments in order of judging, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judging.core.agreement.counts import Floats, Ints, divide_or_default
from judging.core.agreement.labels import LabelTable


@dataclass(frozen=True, eq=False)
class OrderedGrades:
    """Current grades in the order of their first revisions: one entry per judgment.

    ``assessor``, ``topic`` and ``pair`` are codes; the first two index ``assessors`` and
    ``topics``. ``seconds`` are active seconds, NaN where not measured. ``ordered``: the position
    in the order is known. ``shuffled``: the documents of the topic came in random order.
    """

    assessors: tuple[str, ...]
    topics: tuple[str, ...]
    scale: tuple[int, ...]
    assessor: Ints
    topic: Ints
    pair: Ints
    grade: Ints
    seconds: Floats
    ordered: NDArray[np.bool_]
    shuffled: NDArray[np.bool_]

    @cached_property
    def difference_from_others(self) -> Floats:
        """Each grade minus the mean grade of the others for the pair; NaN without others."""
        total = np.bincount(self.pair, self.grade)[self.pair] - self.grade
        others = np.bincount(self.pair)[self.pair] - 1
        return self.grade - divide_or_default(total.astype(np.float64), others.astype(np.float64))

    def by_topic(self, rows: Ints, *parts: Floats) -> Floats:
        """(topics, parts): sums over ``rows`` of columns with one entry per row."""
        return np.stack(
            [np.bincount(self.topic[rows], part, minlength=len(self.topics)) for part in parts],
            axis=-1,
        )


def untimed_judgments(labels: LabelTable) -> OrderedGrades:
    """Grades of unknown order and time, as in qrels files."""
    assessor, pair = np.nonzero(labels.judged)
    n = len(pair)
    return OrderedGrades(
        labels.assessors,
        labels.topics,
        labels.scale,
        assessor,
        labels.topic_indices[pair],
        pair,
        labels.grades[assessor, pair].astype(np.int64),
        np.full(n, np.nan),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
    )
