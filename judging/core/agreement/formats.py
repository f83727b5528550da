"""Write an agreement report as an aligned table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from judging.core.agreement.labels import Coefficient
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport

UNDEFINED = "null"


def table_text(report: AgreementReport) -> str:
    """Assessors, coefficients over all of them, and pair by pair, with the reasons below."""
    parts = [
        f"{report.documents} pairs judged; relevant is grade {report.level} or more.\n",
        aligned([("assessor", "judged", "relevant", "prevalence"), *_assessor_rows(report)]),
        aligned([("all assessors", "value", "n"), *_value_rows(report.overall)]),
        aligned([("mean over pairs", "value", "n"), *_value_rows(report.means)]),
        aligned([("pair of assessors", *COEFFICIENTS, "n"), *_pair_rows(report)]),
    ]
    reasons = sorted(set(_reasons(report)))
    if reasons:
        parts.append("".join(f"{reason}\n" for reason in reasons))
    return "\n".join(parts)


def json_text(report: AgreementReport) -> str:
    """The whole report; undefined is null with a reason."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _assessor_rows(report: AgreementReport) -> Iterable[Sequence[str]]:
    for assessor in report.assessors:
        yield (
            assessor.name,
            str(assessor.judged),
            str(assessor.relevant),
            shown(assessor.prevalence),
        )


def _value_rows(row: dict[str, Coefficient]) -> Iterable[Sequence[str]]:
    return ((name, shown(found.value), str(found.n)) for name, found in row.items())


def _pair_rows(report: AgreementReport) -> Iterable[Sequence[str]]:
    for names, row in report.pairs.items():
        values = (shown(found.value) for found in row.values())
        yield (" ~ ".join(names), *values, str(row["percent"].n))


def _reasons(report: AgreementReport) -> Iterable[str]:
    rows = [("all assessors", report.overall), ("mean over pairs", report.means)]
    rows += [(" ~ ".join(names), row) for names, row in report.pairs.items()]
    for place, row in rows:
        for name, found in row.items():
            if found.reason:
                yield f"{place}, {name}: {found.reason}"


def shown(value: float | None) -> str:
    """Four decimals, or null."""
    return UNDEFINED if value is None else f"{value:.4f}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right."""
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


FORMATS: dict[str, Callable[[AgreementReport], str]] = {"table": table_text, "json": json_text}
