"""Human judgments in order of judging, as columns; pace: their seconds, and the hasty ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import Floats, Ints, divide_or_default
from poolbench.judging.agreement.labels import LabelTable


@dataclass(frozen=True, eq=False)
class OrderedGrades:
    """Current grades in the order of their first revisions: one entry per judgment.

    ``assessor``, ``topic`` and ``pair`` are codes; the first two index ``assessors`` and
    ``topics``. ``seconds`` are active seconds, NaN where not measured. ``ordered``: the position
    in the order is known.
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

    @cached_property
    def difference_from_others(self) -> Floats:
        """Each grade minus the mean grade of the others for the pair; NaN without others."""
        total = np.bincount(self.pair, self.grade)[self.pair] - self.grade
        others = np.bincount(self.pair)[self.pair] - 1
        return self.grade - divide_or_default(total.astype(np.float64), others.astype(np.float64))

    def by_assessor(self) -> Iterator[tuple[str, Ints]]:
        """The rows of each assessor, with the name."""
        for at, name in enumerate(self.assessors):
            yield name, np.flatnonzero(self.assessor == at)

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
    )


FLOOR = 1.0
NOT_MEASURED = "no active seconds were recorded"


@dataclass(frozen=True)
class SecondsPerJudgment:
    """The median active seconds of ``n`` judgments; None where none were recorded."""

    median: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class AssessorPace:
    """``hasty`` judgments took less than the floor; ``by_grade`` is in scale order."""

    overall: SecondsPerJudgment
    hasty: int
    by_grade: dict[int, SecondsPerJudgment]


def pace_by_assessor(grades: OrderedGrades) -> dict[str, AssessorPace]:
    """The pace of each assessor, by name."""
    paces = {}
    for name, own in grades.by_assessor():
        seconds = grades.seconds[own]
        paces[name] = AssessorPace(
            _seconds(seconds),
            int(np.count_nonzero(seconds < FLOOR)),
            {grade: _seconds(seconds[grades.grade[own] == grade]) for grade in grades.scale},
        )
    return paces


def _seconds(seconds: Floats) -> SecondsPerJudgment:
    measured = seconds[~np.isnan(seconds)]
    if not len(measured):
        return SecondsPerJudgment(None, 0, NOT_MEASURED)
    return SecondsPerJudgment(float(np.median(measured)), len(measured))


PACE = Card(
    name="pace",
    title="Pace",
    formula="median active seconds of an assessor's judgments, overall and by grade; hasty: those "
    f"below {FLOOR:g} second",
    reading="How long a judgment takes; active seconds exclude idle time and hidden tabs.",
    source="Poolbench.",
    range="seconds from 0",
    edge_cases=(
        "A median is used because one long pause would distort a mean.",
        "Judgments without recorded seconds (imports, most API clients) do not count in n.",
    ),
    undefined=NOT_MEASURED + ".",
    example="2, 4, 60 seconds: 4.",
)
