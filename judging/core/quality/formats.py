"""Format assessor quality as aligned tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from common.statistics.least_topics import HINT_NOTE
from judging.core.agreement.formats import (
    HasInterval,
    align_agreement_rows,
    format_coefficient,
    format_interval,
)
from judging.core.agreement.report import Row
from judging.core.quality.consistency import EVERYONE
from judging.core.quality.estimate import QualityEstimate
from judging.core.quality.report import QualityReport
from judging.core.repeats import SOONEST

TABLE_COEFFICIENTS = ("percent", "kappa", "kappa-quadratic", "alpha-ordinal")
"""Coefficients in the tables of self-consistency and automatic assessors; JSON has all."""
Cells = tuple[str, ...]


def quality_to_table(report: QualityReport, rows: int | None = None) -> str:
    """Bias and drift, priming, self-consistency, pace and automatic assessors, without empty
    tables, and the reasons for undefined values. At most ``rows`` assessors, those with the most
    comparable judgments.
    """
    report = report.largest(rows)
    parts = [align_agreement_rows(rows) for rows in _tables(report) if len(rows) > 1]
    reasons = "".join(f"{line}\n" for line in [*_reasons(report), *_hint_notes(report)])
    return "\n".join([*parts, reasons] if reasons else parts)


def _tables(report: QualityReport) -> Iterator[Sequence[Cells]]:
    yield [("assessor", "bias", "95 % interval", "n", "drift per 100", "95 % interval", "n")] + [
        (
            name,
            format_coefficient(bias.value),
            format_interval(bias),
            str(bias.n),
            format_coefficient(report.drift[name].slope.value),
            format_interval(report.drift[name].slope),
            str(report.drift[name].slope.n),
        )
        for name, bias in report.bias.items()
    ]
    yield [("threshold priming", "slope", "95 % interval", "p", "n"), *_priming(report)]
    yield [("self-consistency", *TABLE_COEFFICIENTS, "n"), *_consistency(report.consistency)]
    near = f"repeats within {SOONEST} documents"
    yield [(near, *TABLE_COEFFICIENTS, "n"), *_consistency(report.near_consistency)]
    yield [("median active seconds", "seconds", "n", "hasty")] + [
        (name, format_coefficient(pace.overall.median), str(pace.overall.n), str(pace.hasty))
        for name, pace in report.pace.items()
        if pace.overall.n
    ]
    yield [("automatic assessor against", *TABLE_COEFFICIENTS, "n"), *_automatic(report)]


def _priming(report: QualityReport) -> Iterable[Cells]:
    by_assessor = {"all assessors": report.priming, **report.priming_by_assessor}
    for name, priming in by_assessor.items():
        if priming.slope is not None:
            yield (
                name,
                format_coefficient(priming.slope),
                format_interval(priming),
                format_coefficient(priming.p),
                str(priming.n),
            )


def _consistency(rows: Mapping[str, Row]) -> Iterable[Cells]:
    return (_cells(name, row) for name, row in _consistency_rows(rows))


def _automatic(report: QualityReport) -> Iterable[Cells]:
    return (_cells(name, row) for name, row in _automatic_rows(report))


def _consistency_rows(rows: Mapping[str, Row]) -> Iterator[tuple[str, Row]]:
    for name, row in rows.items():
        yield "all assessors" if name == EVERYONE else name, row


def _automatic_rows(report: QualityReport) -> Iterator[tuple[str, Row]]:
    for name, quality in report.automatic.items():
        for who, row in {"consensus": quality.consensus, **quality.people}.items():
            yield f"{name} ~ {who}", row


def _cells(name: str, row: Row) -> Cells:
    values = (format_coefficient(row[coefficient].value) for coefficient in TABLE_COEFFICIENTS)
    return name, *values, str(row["percent"].n)


def _reasons_of_rows(rows: Iterable[tuple[str, Row]], prefix: str) -> Iterable[str]:
    for name, row in rows:
        for coefficient in TABLE_COEFFICIENTS:
            if row[coefficient].reason:
                yield f"{name}, {prefix}{coefficient}: {row[coefficient].reason}"


def _reasons(report: QualityReport) -> Iterable[str]:
    if report.priming.reason:
        yield f"threshold priming: {report.priming.reason}"
    else:
        for name, priming in report.priming_by_assessor.items():
            if priming.reason or priming.no_interval:
                what = "threshold priming" if priming.reason else "threshold priming, interval"
                yield f"{name}, {what}: {priming.reason or priming.no_interval}"
    yield from _reasons_of_rows(_consistency_rows(report.consistency), "self-consistency, ")
    yield from _reasons_of_rows(_automatic_rows(report), "")
    for name, bias in report.bias.items():
        if bias.no_interval:
            yield f"{name}, bias{_lacks(bias)}: {bias.no_interval}"
    slopes = {name: drift.slope for name, drift in report.drift.items()}
    if len({slope.reason for slope in slopes.values()}) == 1 < len(slopes):
        slopes = {"all assessors": next(iter(slopes.values()))}
    for name, slope in slopes.items():
        if slope.no_interval:
            yield f"{name}, drift{_lacks(slope)}: {slope.no_interval}"


def _hint_notes(report: QualityReport) -> list[str]:
    slopes = [drift.slope for drift in report.drift.values()]
    primings = [report.priming, *report.priming_by_assessor.values()]
    printed: list[HasInterval] = [*report.bias.values(), *slopes, *primings]
    return [HINT_NOTE] if any(estimate.is_hint for estimate in printed) else []


def _lacks(estimate: QualityEstimate) -> str:
    return "" if estimate.reason else ", interval"
