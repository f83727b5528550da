"""Alarm: skipped documents that no one is to judge."""

from __future__ import annotations

from poolbench.judging.today.alarm import Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import Situation, count_working_days, format_day
from poolbench.verdicts import Act, VerdictState

NAME = "skips-waiting"
SKIP_DAYS = make_alarm_threshold(
    "skip-days", 2, "working days that a skipped document has waited without an assessor"
)


def check_skips(situation: Situation) -> AlarmCheck:
    limit = SKIP_DAYS.value
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
    (SKIP_DAYS,),
    worse=5,
    check=check_skips,
)
