"""All alarms: documents and guidelines first, assessors last, never one beside the other."""

from collections.abc import Iterable, Mapping, Sequence

from poolbench.judging.today.agreement_fall import AGREEMENT_FALL
from poolbench.judging.today.alarm import Alarm, AlarmCheck, AlarmRule
from poolbench.judging.today.assessor_alarms import GRADE_SHIFT, PACE_CHANGE, REPEAT_DISAGREEMENT
from poolbench.judging.today.forecast import LATE_END
from poolbench.judging.today.situation import Situation
from poolbench.judging.today.work_alarms import (
    IDLE_TOPICS,
    STANDSTILL,
    UNREAD_GUIDELINES,
    WAITING_SKIPS,
)
from poolbench.verdicts import Threshold, VerdictState

ALARM_RULES: tuple[AlarmRule, ...] = (
    AGREEMENT_FALL,
    IDLE_TOPICS,
    LATE_END,
    UNREAD_GUIDELINES,
    WAITING_SKIPS,
    GRADE_SHIFT,
    REPEAT_DISAGREEMENT,
    PACE_CHANGE,
)
"""In the order in which alarms of the same state are listed."""
ALARM_THRESHOLDS: tuple[Threshold, ...] = tuple(
    threshold for rule in ALARM_RULES for threshold in rule.thresholds
)
WORSE = {rule.name: rule.worse for rule in ALARM_RULES}
WORSE[STANDSTILL] = IDLE_TOPICS.worse
AlarmKey = tuple[str, str]
"""The name of an alarm and its subject."""


def check_alarms(situation: Situation) -> list[tuple[AlarmRule, AlarmCheck]]:
    return [(rule, rule.check(situation)) for rule in ALARM_RULES]


def sort_alarms(outcomes: Iterable[tuple[AlarmRule, AlarmCheck]]) -> list[Alarm]:
    """Bad ones first, then by the order of the rules, the worst of a rule first."""
    order = {rule.name: at for at, rule in enumerate(ALARM_RULES)}
    return sorted(
        (alarm for _, check in outcomes for alarm in check.alarms),
        key=lambda a: (a.state is not VerdictState.BAD, order.get(a.name, 0), -a.severity),
    )


def split_alarms(
    alarms: Sequence[Alarm], aside: Mapping[AlarmKey, float]
) -> tuple[list[Alarm], list[Alarm]]:
    """Those that sound, and those that are put aside: they come back only if the matter gets
    worse. ``aside`` has the severity at that time.
    """
    sounding, quiet = list[Alarm](), list[Alarm]()
    for alarm in alarms:
        severity = aside.get((alarm.name, alarm.subject))
        is_quiet = severity is not None and alarm.severity < severity + WORSE[alarm.name]
        (quiet if is_quiet else sounding).append(alarm)
    return sounding, quiet
