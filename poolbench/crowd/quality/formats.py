"""The workers of a study as a report for the writers of ``poolbench.reports``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from poolbench.crowd.quality.workers import WorkerQuality
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats


@dataclass(frozen=True)
class WorkerLine:
    """A worker of the report: pseudonym, state in words, units by state, and the controls."""

    pseudonym: str
    state: str
    units: Mapping[str, int]
    quality: WorkerQuality | None


RECORD = (
    "pseudonym", "state", "units", "complete", "judged", "skipped", "gold_right", "gold_shown",
    "gold_low", "gold_high", "balanced", "median_seconds", "timed", "hasty", "repeats_equal",
    "repeats", "others_equal", "others", "others_chance", "others_kappa", "longest_run",
    "run_probability", "entropy", "alarms",
)  # fmt: skip
SHORT = ("pseudonym", "state", "judged", "gold_right", "gold_shown", "median_seconds", "alarms")


def list_worker_values(line: WorkerLine) -> tuple[Any, ...]:
    """The cells of ``RECORD``."""
    head = (line.pseudonym, line.state, sum(line.units.values()), line.units.get("complete", 0))
    quality = line.quality
    if quality is None:
        return (*head, 0, 0, *[None] * (len(RECORD) - len(head) - 3), "")
    gold, repeats, others, run = quality.gold, quality.repeats, quality.others, quality.lines
    return (
        *head, quality.judged, quality.skipped, gold.successes, gold.n, gold.low, gold.high,
        quality.balanced, quality.pace.median, quality.pace.timed, quality.pace.hasty,
        repeats.successes, repeats.n, others.share.successes, others.share.n, others.chance,
        others.kappa, run.longest, run.probability, run.entropy,
        "|".join(alarm.name for alarm in quality.alarms),
    )  # fmt: skip


def build_workers_report(title: str, lines: Sequence[WorkerLine]) -> Report:
    """One row for each worker, then the alarms with threshold, evidence and act."""
    values = [list_worker_values(line) for line in lines]
    places = [RECORD.index(name) for name in SHORT]
    alarms = [
        (line.pseudonym, alarm.title, alarm.sentence, alarm.evidence, alarm.acts[0].label)
        for line in lines
        if line.quality
        for alarm in line.quality.alarms
    ]
    short = Table(
        "workers",
        make_columns(*SHORT, left=True, undefined=""),
        [[row[at] for at in places] for row in values],
    )
    sections = [Section("Workers", (short,), name="workers")]
    if alarms:
        columns = ("worker", "alarm", "threshold", "evidence", "act")
        table = Table("alarms", tuple(Column(name, left=True) for name in columns), alarms)
        sections.append(Section("Alarms", (table,), name="alarms"))
    return Report(
        title,
        sections,
        record=Table("workers", make_columns(*RECORD), values),
        data=lambda: {
            "workers": [dict(zip(RECORD, row, strict=True)) for row in values],
            "alarms": [
                dict(zip(("worker", "alarm", "threshold", "evidence", "act"), row, strict=True))
                for row in alarms
            ],
        },
    )


WORKERS_FORMATS = make_formats(build_workers_report)
