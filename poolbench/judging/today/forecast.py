"""When judging will be done, by the measured pace; alarm: not when it is to close."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from poolbench.judging.today.alarm import Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import (
    Floats,
    Situation,
    WorkLog,
    add_working_days,
    count_days,
    count_working_days,
    format_day,
)
from poolbench.number_formats import format_percent
from poolbench.verdicts import Act, VerdictState

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


NAME = "end-late"
LATE_DAYS = make_alarm_threshold(
    "late-days",
    0,
    "working days after the judging deadline on which judging would end at the soonest",
)


def check_end(situation: Situation) -> AlarmCheck:
    """Late at the fast end of the forecast's interval: at one in twenty only by chance."""
    deadline = situation.deadline
    if deadline is None:
        return AlarmCheck(missing="no judging deadline is set")
    if not situation.left or situation.is_paused:
        return AlarmCheck(examined=1)
    if situation.today > deadline:
        return AlarmCheck((describe_closed(situation, deadline),), 1)
    forecast = forecast_end(situation)
    if forecast.soonest is None:
        return AlarmCheck(missing=forecast.reason)
    limit = LATE_DAYS.value
    late = 1 + count_working_days(deadline, forecast.soonest)
    is_late = forecast.soonest > deadline and late > limit
    alarms = (describe_late_end(situation, forecast, deadline),) if is_late else ()
    return AlarmCheck(alarms, 1)


def describe_late_end(situation: Situation, forecast: EndForecast, deadline: date) -> Alarm:
    end, soonest, latest = (
        day or deadline for day in (forecast.end, forecast.soonest, forecast.latest)
    )
    days = count_working_days(situation.today, deadline) + 1
    beyond = math.ceil(situation.left - days * (forecast.per_day or 0))
    return Alarm(
        NAME,
        "",
        VerdictState.AMBER,
        1 + count_working_days(deadline, end),
        f"Judging would end on {format_day(end)} instead of {format_day(deadline)}: "
        f"{situation.left:,} judgments left at {forecast.per_day:,.0f} a working day.",
        f"Likely between {format_day(soonest)} and {format_day(latest)} "
        f"({format_percent(CONFIDENCE)} interval, by the last {forecast.days} working days)."
        + (f" The last documents wait for {forecast.whose}." if forecast.whose else ""),
        (
            Act(
                "Reassign what is beyond the deadline",
                "judging",
                documents=beyond if beyond > 0 else None,
            ),
            Act("Move the judging deadline", "campaign-settings"),
            Act("See whether more judgments change anything", "stopping"),
        ),
    )


def describe_closed(situation: Situation, deadline: date) -> Alarm:
    return Alarm(
        NAME,
        "",
        VerdictState.AMBER,
        1 + count_working_days(deadline, situation.today),
        f"Judging closed on {format_day(deadline)} with {situation.left:,} judgments missing.",
        "Assessors can submit no more judgments.",
        (
            Act("Move the judging deadline", "campaign-settings"),
            Act("Close the plan and freeze qrels", "qrels-list"),
        ),
    )


LATE_END = AlarmRule(
    NAME,
    "End of judging",
    "By the pace of the last 14 days judging ends after its deadline, also at the fast end of the "
    f"{format_percent(CONFIDENCE)} interval.",
    (LATE_DAYS,),
    worse=3,
    check=check_end,
)
