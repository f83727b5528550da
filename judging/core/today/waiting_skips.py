"""Alarm: skipped documents that no one is to judge."""

from __future__ import annotations

from common.verdicts import Act, Threshold, Thresholds, VerdictState
from judging.core.today.alarm import Alarm, AlarmCheck, AlarmRule
from judging.core.today.situation import Situation
from judging.core.today.working_days import count_working_days, format_day

NAME = "skips-waiting"
THRESHOLDS = (
    Threshold(
        "today-skip-days",
        2,
        "working days that a skipped document has waited without an assessor",
        "Poolbench, decision 0057",
        most=20,
    ),
)


def check_skips(situation: Situation, limits: Thresholds) -> AlarmCheck:
    limit = limits["today-skip-days"].value
    late = [day for day in situation.skips if count_working_days(day, situation.today) >= limit]
    if not late:
        return AlarmCheck(examined=len(situation.skips))
    count = len(late)
    documents = "1 skipped document waits" if count == 1 else f"{count:,} skipped documents wait"
    alarm = Alarm(
        NAME,
        "",
        VerdictState.AMBER,
        count,
        f"{documents} for no one, the oldest since {format_day(min(late))}.",
        "Every assessor of the topic has skipped it, or the document cannot be read.",
        (Act("Reassign or close them", "judging", documents=count),),
    )
    return AlarmCheck((alarm,), len(situation.skips))


WAITING_SKIPS = AlarmRule(
    NAME,
    "Skipped documents",
    "A skipped document has waited for so many working days, and no assessor is to judge it.",
    THRESHOLDS,
    worse=5,
    check=check_skips,
)
