"""An alarm: what is wrong, how one knows, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from common.verdicts import Act, Threshold, Thresholds, VerdictState
from judging.core.today.situation import Situation

LEVEL = 0.05
"""How often an alarm may sound in a day on which nothing is wrong (``docs/today.md``). A rule that
looks at several topics or assessors divides it by their number (Bonferroni).
"""


@dataclass(frozen=True)
class Alarm:
    """``subject`` is the topic, assessor or version that it is about, "" for the campaign.

    ``severity`` grows as the matter gets worse; ``state`` is BAD or AMBER.
    """

    name: str
    subject: str
    state: VerdictState
    severity: float
    sentence: str
    evidence: str
    acts: tuple[Act, ...] = ()


@dataclass(frozen=True)
class AlarmCheck:
    """What a rule has found: its alarms, how many topics, assessors or documents it could examine,
    and what is missing for the others ("" if nothing is).
    """

    alarms: tuple[Alarm, ...] = ()
    examined: int = 0
    missing: str = ""


@dataclass(frozen=True)
class AlarmRule:
    """``worse``: by how much the severity has to grow until an alarm that was put aside comes back.

    ``watches`` says in words when it sounds; its numbers are ``thresholds``.
    """

    name: str
    title: str
    watches: str
    thresholds: tuple[Threshold, ...]
    worse: float
    check: Callable[[Situation, Thresholds], AlarmCheck]


def encode_alarm(alarm: Alarm) -> dict[str, Any]:
    """As plain JSON."""
    acts = [
        {
            "label": act.label,
            "page": act.page,
            "args": list(act.args),
            "query": dict(act.query),
            "documents": act.documents,
            "minutes": act.minutes,
        }
        for act in alarm.acts
    ]
    return {**vars(alarm), "state": alarm.state.value, "acts": acts}


def decode_alarm(data: Mapping[str, Any]) -> Alarm:
    acts = tuple(Act(**{**act, "args": tuple(act["args"])}) for act in data["acts"])
    return Alarm(**{**data, "state": VerdictState(data["state"]), "acts": acts})
