"""Format an agreement report as an aligned table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from campaigns.core.faults import format_count
from common.statistics.least_topics import HINT, HINT_NOTE
from judging.core.agreement.coefficient import CoefficientValue
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport, OmittedRows

UNDEFINED = "null"
MOST_ROWS = 50
"""Rows of a table by default: 445 assessors have 98,790 pairs."""


def agreement_to_table(report: AgreementReport, rows: int | None = None) -> str:
    """Assessors, coefficients over all assessors and per pair of assessors; reasons last.

    At most ``rows`` assessors and pairs of assessors: those with the most judgments.
    """
    report, omitted = report.largest(rows)
    cut = "; grades made binary at this level" if report.binary else ""
    head = ("value", "95 % interval", "n", "prevalence")
    parts = [
        (
            f"{format_count(report.documents, 'pair')} judged; "
            f"relevant: grade ≥ {report.level}{cut}.\n{describe_third_judgments(report)}"
        ),
        align_agreement_rows(
            [("assessor", "judged", "relevant", "prevalence"), *_assessor_rows(report)]
        ),
        align_agreement_rows([("all assessors", *head), *_value_rows(report.overall)]),
        align_agreement_rows([("mean over pairs", *head), *_value_rows(report.means)]),
        align_agreement_rows([("mean over topics", *head), *_topic_rows(report)]),
        align_agreement_rows([("pair of assessors", *COEFFICIENTS, "n"), *_pair_rows(report)]),
        describe_omitted(omitted),
    ]
    reasons = sorted(set(_reasons(report)))
    if any(value.is_hint for value in _values(report)):
        reasons.append(HINT_NOTE)
    if reasons:
        parts.append("".join(f"{reason}\n" for reason in reasons))
    return "\n".join(part for part in parts if part)


def describe_third_judgments(report: AgreementReport) -> str:
    """A line on the third judgments left out or counted; empty if there are none."""
    why = "They exist only where two assessors disagreed."
    if report.left_out:
        return f"Left out: {format_count(report.left_out, 'third judgment')}. {why}\n"
    if report.thirds:
        lower = "Agreement with them is not that of all pairs."
        return f"With {format_count(report.thirds, 'third judgment')}. {why} {lower}\n"
    return ""


def describe_omitted(omitted: OmittedRows) -> str:
    """A line on the assessors and pairs that are not listed; empty if all are."""
    counts = ((omitted.assessors, "assessor"), (omitted.pairs, "assessor pair"))
    left = [format_count(number, noun) for number, noun in counts if number]
    if not left:
        return ""
    return f"Not listed, with fewer judgments: {' and '.join(left)}; --rows 0 lists all.\n"


def agreement_to_json(
    report: AgreementReport, quality: dict[str, Any] | None = None, rows: int | None = None
) -> str:
    """The whole report with assessor quality; undefined values are null, with a reason.

    With ``rows`` at most as many assessors and pairs; ``omitted`` counts the others.
    """
    listed, omitted = report.largest(rows)
    content = listed.as_dict()
    if any(asdict(omitted).values()):
        content["omitted"] = asdict(omitted)
    if quality is not None:
        names = {assessor.name for assessor in listed.assessors}
        assessors = [row for row in quality["assessors"] if row["name"] in names]
        content["quality"] = quality | {"assessors": assessors}
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _assessor_rows(report: AgreementReport) -> Iterable[Sequence[str]]:
    for assessor in report.assessors:
        yield (
            assessor.name,
            str(assessor.judged),
            str(assessor.relevant),
            format_coefficient(assessor.prevalence),
        )


def _value_rows(row: dict[str, CoefficientValue]) -> Iterable[Sequence[str]]:
    return (
        (
            name,
            format_coefficient(coefficient.value),
            format_interval(coefficient),
            str(coefficient.n),
            format_coefficient(coefficient.prevalence),
        )
        for name, coefficient in row.items()
    )


def _topic_rows(report: AgreementReport) -> Iterable[Sequence[str]]:
    """The value over all assessors where there is one, else the mean over pairs of assessors."""
    return _value_rows(_over_topics(report))


def _over_topics(report: AgreementReport) -> dict[str, CoefficientValue]:
    return {**report.topic_means.means, **report.topic_means.overall}


def _pair_rows(report: AgreementReport) -> Iterable[Sequence[str]]:
    for names, row in report.pairs.items():
        values = (format_coefficient(coefficient.value) for coefficient in row.values())
        yield (" ~ ".join(names), *values, str(row["percent"].n))


def _values(report: AgreementReport) -> Iterable[CoefficientValue]:
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
            if coefficient.value is not None and coefficient.no_interval:
                yield f"{place}, {name}, interval: {coefficient.no_interval}"
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


def format_coefficient(value: float | None) -> str:
    """A value with four decimals, or null."""
    return UNDEFINED if value is None else f"{value:.4f}"


class HasInterval(Protocol):
    """Anything with an interval: a coefficient, a bias, a slope."""

    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def is_hint(self) -> bool: ...


def format_interval(estimate: HasInterval) -> str:
    """The 95 % interval, marked if it is only a hint; or null."""
    if estimate.low is None or estimate.high is None:
        return UNDEFINED
    mark = f" ({HINT})" if estimate.is_hint else ""
    return f"{estimate.low:.4f} to {estimate.high:.4f}{mark}"


def align_agreement_rows(rows: Sequence[Sequence[str]]) -> str:
    """The first column left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]
    return "".join(f"{line}\n" for line in lines)
