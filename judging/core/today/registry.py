"""All alarms: documents and guidelines first, assessors last, never one beside the other."""

from __future__ import annotations

from dataclasses import dataclass

from common.verdicts import Threshold, Thresholds, VerdictState
from judging.core.today.agreement_fall import AGREEMENT_FALL
from judging.core.today.alarm import Alarm, AlarmCheck, AlarmRule
from judging.core.today.grade_shift import GRADE_SHIFT
from judging.core.today.idle_topics import IDLE_TOPICS
from judging.core.today.late_end import LATE_END
from judging.core.today.pace_change import PACE_CHANGE
from judging.core.today.repeat_disagreement import REPEAT_DISAGREEMENT
from judging.core.today.situation import Situation
from judging.core.today.unread_guidelines import UNREAD_GUIDELINES
from judging.core.today.waiting_skips import WAITING_SKIPS

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


@dataclass(frozen=True)
class RuleOutcome:
    rule: AlarmRule
    check: AlarmCheck


def check_alarms(situation: Situation, limits: Thresholds) -> list[RuleOutcome]:
    return [RuleOutcome(rule, rule.check(situation, limits)) for rule in ALARM_RULES]


def sort_alarms(outcomes: list[RuleOutcome]) -> list[Alarm]:
    """Bad ones first, then by the order of the rules, the worst of a rule first."""
    order = {rule.name: at for at, rule in enumerate(ALARM_RULES)}
    alarms = [alarm for outcome in outcomes for alarm in outcome.check.alarms]
    return sorted(
        alarms,
        key=lambda alarm: (
            alarm.state is not VerdictState.BAD,
            order.get(alarm.name, 0),
            -alarm.severity,
        ),
    )
