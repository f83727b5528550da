"""Working days: Monday to Friday, by UTC; holidays are not known."""

from __future__ import annotations

from datetime import date

import numpy as np

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
