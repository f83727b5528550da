"""Reports as data that can be kept: a stored report can be written in any format later.

Sections keep their cells as shown, so that a report stays as it came out although formats of
numbers change; the record keeps its values. Which cell is best is kept no more than its value;
marks and summary are. ``data`` is not kept: it is a JSON file of its own.
A file names the version of this shape; a reader refuses others with ``ValueError``.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from poolbench.reports.json import to_json_line
from poolbench.reports.report import Column, Figure, Report, Section, Table, iter_cells, show_row

VERSION = 1


def pack_report(report: Report) -> str:
    """The report as one line of JSON; raises ``ValueError`` for NaN in the record."""
    sections = [_plain_section(section) for section in report.sections]
    content = {
        "version": VERSION,
        "title": report.title,
        "notes": report.notes,
        "conditions": dict(report.conditions),
        "sections": sections,
        "record": report.record and _plain_table(report.record, [*map(list, report.record.rows)]),
    }
    return to_json_line(content)


def unpack_report(text: str | bytes) -> Report:
    """The inverse of ``pack_report``; the columns show their cells as they are."""
    content = json.loads(text)
    if content.pop("version", None) != VERSION:
        raise ValueError("the report was stored in another version")
    record = content["record"]
    return Report(
        title=content["title"],
        sections=[_section(section) for section in content["sections"]],
        notes=tuple(content["notes"]),
        conditions=content["conditions"],
        record=None if record is None else _table(record),
    )


def _plain_section(section: Section) -> dict[str, Any]:
    tables = [_plain_cells(table) for table in section.tables]
    drawn = replace(section, tables=(), figures=tuple(section.figures))
    return asdict(drawn) | {"tables": tables}


def _plain_cells(table: Table) -> dict[str, Any]:
    """The table with its cells as people read them."""
    rows = [[cell.text for cell in row] for row in iter_cells(replace(table, summary=()))]
    return _plain_table(table, rows) | {"summary": [show_row(table, row) for row in table.summary]}


def _plain_table(table: Table, rows: list[Any]) -> dict[str, Any]:
    columns = [{"name": c.name, "head": c.title, "left": c.left} for c in table.columns]
    return asdict(replace(table, rows=(), columns=())) | {"columns": columns, "rows": rows}


def _section(plain: Mapping[str, Any]) -> Section:
    own = {name: tuple(plain[name]) for name in ("notes", "definition")}
    tables = tuple(map(_table, plain["tables"]))
    figures = tuple(
        Figure(one["caption"], one["svg"], tuple(map(tuple, one["legend"])))
        for one in plain["figures"]
    )
    return Section(**{**plain, **own, "tables": tables, "figures": figures})


def _table(plain: Mapping[str, Any]) -> Table:
    columns = tuple(Column(**column) for column in plain["columns"])
    # Reports that were stored before tables had marks have none.
    rows = {name: tuple(map(tuple, plain.get(name, ()))) for name in ("summary", "marks")}
    return Table(**{**plain, **rows, "columns": columns, "notes": tuple(plain["notes"])})
