"""What the alarms of a day are computed from: working days, judgments in order, what is to do."""

from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

EPOCH = date(1970, 1, 1)


def count_working_days(first: date, last: date) -> int:
    """The working days after ``first`` and before ``last``: those that have passed without work.

    From a Friday to the Tuesday after it: 1, the Monday.
    """
    begin = np.datetime64(first, "D") + 1
    return max(0, int(np.busday_count(begin, np.datetime64(last, "D"))))


def add_working_days(start: date, days: int) -> date:
    """The day that is so many working days after ``start``; the next working day for 0."""
    moved = np.busday_offset(np.datetime64(start, "D"), days, roll="forward")
    return date.fromisoformat(str(moved))


def count_days(day: date) -> int:
    """Days since 1970-01-01."""
    return (day - EPOCH).days


def format_day(day: date) -> str:
    """``9 December``."""
    return f"{day.day} {day:%B}"


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WorkLog:
    """The graded pairs of each assessor in the order in which they were first graded.

    All arrays have one entry a row: ``assessor`` and ``topic`` are positions in the lists of
    names, ``pair`` is the same number for the same document of the same topic, ``grade`` the
    current grade as a position on the scale, ``day`` the UTC day since 1970-01-01, ``seconds`` the
    active seconds of the first grade (NaN where none were recorded). ``shuffled``: the documents
    came in random order; ``third``: the judgment exists because others disagreed.
    """

    assessors: tuple[str, ...]
    topics: tuple[str, ...]
    assessor: Ints
    topic: Ints
    pair: Ints
    grade: Ints
    day: Ints
    seconds: Floats
    shuffled: Flags
    third: Flags

    def __len__(self) -> int:
        return len(self.grade)


@dataclass(frozen=True)
class TopicWork:
    """A topic with ``left`` documents; ``people`` are its assessors who are not paused, ``since``
    the day from which they could work on it.
    """

    number: str
    left: int
    people: tuple[str, ...]
    since: date


@dataclass(frozen=True)
class GuidelineChange:
    """``unread``: by assessor, the judgments since the change with an older version on the page,
    of those who have not had the new one on it since.
    """

    version: int
    day: date
    unread: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Situation:
    """A campaign on the day ``today`` (UTC), before the day is over.

    ``judged`` of ``total`` planned judgments are in and ``left`` are still to come; ``counts`` are
    the judgments by day since 1970-01-01, ``reserved`` by assessor those to come that no other
    assessor may take. ``skips`` are the days on which documents were skipped
    that no one is to judge. ``repeats``: the assessor, and whether both judgments say relevant or
    both not relevant. ``relevant`` is the position of the lowest relevant grade.
    """

    today: date
    scale: tuple[int, ...]
    relevant: int
    log: WorkLog
    judged: int
    total: int
    left: int
    topics: tuple[TopicWork, ...] = ()
    counts: dict[int, int] = field(default_factory=dict)
    reserved: dict[str, int] = field(default_factory=dict)
    repeats: tuple[tuple[str, bool], ...] = ()
    guidelines: GuidelineChange | None = None
    skips: tuple[date, ...] = ()
    deadline: date | None = None
    is_paused: bool = False
