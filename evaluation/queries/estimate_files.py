"""Estimates from a sample as files: CSV, JSON, and tables for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from poolbench.estimation.looks import MeasureLook, SampleLook
from poolbench.estimation.report import MeasureReport
from poolbench.evaluation.comparison.marks import UNTESTED
from poolbench.evaluation.evaluate import product_version
from poolbench.number_formats import format_score
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats

SCOPE = (
    "Estimates of what judging every pair of the pool would give, from a sample, while people "
    "judge. The 95 % intervals hold the choice of the pairs; not documents outside the pool, and "
    "not how far assessors differ."
)
ENDS = ("low", "high", "topics_low", "topics_high")


def list_rows(report: MeasureReport, look: MeasureLook) -> Iterator[tuple[Any, ...]]:
    """By place: run, estimate, both intervals, group, and what the place is by if drawn in."""
    for at, row in enumerate(report.runs):
        ends = row.estimate.low, row.estimate.high, row.over_topics.low, row.over_topics.high
        known = (None,) * 4 if look.is_order_only else ends
        group = look.letters[at] if look.letters else UNTESTED
        yield row.place, row.run, row.estimate.value, *known, group, row.drawn_in


def build_estimates_report(look: SampleLook, title: str) -> Report:
    """A section for each measure; one flat record of all."""
    measures = () if look.report is None else look.report.measures
    pairs = list(zip(measures, look.measures, strict=True))
    scores = make_columns("estimate", *ENDS, show=format_score)
    columns = (*make_columns("place"), Column("run", left=True), *scores)
    columns = (*columns, Column("group", left=True), *make_columns("drawn_in", show=format_score))
    sections = [
        Section(each.measure, (Table(each.measure, columns, list(list_rows(each, own))),))
        for each, own in pairs
    ]
    rows = [(each.measure, *row) for each, own in pairs for row in list_rows(each, own)]
    record = Table("estimates", (Column("measure", left=True), *columns), rows)
    return Report(
        title=f"Estimates for {title}",
        sections=sections,
        notes=(SCOPE, *([f"No estimates yet: {look.reason}."] if look.reason else [])),
        conditions=list_look_conditions(look),
        record=record,
        data=lambda: {"conditions": list_look_conditions(look), **asdict(look)},
    )


def list_look_conditions(look: SampleLook) -> dict[str, Any]:
    report = look.report
    return {
        "product": product_version(),
        "scope": SCOPE,
        "pool": look.pool,
        "policy": look.policy,
        "last_judgment": look.last,
        "pairs": None if report is None else report.pairs,
        "planned": look.planned,
        "used": look.used,
        "skipped": look.skipped,
        "look": look.look,
        "looks": look.looks,
        "quantile": round(look.quantile, 4),
        "machines": [] if report is None else list(report.machines),
    }


ESTIMATE_FORMATS = make_formats(build_estimates_report)
