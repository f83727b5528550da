"""Estimates from a sample as files: CSV, JSON, and tables for people."""

from dataclasses import asdict
from typing import Any

from poolbench.estimation.looks import SampleLook
from poolbench.estimation.results import iter_run_rows
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


def build_estimates_report(look: SampleLook, title: str) -> Report:
    """A section for each measure; one flat record of all."""
    measures = () if look.report is None else look.report.measures
    pairs = list(zip(measures, look.measures, strict=True))
    scores = make_columns("estimate", *ENDS, show=format_score)
    columns = (Column("run", left=True), *make_columns("place"), *scores)
    columns = (*columns, Column("group", left=True), *make_columns("drawn_in", show=format_score))
    listed = {
        each.measure: list(iter_run_rows(each, own.letters, is_order_only=own.is_order_only))
        for each, own in pairs
    }
    sections = [Section(name, (Table(name, columns, own),)) for name, own in listed.items()]
    rows = [(name, *row) for name, own in listed.items() for row in own]
    record = Table("estimates", (Column("measure", left=True), *columns), rows)
    return Report(
        title=f"Estimates for {title}",
        sections=sections,
        notes=(
            SCOPE,
            *([f"No estimates yet: {look.reason}."] if look.reason else []),
            *([look.order_remark.text] if look.order_remark else []),
        ),
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
        "ended_topics": list(look.ended),
        "machines": [] if report is None else list(report.machines),
    }


ESTIMATE_FORMATS = make_formats(build_estimates_report)
