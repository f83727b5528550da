"""Alarm: judging will not be done when it is to close."""

from __future__ import annotations

import math
from datetime import date

from common.number_formats import format_percent
from common.verdicts import Act, Threshold, Thresholds, VerdictState
from judging.core.today.alarm import Alarm, AlarmCheck, AlarmRule
from judging.core.today.forecast import CONFIDENCE, EndForecast, forecast_end
from judging.core.today.situation import Situation
from judging.core.today.working_days import count_working_days, format_day

NAME = "end-late"
THRESHOLDS = (
    Threshold(
        "today-late-days",
        0,
        "working days after the judging deadline on which judging would end at the soonest",
        "Poolbench, decision 0057",
        most=60,
    ),
)


def check_end(situation: Situation, limits: Thresholds) -> AlarmCheck:
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
    limit = limits["today-late-days"].value
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
    THRESHOLDS,
    worse=3,
    check=check_end,
)
