"""A stored report as sections of a page, inside the site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poolbench.reports.report import Report, Section, iter_cells

OPEN_ROWS = 12
"""Longer tables are folded."""


@dataclass(frozen=True)
class ReportTable:
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]
    is_open: bool


@dataclass(frozen=True)
class ReportSection:
    """``anchor`` is unique on the page; ``tables`` are those with rows."""

    anchor: str
    section: Section
    tables: Sequence[ReportTable]


def list_report_sections(report: Report) -> list[ReportSection]:
    """Without the verdict, which the page shows first, and without empty sections."""
    return [
        ReportSection(section.name or str(number), section, list(_iter_tables(section)))
        for number, section in enumerate(report.sections)
        if section.title and section.name != "verdict"
    ]


def _iter_tables(section: Section) -> Iterator[ReportTable]:
    for table in section.tables:
        rows = [[cell.text for cell in row] for row in iter_cells(table)]
        if rows:
            yield ReportTable(
                caption=table.caption or section.title,
                heads=[column.title for column in table.columns],
                rows=rows,
                notes=table.notes,
                is_open=not table.detail and len(rows) <= OPEN_ROWS,
            )
