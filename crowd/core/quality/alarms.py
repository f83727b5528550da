"""Alarms of the controls: what was exceeded, the evidence, and what an organizer can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crowd.core.quality.others import AgreementWithOthers
from crowd.core.quality.repeats import CONSISTENT, is_inconsistent
from crowd.core.quality.stop_rule import StopRule
from crowd.core.quality.straight_lining import UNLIKELY, LineCheck
from crowd.core.quality.time_floor import HASTY_SHARE, PaceSummary
from crowd.core.quality.wilson import WilsonInterval

FEWEST_ANSWERS = 10
SKIP_SHARE = 0.5
ALARM_TITLES = {
    "gold": "Gold",
    "pace": "Too fast",
    "line": "Same grade in a row",
    "repeats": "Inconsistent",
    "others": "Agrees by chance",
    "skips": "Many skips",
}
"""Short names of the alarms, by code."""


@dataclass(frozen=True)
class QualityAlarm:
    """``code`` is a key of ``ALARM_TITLES``; ``threshold``, ``evidence`` and ``act`` in words."""

    code: str
    threshold: str
    evidence: str
    act: str

    @property
    def title(self) -> str:
        return ALARM_TITLES[self.code]


def list_quality_alarms(
    rule: StopRule,
    gold: WilsonInterval,
    pace: PaceSummary,
    lines: LineCheck,
    repeats: WilsonInterval,
    others: AgreementWithOthers,
    skips: tuple[int, int],
) -> tuple[QualityAlarm, ...]:
    """The alarms of one worker; ``skips`` are the skipped of all answers."""
    return (
        *_gold_alarms(rule, gold),
        *_pace_alarms(pace),
        *_line_alarms(lines),
        *_agreement_alarms(repeats, others),
        *_skip_alarms(*skips),
    )


def _gold_alarms(rule: StopRule, gold: WilsonInterval) -> Iterator[QualityAlarm]:
    if rule.is_met(gold):
        yield QualityAlarm(
            "gold",
            f"upper bound below {rule.below:g} after {rule.fewest} gold documents",
            f"{gold.right} of {gold.n} right, upper bound {gold.high:.2f}",
            "The stop rule sets the worker aside; undo it if the gold is wrong.",
        )


def _pace_alarms(pace: PaceSummary) -> Iterator[QualityAlarm]:
    if pace.is_alarming:
        yield QualityAlarm(
            "pace",
            f"{HASTY_SHARE:.0%} of the answers below the time floor",
            f"{pace.hasty} of {pace.timed} answers, median {pace.median or 0:.1f} seconds",
            "Look at the timeline; set the units aside in which documents were not read.",
        )


def _line_alarms(lines: LineCheck) -> Iterator[QualityAlarm]:
    if lines.is_alarming:
        yield QualityAlarm(
            "line",
            f"a run whose probability is below {UNLIKELY:g}",
            f"{lines.longest} equal grades in a row, probability {lines.probability:.1g}",
            "Compare the documents of the run with the grades of others.",
        )


def _agreement_alarms(
    repeats: WilsonInterval, others: AgreementWithOthers
) -> Iterator[QualityAlarm]:
    if is_inconsistent(repeats):
        yield QualityAlarm(
            "repeats",
            f"upper bound of self-consistency below {CONSISTENT:g}",
            f"{repeats.right} of {repeats.n} repeats with the same grade",
            "Check whether instructions are clear for the documents that were repeated.",
        )
    if others.is_alarming:
        yield QualityAlarm(
            "others",
            "agreement with the others not above chance",
            f"{others.share.right} of {others.share.n} as the majority of the others, "
            f"{others.chance or 0:.0%} expected by chance",
            "Look at the disagreements; set aside if the gold accuracy is low as well.",
        )


def _skip_alarms(skipped: int, answers: int) -> Iterator[QualityAlarm]:
    if answers >= FEWEST_ANSWERS and skipped >= SKIP_SHARE * answers:
        yield QualityAlarm(
            "skips",
            f"{SKIP_SHARE:.0%} of at least {FEWEST_ANSWERS} documents skipped",
            f"{skipped} of {answers} skipped",
            "Check whether the documents display; read the reasons that were given.",
        )
