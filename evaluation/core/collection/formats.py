"""Write a report as aligned tables or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from evaluation.core.collection.report import Report
from evaluation.core.collection.told import Section, Table, conditions_of, sections_of, summary
from evaluation.core.disagreement.formats import aligned

MOST = 20
"""Rows of a table of the command; HTML and JSON have all."""


def json_text(report: Report) -> str:
    """The whole report with its conditions; undefined is null."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def table_text(report: Report) -> str:
    """Conditions, then every diagnostic without what is told run by run or topic by topic."""
    lines = [f"{line}\n" for line in conditions_of(report.facts)]
    parts = [part for section in sections_of(report) for part in _section(section)]
    return "".join([*lines, *parts])


def _section(section: Section) -> Iterator[str]:
    yield f"\n{section.card.title.upper()}\n"
    yield from (f"{remark}\n" for remark in section.remarks)
    for table in summary(section.tables):
        yield f"\n{table.caption}\n{_table(table)}"


def _table(table: Table) -> str:
    # A drawn level or depth is a row that must not be cut off in the middle of a series.
    cut = MOST if table.head[0] in ("team", "depth") else len(table.rows)
    more = len(table.rows) - cut
    return aligned([table.head, *table.rows[:cut]]) + (f"and {more} more\n" if more > 0 else "")


FORMATS: dict[str, Callable[[Report], str]] = {"table": table_text, "json": json_text}
