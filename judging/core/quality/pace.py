"""How long assessors take, by grade, and how often less than a look would take."""

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
    """``hasty`` judgments took less than the floor. ``by_grade`` is in the order of the scale."""

    overall: SecondsPerJudgment
    hasty: int
    by_grade: dict[int, SecondsPerJudgment]


def pace_by_assessor(said: OrderedGrades, floor: float = FLOOR) -> dict[str, AssessorPace]:
    """By assessor."""
    found = {}
    for at, name in enumerate(said.assessors):
        own = said.assessor == at
        taken = said.seconds[own]
        found[name] = AssessorPace(
            _seconds(taken),
            int(np.count_nonzero(taken < floor)),
            {grade: _seconds(taken[said.grade[own] == grade]) for grade in said.scale},
        )
    return found


def _seconds(taken: Floats) -> SecondsPerJudgment:
    known = taken[~np.isnan(taken)]
    if not len(known):
        return SecondsPerJudgment(None, 0, NOT_MEASURED)
    return SecondsPerJudgment(float(np.median(known)), len(known))


PACE = Card(
    name="pace",
    title="Pace",
    formula="median active seconds of an assessor's judgments, of all and by grade; hasty: those "
    f"below {FLOOR:g} second",
    reading="How long a judgment takes; active seconds leave idle time and hidden tabs out.",
    source="Poolbench.",
    range="seconds from 0",
    edge_cases=(
        "A median, since one long pause would move a mean.",
        "Judgments without recorded seconds (imports, most of the API) are left out of n.",
    ),
    undefined=NOT_MEASURED + ".",
    example="2, 4, 60 seconds: 4.",
)
