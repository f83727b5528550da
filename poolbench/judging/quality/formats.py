"""Assessor quality for the writers of ``poolbench.reports``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from poolbench.judging.agreement.formats import (
    INTERVAL,
    build_agreement_report,
    format_full,
    make_coefficient_columns,
)
from poolbench.judging.agreement.report import AgreementReport, Row
from poolbench.judging.quality.report import EVERYONE, QualityReport
from poolbench.judging.repeats import SOONEST
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import HINT_NOTE
from poolbench.verdicts import Verdict

TABLE_COEFFICIENTS = ("percent", "kappa", "kappa-quadratic", "alpha-ordinal")
"""Coefficients in the tables of self-consistency and automatic assessors; JSON has all."""
RECORD = ("assessor", "figure", "value", "low", "high", "n", "reason", "no_interval")
EVERYBODY = "all assessors"
ASSESSOR = Column("assessor", left=True)


def build_quality_sections(report: QualityReport, rows: int | None = None) -> Iterator[Section]:
    """Bias and drift, self-consistency, pace and automatic assessors, without empty
    tables, and the reasons for undefined values. At most ``rows`` assessors, those with the most
    comparable judgments.
    """
    report = report.largest(rows)
    yield from (section for section in _sections(report) if section.tables[0].rows)
    reasons = list(_reasons(report))
    printed = (*report.bias.values(), *(drift.slope for drift in report.drift.values()))
    if any(estimate.is_hint for estimate in printed):
        reasons.append(HINT_NOTE)
    if reasons:
        yield Section("Notes on assessor quality", notes=tuple(reasons))


def build_judging_report(
    report: AgreementReport,
    quality: QualityReport,
    rows: int | None = None,
    verdict: Verdict | None = None,
) -> Report:
    """The verdict if there is one, agreement, then assessor quality."""
    sections = build_quality_sections(quality, rows)
    return build_agreement_report(report, quality.as_dict(), rows, sections, verdict=verdict)


def _sections(report: QualityReport) -> Iterator[Section]:
    biases = [
        (name, bias.value, bias, bias.n, slope.value, slope, slope.n)
        for name, bias in report.bias.items()
        for slope in [report.drift[name].slope]
    ]
    values = make_coefficient_columns("bias"), make_coefficient_columns("drift per 100")
    columns = (ASSESSOR, *values[0], INTERVAL, Column("n"), *values[1], INTERVAL, Column("n"))
    yield Section("Bias and drift", (Table("bias", columns, biases),))
    rows = _consistency_rows(report.consistency)
    yield _coefficients_section("Self-consistency", "self-consistency", rows)
    near = f"repeats within {SOONEST} documents"
    yield _coefficients_section("Close repeats", near, _consistency_rows(report.near_consistency))
    paces = [
        (name, pace.overall.median, pace.overall.n, pace.hasty)
        for name, pace in report.pace.items()
        if pace.overall.n
    ]
    columns = (
        *(Column("median active seconds", left=True), *make_coefficient_columns("seconds")),
        *make_columns("n", "hasty"),
    )
    yield Section("Pace", (Table("pace", columns, paces),))
    head = "automatic assessor against"
    yield _coefficients_section("Automatic assessors", head, _automatic_rows(report))


def _coefficients_section(title: str, head: str, rows: Iterable[tuple[str, Row]]) -> Section:
    values = make_coefficient_columns(*TABLE_COEFFICIENTS)
    cells = [
        (name, *(row[each].value for each in TABLE_COEFFICIENTS), row["percent"].n)
        for name, row in rows
    ]
    return Section(title, (Table(head, (Column(head, left=True), *values, Column("n")), cells),))


def _consistency_rows(rows: Mapping[str, Row]) -> Iterator[tuple[str, Row]]:
    for name, row in rows.items():
        yield EVERYBODY if name == EVERYONE else name, row


def _automatic_rows(report: QualityReport) -> Iterator[tuple[str, Row]]:
    for name, quality in report.automatic.items():
        for who, row in {"consensus": quality.consensus, **quality.people}.items():
            yield f"{name} ~ {who}", row


def _reasons_of_rows(rows: Iterable[tuple[str, Row]], prefix: str) -> Iterable[str]:
    for name, row in rows:
        for coefficient in TABLE_COEFFICIENTS:
            if row[coefficient].reason:
                yield f"{name}, {prefix}{coefficient}: {row[coefficient].reason}"


def _reasons(report: QualityReport) -> Iterable[str]:
    yield from _reasons_of_rows(_consistency_rows(report.consistency), "self-consistency, ")
    yield from _reasons_of_rows(_automatic_rows(report), "")
    slopes = {name: drift.slope for name, drift in report.drift.items()}
    if len({slope.reason for slope in slopes.values()}) == 1 < len(slopes):
        slopes = {EVERYBODY: next(iter(slopes.values()))}
    for figure, estimates in (("bias", report.bias), ("drift", slopes)):
        for name, estimate in estimates.items():
            if estimate.why:
                lacks = "" if estimate.reason else ", interval"
                yield f"{name}, {figure}{lacks}: {estimate.why}"


def build_quality_report(
    report: QualityReport, rows: int | None = None, settings: Mapping[str, Any] | None = None
) -> Report:
    """Assessor quality alone. CSV has a line per assessor and figure, all of them; ``settings`` are
    its conditions.
    """
    third = {key: value for key, value in (settings or {}).items() if key == "third_judgments"}
    return Report(
        title="Assessor quality",
        sections=build_quality_sections(report, rows),
        conditions=settings or {},
        record=Table("assessors", make_columns(*RECORD), list_quality_records(report)),
        data=lambda: {**third, **report.as_dict()},
    )


def list_quality_records(report: QualityReport) -> list[list[str]]:
    """The lines of CSV: an assessor and a figure."""

    def coefficients(name: str, figure: str, row: Row) -> list[list[str]]:
        return [_estimate(name, f"{figure} {key}", estimate) for key, estimate in row.items()]

    rows = [_estimate(name, "bias", estimate) for name, estimate in report.bias.items()]
    rows += [_estimate(name, "drift", estimate.slope) for name, estimate in report.drift.items()]
    for name, pace in report.pace.items():
        seconds = pace.overall
        values = [format_full(seconds.median), "", "", str(seconds.n), seconds.reason or "", ""]
        rows.append([name, "median seconds", *values])
        rows.append([name, "hasty", str(pace.hasty), "", "", str(seconds.n), "", ""])
    for name, row in report.consistency.items():
        rows += coefficients(name, "self-consistency", row)
    for name, row in report.near_consistency.items():
        rows += coefficients(name, "near repeats", row)
    for name, quality in report.automatic.items():
        rows.append(_estimate(name, "automatic bias", quality.bias))
        for who, row in {"consensus": quality.consensus, **quality.people}.items():
            rows += coefficients(name, who, row)
    return rows


def _estimate(name: str, figure: str, estimate: Estimate) -> list[str]:
    bounds = [format_full(x) for x in (estimate.value, estimate.low, estimate.high)]
    return [name, figure, *bounds, str(estimate.n), estimate.reason or "", estimate.why or ""]


FORMATS = make_formats(build_judging_report)
"""Of agreement with assessor quality."""
QUALITY_FORMATS = make_formats(build_quality_report)
