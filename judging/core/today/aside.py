"""Alarms that were put aside: they come back only if the matter gets worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judging.core.today.alarm import Alarm
from judging.core.today.idle_topics import NAME as IDLE
from judging.core.today.idle_topics import STANDSTILL
from judging.core.today.registry import ALARM_RULES

WORSE = {rule.name: rule.worse for rule in ALARM_RULES}
WORSE[STANDSTILL] = WORSE[IDLE]
AlarmKey = tuple[str, str]
"""The name of an alarm and its subject."""


def split_alarms(
    alarms: Sequence[Alarm], aside: Mapping[AlarmKey, float]
) -> tuple[list[Alarm], list[Alarm]]:
    """Those that sound, and those that are put aside; ``aside`` has the severity at that time."""
    sounding, quiet = list[Alarm](), list[Alarm]()
    for alarm in alarms:
        severity = aside.get((alarm.name, alarm.subject))
        is_quiet = severity is not None and alarm.severity < severity + WORSE[alarm.name]
        (quiet if is_quiet else sounding).append(alarm)
    return sounding, quiet
