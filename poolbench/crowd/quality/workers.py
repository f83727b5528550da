"""All controls of all workers of a study, the alarms that they raise, and the cards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from poolbench.crowd.pay import PAY_RULES
from poolbench.crowd.quality.answers import (
    CONSISTENT,
    OTHERS,
    SELF_CONSISTENCY,
    AgreementWithOthers,
    CrowdAnswer,
    compare_with_others,
    group_by_worker,
    is_inconsistent,
    measure_crowd_repeats,
    summarize_agreement,
)
from poolbench.crowd.quality.careless import (
    HASTY_SHARE,
    STRAIGHT_LINING,
    TIME_FLOOR,
    UNLIKELY,
    LineCheck,
    PaceSummary,
    TimeFloor,
    check_straight_lining,
    summarize_crowd_pace,
)
from poolbench.crowd.quality.gold import (
    BALANCED,
    STOP_RULE,
    WILSON,
    StopRule,
    compute_balanced_accuracy,
    compute_wilson_interval,
)
from poolbench.crowd.quality.unsure import UNSURE
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
_ACTS = {
    "gold": "The stop rule sets the worker aside; undo it if the gold is wrong.",
    "pace": "Look at the timeline; set the units aside in which documents were not read.",
    "line": "Compare the documents of the run with the grades of others.",
    "repeats": "Check whether instructions are clear for the documents that were repeated.",
    "others": "Look at the disagreements; set aside if the gold accuracy is low as well.",
    "skips": "Check whether the documents display; read the reasons that were given.",
}
"""What an organizer can do on the page of the worker."""


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
    balanced: float | None
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
    quality = WorkerQuality(
        judged=len(own),
        skipped=sum(a.grade is None for a in own),
        gold=compute_wilson_interval(sum(known == grade for known, grade in gold), len(gold)),
        balanced=compute_balanced_accuracy(gold),
        pace=summarize_crowd_pace(timed, settings.floor),
        lines=lines,
        repeats=measure_crowd_repeats(own),
        others=others or summarize_agreement([]),
    )
    return replace(quality, alarms=list_quality_alarms(settings.rule, quality))


def list_quality_alarms(rule: StopRule, quality: WorkerQuality) -> tuple[Alarm, ...]:
    """An alarm for each control whose threshold is exceeded, with the evidence."""
    gold, pace, lines, repeats, others = (
        quality.gold, quality.pace, quality.lines, quality.repeats, quality.others,
    )  # fmt: skip
    checks = {
        "gold": (
            rule.is_met(gold),
            f"upper bound below {rule.below:g} after {rule.fewest} gold documents",
            f"{gold.successes} of {gold.n} right, upper bound {gold.high or 0:.2f}",
        ),
        "pace": (
            pace.is_alarming,
            f"{HASTY_SHARE:.0%} of the answers below the time floor",
            f"{pace.hasty} of {pace.timed} answers, median {pace.median or 0:.1f} seconds",
        ),
        "line": (
            lines.is_alarming,
            f"a run whose probability is below {UNLIKELY:g}",
            f"{lines.longest} equal grades in a row, probability {lines.probability or 0:.1g}",
        ),
        "repeats": (
            is_inconsistent(repeats),
            f"upper bound of self-consistency below {CONSISTENT:g}",
            f"{repeats.successes} of {repeats.n} repeats with the same grade",
        ),
        "others": (
            others.is_alarming,
            "agreement with the others not above chance",
            (
                f"{others.share.successes} of {others.share.n} as the majority of the others, "
                f"{others.chance or 0:.0%} expected by chance"
            ),
        ),
        "skips": (
            quality.judged >= FEWEST_ANSWERS and quality.skipped >= SKIP_SHARE * quality.judged,
            f"{SKIP_SHARE:.0%} of at least {FEWEST_ANSWERS} documents skipped",
            f"{quality.skipped} of {quality.judged} skipped",
        ),
    }
    return tuple(
        Alarm(
            *(name, "", VerdictState.AMBER, 0.0, threshold, evidence),
            (Act(_ACTS[name], "study-worker"),),
            title=ALARM_TITLES[name],
        )
        for name, (is_exceeded, threshold, evidence) in checks.items()
        if is_exceeded
    )


CARDS = (WILSON, BALANCED, STOP_RULE, TIME_FLOOR, STRAIGHT_LINING, SELF_CONSISTENCY, OTHERS, UNSURE)
PAY_CARDS = (PAY_RULES,)
