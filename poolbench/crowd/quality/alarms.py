"""Alarms of the controls: what was exceeded, the evidence, and what an organizer can do."""

from __future__ import annotations

from collections.abc import Iterator

from poolbench.crowd.quality.others import AgreementWithOthers
from poolbench.crowd.quality.repeats import CONSISTENT, is_inconsistent
from poolbench.crowd.quality.stop_rule import StopRule
from poolbench.crowd.quality.straight_lining import UNLIKELY, LineCheck
from poolbench.crowd.quality.time_floor import HASTY_SHARE, PaceSummary
from poolbench.judging.today.alarm import Alarm
from poolbench.statistics.estimate import Estimate
from poolbench.verdicts import Act, VerdictState

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
"""Short names of the alarms, by name."""


def _warn(name: str, threshold: str, evidence: str, act: str) -> Alarm:
    """``threshold`` says what was exceeded, ``act`` what to do on the page of the worker."""
    acts = (Act(act, "study-worker"),)
    return Alarm(
        name, "", VerdictState.AMBER, 0.0, threshold, evidence, acts, title=ALARM_TITLES[name]
    )


def list_quality_alarms(
    rule: StopRule,
    gold: Estimate,
    pace: PaceSummary,
    lines: LineCheck,
    repeats: Estimate,
    others: AgreementWithOthers,
    skips: tuple[int, int],
) -> tuple[Alarm, ...]:
    """The alarms of one worker; ``skips`` are the skipped of all answers."""
    return (
        *_gold_alarms(rule, gold),
        *_pace_alarms(pace),
        *_line_alarms(lines),
        *_agreement_alarms(repeats, others),
        *_skip_alarms(*skips),
    )


def _gold_alarms(rule: StopRule, gold: Estimate) -> Iterator[Alarm]:
    if rule.is_met(gold):
        yield _warn(
            "gold",
            f"upper bound below {rule.below:g} after {rule.fewest} gold documents",
            f"{gold.successes} of {gold.n} right, upper bound {gold.high:.2f}",
            "The stop rule sets the worker aside; undo it if the gold is wrong.",
        )


def _pace_alarms(pace: PaceSummary) -> Iterator[Alarm]:
    if pace.is_alarming:
        yield _warn(
            "pace",
            f"{HASTY_SHARE:.0%} of the answers below the time floor",
            f"{pace.hasty} of {pace.timed} answers, median {pace.median or 0:.1f} seconds",
            "Look at the timeline; set the units aside in which documents were not read.",
        )


def _line_alarms(lines: LineCheck) -> Iterator[Alarm]:
    if lines.is_alarming:
        yield _warn(
            "line",
            f"a run whose probability is below {UNLIKELY:g}",
            f"{lines.longest} equal grades in a row, probability {lines.probability:.1g}",
            "Compare the documents of the run with the grades of others.",
        )


def _agreement_alarms(repeats: Estimate, others: AgreementWithOthers) -> Iterator[Alarm]:
    if is_inconsistent(repeats):
        yield _warn(
            "repeats",
            f"upper bound of self-consistency below {CONSISTENT:g}",
            f"{repeats.successes} of {repeats.n} repeats with the same grade",
            "Check whether instructions are clear for the documents that were repeated.",
        )
    if others.is_alarming:
        yield _warn(
            "others",
            "agreement with the others not above chance",
            f"{others.share.successes} of {others.share.n} as the majority of the others, "
            f"{others.chance or 0:.0%} expected by chance",
            "Look at the disagreements; set aside if the gold accuracy is low as well.",
        )


def _skip_alarms(skipped: int, answers: int) -> Iterator[Alarm]:
    if answers >= FEWEST_ANSWERS and skipped >= SKIP_SHARE * answers:
        yield _warn(
            "skips",
            f"{SKIP_SHARE:.0%} of at least {FEWEST_ANSWERS} documents skipped",
            f"{skipped} of {answers} skipped",
            "Check whether the documents display; read the reasons that were given.",
        )
