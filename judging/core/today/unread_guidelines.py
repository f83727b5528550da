"""Alarm: an assessor goes on judging without the guidelines that have changed."""

from __future__ import annotations

from common.verdicts import Act, Threshold, Thresholds, VerdictState
from judging.core.today.alarm import Alarm, AlarmCheck, AlarmRule
from judging.core.today.situation import Situation
from judging.core.today.working_days import format_day

NAME = "guidelines-unread"
THRESHOLDS = (
    Threshold(
        "today-unread",
        20,
        "judgments since the change of the guidelines, all with an older version on the page",
        "Poolbench, decision 0057",
        most=1000,
    ),
)


def check_guidelines(situation: Situation, limits: Thresholds) -> AlarmCheck:
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
        if count >= limits["today-unread"].value
    )
    return AlarmCheck(alarms, 1)


UNREAD_GUIDELINES = AlarmRule(
    NAME,
    "Changed guidelines",
    "Since the guidelines changed, an assessor has judged without opening them.",
    THRESHOLDS,
    worse=50,
    check=check_guidelines,
)
