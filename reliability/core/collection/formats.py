"""A reusability report as aligned tables, JSON or CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from campaigns.core.csv_files import write_csv
from reliability.core.collection.report import ReusabilityReport
from reliability.core.collection.report_tables import (
    ReportSection,
    ReportTable,
    build_sections,
    list_condition_sentences,
    summary_tables,
)
from reliability.core.disagreement.formats import align_disagreement_rows

MAX_ROWS = 20
"""Rows per table of the command; HTML and JSON have all."""


def reusability_to_json(report: ReusabilityReport) -> str:
    """The whole report with its provenance; undefined is null."""
    return json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def reusability_to_table(report: ReusabilityReport) -> str:
    """Provenance, then every diagnostic without the tables by run and by topic."""
    lines = [f"{line}\n" for line in list_condition_sentences(report.facts)]
    parts = [part for section in build_sections(report) for part in _section(section)]
    return "".join([*lines, *parts])


def _section(section: ReportSection) -> Iterator[str]:
    yield f"\n{section.card.title.upper()}\n"
    yield from (f"{remark}\n" for remark in section.remarks)
    for table in summary_tables(section.tables):
        yield f"\n{table.caption}\n{_table(table)}"


def _table(table: ReportTable) -> str:
    # Tables by team and by depth grow with the campaign; all others stay short.
    cut = MAX_ROWS if table.head[0] in ("team", "depth") else len(table.rows)
    more = len(table.rows) - cut
    return align_disagreement_rows([table.head, *table.rows[:cut]]) + (
        f"and {more} more\n" if more > 0 else ""
    )


def reusability_to_csv(report: ReusabilityReport) -> str:
    """``table,row,column,value``: every value of the JSON, one per line; the facts are the
    conditions.

    Rows count from 1: row ``2.3`` of ``leave_team_out.runs`` is the third that belongs to row
    ``2`` of ``leave_team_out``. Undefined is empty; lists are semicolon-separated.
    """
    parts = ((name, part) for name, part in report.as_dict().items() if name != "facts")
    lines = (_rows(part if isinstance(part, tuple) else (part,), name) for name, part in parts)
    head = ("table", "row", "column", "value")
    return write_csv("reusability", head, chain.from_iterable(lines), asdict(report.facts))


Line = tuple[str, str, str, object]


def _rows(records: Sequence[Mapping[str, Any]], table: str, before: str = "") -> Iterator[Line]:
    for number, row in enumerate(records, 1):
        yield from _columns(row, table, f"{before}{number}")


def _columns(record: Mapping[str, Any], table: str, row: str, before: str = "") -> Iterator[Line]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _columns(value, table, row, f"{before}{name}.")
        elif isinstance(value, tuple) and value and isinstance(value[0], dict):
            yield from _rows(value, f"{table}.{before}{name}", f"{row}.")
        else:
            yield table, row, f"{before}{name}", _cell(value)


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else value


FORMATS: dict[str, Callable[[ReusabilityReport], str]] = {
    "table": reusability_to_table,
    "json": reusability_to_json,
    "csv": reusability_to_csv,
}
