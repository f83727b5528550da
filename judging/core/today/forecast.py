"""When judging will be done, by the measured pace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from judging.core.today.situation import Floats, Situation, WorkLog
from judging.core.today.working_days import add_working_days, count_days

DAYS, LEAST_DAYS = 14, 3
"""Calendar days that a pace is of, and the fewest of them with judgments."""
CONFIDENCE = 0.9
LONGEST = 2_500
"""Working days, ten years: no forecast is beyond."""
NO_PACE = f"fewer than {LEAST_DAYS} days with judgments in the last {DAYS}"
NOTHING_LEFT = "nothing remains to be judged"


@dataclass(frozen=True)
class EndForecast:
    """``per_day`` are judgments per working day over ``days`` of them. ``end`` with its 90 %
    interval from ``soonest`` to ``latest``; all None with the ``reason`` where it cannot be
    determined. ``whose``: the assessor whose documents end last, "" if no one's do.
    """

    per_day: float | None = None
    days: int = 0
    end: date | None = None
    soonest: date | None = None
    latest: date | None = None
    whose: str = ""
    reason: str = ""


def forecast_end(situation: Situation) -> EndForecast:
    """``left`` judgments at the mean m of the last ``DAYS`` calendar days (before today, from the
    first judgment on): T = left / m working days; or, if that is longer, what is reserved for one
    assessor at their own pace. What is judged on a weekend counts for the Friday before it.

    The interval is T · exp(± t · s/m · √(1/n + 1/T)): the error of the mean over n days, and the
    chance of the T days to come; s is the standard deviation between days, t the quantile of
    Student's distribution with n − 1 degrees of freedom.
    """
    if not situation.left:
        return EndForecast(reason=NOTHING_LEFT)
    daily = list_daily_counts(situation, situation.counts)
    if np.count_nonzero(daily) < LEAST_DAYS:
        return EndForecast(reason=NO_PACE)
    needed, factor, whose = max(
        [
            (*project_end(situation.left, daily), ""),
            *(
                (*project_end(count, own), name)
                for name, count in situation.reserved.items()
                if (own := list_daily_counts(situation, count_own_days(situation.log, name))).sum()
            ),
        ]
    )
    end, soonest, latest = (
        add_working_days(situation.today, min(math.ceil(days) - 1, LONGEST))
        for days in (needed, needed / factor, needed * factor)
    )
    return EndForecast(float(daily.mean()), len(daily), end, soonest, latest, whose)


def project_end(left: int, daily: Floats) -> tuple[float, float]:
    """The working days that ``left`` judgments take, and the factor of the interval."""
    from scipy.special import stdtrit

    n, mean = len(daily), float(daily.mean())
    needed = left / mean
    if n < 2:
        return needed, 2.0
    spread = float(daily.std(ddof=1)) / mean * math.sqrt(1 / n + 1 / max(needed, 1.0))
    return needed, math.exp(min(float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * spread, 5.0))


def count_own_days(log: WorkLog, name: str) -> dict[int, int]:
    """The judgments of an assessor by day since 1970-01-01."""
    if name not in log.assessors:
        return {}
    days, counts = np.unique(log.day[log.assessor == log.assessors.index(name)], return_counts=True)
    return dict(zip(days.tolist(), counts.tolist(), strict=True))


def list_daily_counts(situation: Situation, by_day: Mapping[int, int]) -> Floats:
    """The judgments ``by_day`` on the last working days before today, the oldest first."""
    today = count_days(situation.today)
    begun = min(by_day, default=today)
    counts: list[float] = []
    for day in range(max(today - DAYS, begun), today):
        judgments = by_day.get(day, 0)
        if (situation.today - timedelta(today - day)).weekday() < 5:
            counts.append(judgments)
        elif counts:
            counts[-1] += judgments
        elif judgments:
            counts.append(judgments)
    return np.array(counts, np.float64)
