"""An agreement report for the writers of ``poolbench.reports``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from poolbench.files.faults import format_count
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import AgreementReport, OmittedRows, Row, draws_to_dict
from poolbench.reports.report import UNDEFINED, Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import HINT, HINT_NOTE
from poolbench.verdicts import Verdict, add_verdict

MOST_ROWS = 50
"""Rows of a table by default: 445 assessors have 98,790 pairs."""


def format_interval(estimate: Estimate) -> str:
    """The 95 % interval, marked if it is only a hint; or null."""
    if estimate.low is None or estimate.high is None:
        return UNDEFINED
    mark = f" ({HINT})" if estimate.is_hint else ""
    return f"{estimate.low:.4f} to {estimate.high:.4f}{mark}"


def make_coefficient_columns(*names: str) -> tuple[Column, ...]:
    """Values with four decimals, or null."""
    return make_columns(*names, show="{:.4f}".format)


def format_full(value: float | None) -> str:
    """As CSV files have it: six decimals, or empty."""
    return "" if value is None else f"{value:.6f}"


COEFFICIENT_NAMES = (
    "coefficient",
    *("value", "low", "high", "n", "prevalence", "topics", "reason", "no_interval"),
)
"""Columns of CSV files with one coefficient per line."""
INTERVAL = Column("interval", "95 % interval", format_interval)
VALUE = (*make_coefficient_columns("value"), INTERVAL, Column("n"))


def build_agreement_report(
    report: AgreementReport,
    quality: dict[str, Any] | None = None,
    rows: int | None = None,
    quality_sections: Iterable[Section] = (),
    settings: Mapping[str, Any] | None = None,
    verdict: Verdict | None = None,
) -> Report:
    """The verdict if there is one, assessors, coefficients over all assessors and per pair of
    assessors, reasons, and assessor quality. At most ``rows`` assessors and pairs of assessors:
    those with the most judgments. CSV has a line per coefficient, all of them; ``settings`` add to
    its conditions.
    """
    listed, omitted = report.largest(rows)
    cut = "; grades made binary at this level" if listed.binary else ""
    head = (
        f"{format_count(listed.documents, 'pair')} judged; relevant: grade ≥ {listed.level}{cut}."
    )
    whole = Report(
        title="Inter-assessor agreement",
        sections=[*iter_agreement_sections(listed, omitted), *quality_sections],
        notes=(head, *describe_third_judgments(listed)),
        conditions=describe_agreement_settings(report, **(settings or {})),
        record=Table(
            "agreement",
            make_columns("between", "assessor_a", "assessor_b", *COEFFICIENT_NAMES),
            iter_agreement_records(report),
        ),
        data=lambda: agreement_to_dict(listed, omitted, quality),
    )
    return whole if verdict is None else add_verdict(whole, verdict)


def describe_agreement_settings(
    report: AgreementReport, campaign: str = "", third_judgments: bool | None = None
) -> dict[str, Any]:
    """How the coefficients were computed."""
    return {
        **({"campaign": campaign} if campaign else {}),
        "level": report.level,
        "binary": report.binary,
        **({} if third_judgments is None else {"third_judgments": third_judgments}),
        **({"who": report.who} if report.who else {}),
        "scale": report.scale,
        "documents": report.documents,
        "assessors": [assessor.name for assessor in report.assessors],
        "draws": draws_to_dict(report.draws),
    }


def iter_agreement_records(report: AgreementReport) -> Iterator[list[str]]:
    rows = [("all", "", "", report.overall), ("mean", "", "", report.means)]
    rows += [("pair", a, b, row) for (a, b), row in report.pairs.items()]
    for between, a, b, row in rows:
        yield from ([between, a, b, *cells] for cells in iter_coefficient_records(row))


def build_topics_report(report: AgreementReport, settings: Mapping[str, Any]) -> Report:
    """A line per topic and coefficient."""
    rows = (
        [topic, place, *cells]
        for topic, panel in report.by_topic.items()
        for place, row in (("all", panel.overall), ("mean", panel.means))
        for cells in iter_coefficient_records(row)
    )
    columns = make_columns("topic", "between", *COEFFICIENT_NAMES)
    return Report(
        title="Inter-assessor agreement by topic",
        conditions=describe_agreement_settings(report, **settings),
        record=Table("agreement by topic", columns, rows),
    )


def iter_coefficient_records(row: Row) -> Iterator[list[str]]:
    """The cells of ``COEFFICIENT_NAMES``."""
    for name, value in row.items():
        yield [
            *(name, *map(format_full, (value.value, value.low, value.high)), str(value.n)),
            *(format_full(value.prevalence), str(value.topics)),
            *(value.reason or "", value.why or ""),
        ]


def iter_agreement_sections(report: AgreementReport, omitted: OmittedRows) -> Iterator[Section]:
    names = (Column("assessor", left=True), *make_columns("judged", "relevant"))
    assessors = [(a.name, a.judged, a.relevant, a.prevalence) for a in report.assessors]
    columns = (*names, *make_coefficient_columns("prevalence"))
    yield Section("Assessors", (Table("assessors", columns, assessors),))
    tables = (
        build_values_table("all assessors", report.overall),
        build_values_table("mean over pairs", report.means),
        build_values_table("mean over topics", _over_topics(report)),
    )
    yield Section("Coefficients", tables)
    columns = (
        *(Column("pair of assessors", left=True), *make_coefficient_columns(*COEFFICIENTS)),
        Column("n"),
    )
    pairs = [
        (" ~ ".join(names), *(each.value for each in row.values()), row["percent"].n)
        for names, row in report.pairs.items()
    ]
    yield Section("Pairs of assessors", (Table("pairs", columns, pairs),))
    if lines := describe_omitted(omitted):
        yield Section("", notes=lines)
    reasons = sorted(set(_reasons(report)))
    if any(value.is_hint for value in _values(report)):
        reasons.append(HINT_NOTE)
    if reasons:
        yield Section("Notes on agreement", notes=tuple(reasons))


def build_values_table(name: str, row: dict[str, Estimate]) -> Table:
    """A line per coefficient."""
    columns = (Column(name, left=True), *VALUE, *make_coefficient_columns("prevalence"))
    rows = [(key, c.value, c, c.n, c.prevalence) for key, c in row.items()]
    return Table(name, columns, rows)


def describe_third_judgments(report: AgreementReport) -> tuple[str, ...]:
    """A line on the third judgments left out or counted, if there are any."""
    why = "They exist only where two assessors disagreed."
    if report.left_out:
        return (f"Left out: {format_count(report.left_out, 'third judgment')}. {why}",)
    if report.thirds:
        lower = "Agreement with them is not that of all pairs."
        return (f"With {format_count(report.thirds, 'third judgment')}. {why} {lower}",)
    return ()


def describe_omitted(omitted: OmittedRows) -> tuple[str, ...]:
    """A line on the assessors and pairs that are not listed, if there are any."""
    counts = ((omitted.assessors, "assessor"), (omitted.pairs, "assessor pair"))
    left = [format_count(number, noun) for number, noun in counts if number]
    if not left:
        return ()
    return (f"Not listed, with fewer judgments: {' and '.join(left)}; --rows 0 lists all.",)


def agreement_to_dict(
    report: AgreementReport, omitted: OmittedRows, quality: dict[str, Any] | None
) -> dict[str, Any]:
    """The listed part of the report with the quality of its assessors."""
    content = report.as_dict()
    if any(asdict(omitted).values()):
        content["omitted"] = asdict(omitted)
    if quality is not None:
        names = {assessor.name for assessor in report.assessors}
        assessors = [row for row in quality["assessors"] if row["name"] in names]
        content["quality"] = quality | {"assessors": assessors}
    return content


def _over_topics(report: AgreementReport) -> dict[str, Estimate]:
    return {**report.topic_means.means, **report.topic_means.overall}


def _values(report: AgreementReport) -> Iterable[Estimate]:
    """The values that the table prints with an interval."""
    for row in (report.overall, report.means, _over_topics(report)):
        yield from row.values()


def _reasons(report: AgreementReport) -> Iterable[str]:
    rows = [
        ("all assessors", report.overall),
        ("mean over pairs", report.means),
        ("mean over topics", _over_topics(report)),
    ]
    for place, row in rows:
        for name, coefficient in row.items():
            if coefficient.value is not None and coefficient.why:
                yield f"{place}, {name}, interval: {coefficient.why}"
    for names, row in report.pairs.items():
        if row["percent"].n:
            rows.append((" ~ ".join(names), row))
        else:
            yield f"{' ~ '.join(names)}: no pair was judged by both"
    for place, row in rows:
        reasons = {
            name: coefficient.reason for name, coefficient in row.items() if coefficient.reason
        }
        if len(row) == len(reasons) > len(set(reasons.values())) == 1:
            reasons = {"all coefficients": next(iter(reasons.values()))}
        yield from (f"{place}, {name}: {reason}" for name, reason in reasons.items())


AGREEMENT_FORMATS = make_formats(build_agreement_report)
"""Of agreement without assessor quality."""
