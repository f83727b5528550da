"""All controls of all workers of a study, and the alarms that they raise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from poolbench.crowd.quality.alarms import list_quality_alarms
from poolbench.crowd.quality.answers import CrowdAnswer, group_by_worker
from poolbench.crowd.quality.balanced import BalancedAccuracy, compute_balanced_accuracy
from poolbench.crowd.quality.others import (
    AgreementWithOthers,
    compare_with_others,
    summarize_agreement,
)
from poolbench.crowd.quality.repeats import measure_crowd_repeats
from poolbench.crowd.quality.stop_rule import StopRule
from poolbench.crowd.quality.straight_lining import LineCheck, check_straight_lining
from poolbench.crowd.quality.time_floor import PaceSummary, TimeFloor, summarize_crowd_pace
from poolbench.crowd.quality.wilson import compute_wilson_interval
from poolbench.judging.today.alarm import Alarm
from poolbench.statistics.estimate import Estimate


@dataclass(frozen=True)
class QualitySettings:
    """The rules of a study; ``scale`` are its grades."""

    scale: tuple[int, ...]
    rule: StopRule
    floor: TimeFloor


@dataclass(frozen=True)
class WorkerQuality:
    """The controls of one worker; ``judged`` answers, ``skipped`` of them skips."""

    judged: int
    skipped: int
    gold: Estimate
    balanced: BalancedAccuracy
    pace: PaceSummary
    lines: LineCheck
    repeats: Estimate
    others: AgreementWithOthers
    alarms: tuple[Alarm, ...] = ()


def measure_workers(
    answers: Sequence[CrowdAnswer],
    settings: QualitySettings,
    counting: Iterable[CrowdAnswer] | None = None,
) -> dict[str, WorkerQuality]:
    """Every worker with at least one answer. ``answers`` are in the order of time; others are
    compared with those of ``counting`` (by default all): work set aside is not in it.
    """
    workers = group_by_worker(answers)
    lines = check_straight_lining(workers, settings.scale)
    others = compare_with_others(answers if counting is None else counting)
    return {
        name: _measure_worker(own, settings, lines[name], others.get(name))
        for name, own in workers.items()
    }


def _measure_worker(
    own: list[CrowdAnswer],
    settings: QualitySettings,
    lines: LineCheck,
    others: AgreementWithOthers | None,
) -> WorkerQuality:
    gold = [
        (a.gold_grade, a.grade) for a in own if a.gold_grade is not None and a.grade is not None
    ]
    timed = [(a.seconds, a.characters) for a in own if a.seconds is not None]
    repeats = measure_crowd_repeats(own)
    skipped = sum(a.grade is None for a in own)
    accuracy = compute_wilson_interval(
        sum(gold_grade == grade for gold_grade, grade in gold), len(gold)
    )
    pace = summarize_crowd_pace(timed, settings.floor)
    agreement = others or summarize_agreement([])
    alarms = list_quality_alarms(
        settings.rule, accuracy, pace, lines, repeats, agreement, (skipped, len(own))
    )
    return WorkerQuality(
        judged=len(own),
        skipped=skipped,
        gold=accuracy,
        balanced=compute_balanced_accuracy(gold),
        pace=pace,
        lines=lines,
        repeats=repeats,
        others=agreement,
        alarms=alarms,
    )
