"""Pace: seconds per judgment by grade, and the number of hasty judgments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from judging.core.agreement.counts import Floats
from judging.core.quality.ordered_grades import OrderedGrades

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


def pace_by_assessor(grades: OrderedGrades, floor: float = FLOOR) -> dict[str, AssessorPace]:
    """The pace of each assessor, by name."""
    paces = {}
    for at, name in enumerate(grades.assessors):
        own = grades.assessor == at
        seconds = grades.seconds[own]
        paces[name] = AssessorPace(
            _seconds(seconds),
            int(np.count_nonzero(seconds < floor)),
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
