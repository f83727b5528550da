"""An alarm: what is wrong, how one knows, and what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass

from poolbench.judging.today.situation import Situation
from poolbench.verdicts import Act, Threshold, VerdictState

LEVEL = 0.05
"""How often an alarm may sound in a day on which nothing is wrong (``docs/today.md``). A rule that
looks at several topics or assessors divides it by their number (Bonferroni).
"""


def make_alarm_threshold(name: str, value: float, meaning: str) -> Threshold:
    return Threshold(f"today-{name}", value, meaning, "Poolbench, decision 0057")


@dataclass(frozen=True)
class Alarm:
    """``subject`` is the topic, assessor or version that it is about, "" for the campaign.

    ``severity`` grows as the matter gets worse; ``state`` is BAD or AMBER. ``title`` is the short
    name of its kind where a table lists several kinds.
    """

    name: str
    subject: str
    state: VerdictState
    severity: float
    sentence: str
    evidence: str
    acts: tuple[Act, ...] = ()
    title: str = ""


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
    check: Callable[[Situation], AlarmCheck]
