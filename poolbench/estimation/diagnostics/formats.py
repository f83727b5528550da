"""The report on machines as files: findings and figures of each, and one flat record."""

from collections.abc import Iterator
from dataclasses import asdict

from poolbench.estimation.diagnostics.findings import list_findings
from poolbench.estimation.diagnostics.witness import MachineReport, WitnessReport
from poolbench.number_formats import format_score
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate

SCOPE = (
    "Machines against people's grades of the judged pairs. Intervals are those of other pairs of "
    "such a pool. No finding is not a proof that there is nothing to find."
)
Row = tuple[str, str, str, float | None, float | None, float | None, float | None, bool]
NAMES, NUMBERS = ("machine", "figure", "subject"), ("value", "low", "high", "p")
COLUMNS = (*NAMES, *NUMBERS, "alarm")


def iter_witness_rows(report: MachineReport) -> Iterator[Row]:
    """Machine, figure, what of, value, interval, p by Holm, whether it is an alarm."""

    def row(
        figure: str, subject: str, own: Estimate, p: float | None = None, *, raised: bool = False
    ) -> Row:
        return report.machine, figure, subject, own.value, own.low, own.high, p, raised

    yield row("coverage", "", Estimate(report.coverage, 0))
    if report.confusion is not None:
        yield row("correlation", "", report.confusion.correlation)
        for cell in report.confusion.cells:
            yield row("share", f"people {cell.people}, machine {cell.machine}", cell.share)
        for topic in report.confusion.topics:
            missed = Estimate(topic.missed / topic.pairs, topic.pairs)
            yield row("missed", topic.topic, missed, topic.p, raised=topic.is_flagged)
    for team in report.teams:
        yield row("excess", team.team, team.excess, team.p, raised=team.is_alarm)
    for probe in report.probes:
        yield row("slope", probe.name, probe.slope, probe.p, raised=probe.is_alarm)
    for drift in report.drift:
        yield row("drift", drift.assessor, drift.slope, drift.p, raised=drift.is_alarm)
    if report.gain is not None:
        yield row("gain", "", Estimate(report.gain, 0))
    for ranking in report.rankings:
        yield row("tau", ranking.measure, ranking.tau)
        yield row("tau_ap", ranking.measure, ranking.tau_ap)
        yield row("lean", ranking.measure, Estimate(ranking.lean, 0))


def build_witness_report(report: WitnessReport, title: str) -> Report:
    columns = (
        *make_columns(*NAMES, left=True),
        *make_columns(*NUMBERS, show=format_score),
        Column("alarm", format=lambda raised: "yes" if raised else "no"),
    )
    sections = [
        Section(
            each.machine,
            (Table(each.machine, columns[1:], [row[1:] for row in iter_witness_rows(each)]),),
            tuple(finding.text for finding in list_findings(each)),
            titled=True,
        )
        for each in report.machines
    ]
    conditions = {
        "scope": SCOPE,
        "topics": report.topics,
        "pairs": report.pairs,
        "judged": report.judged,
    }
    notes = (SCOPE, *([f"Nothing to report: {report.why}."] if report.why else []))
    rows = [row for each in report.machines for row in iter_witness_rows(each)]
    return Report(
        title=f"Second witnesses: {title}",
        sections=sections,
        notes=notes,
        conditions=conditions,
        record=Table("witnesses", columns, rows),
        data=lambda: {
            "conditions": conditions,
            **asdict(report),
            "findings": {
                each.machine: [asdict(own) for own in list_findings(each)]
                for each in report.machines
            },
        },
    )


FORMATS = make_formats(build_witness_report)
