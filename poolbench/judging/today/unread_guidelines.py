"""Alarm: an assessor goes on judging without the guidelines that have changed."""

from __future__ import annotations

from poolbench.judging.today.alarm import Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import Situation, format_day
from poolbench.verdicts import Act, VerdictState

NAME = "guidelines-unread"
MOST_UNREAD = make_alarm_threshold(
    "unread",
    20,
    "judgments since the change of the guidelines, all with an older version on the page",
)


def check_guidelines(situation: Situation) -> AlarmCheck:
    """The judgments say which version the assessor has had open."""
    change = situation.guidelines
    if change is None:
        return AlarmCheck(missing="the guidelines have not changed since judging began")
    alarms = tuple(
        Alarm(
            NAME,
            f"{name}, version {change.version}",
            VerdictState.AMBER,
            count,
            f"{name} has judged {count:,} documents since the guidelines changed on "
            f"{format_day(change.day)}, and has not opened version {change.version}.",
            "With each of them the page showed an older version, or the new one was folded away.",
            (
                Act("What has changed", "guidelines"),
                Act(f"Write to {name}", "review-new", (name,), documents=count),
            ),
        )
        for name, count in change.unread
        if count >= MOST_UNREAD.value
    )
    return AlarmCheck(alarms, 1)


UNREAD_GUIDELINES = AlarmRule(
    NAME,
    "Changed guidelines",
    "Since the guidelines changed, an assessor has judged without opening them.",
    (MOST_UNREAD,),
    worse=50,
    check=check_guidelines,
)
