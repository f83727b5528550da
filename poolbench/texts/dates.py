"""Dates of a shared task, written one per line: ``2027-01-20 Runs close``."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

AOE = timezone(timedelta(hours=-12), "AoE")
"""Anywhere on Earth: UTC−12, where a day ends last."""
MOST_DATES = 40
_LINE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?: ?UTC)?)?[ \t:]+(\S.*)")


@dataclass(frozen=True)
class TaskDate:
    """``at`` is in UTC. Of a whole day it is the last minute anywhere on Earth."""

    at: datetime
    label: str
    is_day: bool = False

    @property
    def aoe(self) -> datetime:
        """What the clock says anywhere on Earth, as a time without a zone."""
        return self.at.astimezone(AOE).replace(tzinfo=None)


def read_dates(text: str) -> tuple[list[TaskDate], list[str]]:
    """The dates, the earliest first, and a sentence about each line that is none.

    >>> dates, faults = read_dates("2027-01-20 Runs close\\nsoon: papers")
    >>> dates[0].at.isoformat(), dates[0].label, faults
    ('2027-01-21T11:59:00+00:00', 'Runs close', ['Line 2 is no date: “soon: papers”.'])
    """
    dates, faults = [], []
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    for number, line in [each for each in lines if each[1]]:
        date = _read_date(line)
        if date is None:
            faults.append(f"Line {number} is no date: “{line[:60]}”.")
        else:
            dates.append(date)
    if len(dates) > MOST_DATES:
        faults.append(f"There are more than {MOST_DATES} dates.")
    return sorted(dates, key=lambda date: date.at), faults


def _read_date(line: str) -> TaskDate | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    day, clock, label = match.groups()
    try:
        at = datetime.fromisoformat(f"{day}T{clock or '23:59'}")
        at = at.replace(tzinfo=UTC if clock else AOE).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return TaskDate(at, label[:120], is_day=clock is None)
