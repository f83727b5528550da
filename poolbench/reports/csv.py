"""Reports as CSV, and all other CSV files: the conditions once, then a header and records.

::

    # poolbench-csv: 2
    # conditions: {"table":"scores","profile":"poolbench"}
    run,measure,topic,value
    bm25,map,all,0.25

There are always exactly two lines before the header, each beginning with ``#``: a reader skips
either two lines or all comments. A cell with ``#`` is quoted, so that no reader of comments takes
it for one. Numbers are in full precision; undefined is an empty cell.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from poolbench.reports.json import to_json_line
from poolbench.reports.report import Report

VERSION = 2
"""Of the shape; in version 1 the conditions were a column."""
VERSION_LINE = f"# poolbench-csv: {VERSION}"
CONDITIONS = "# conditions: "
HEAD_LINES = 2
ROWS_PER_CHUNK = 200
"""Rows written at once: many small parts would cost more than their text."""
_QUOTED = re.compile(r'[,"#\r\n]')


def write_csv(report: Report) -> str:
    """The ``record`` of the report. Raises ``ValueError`` for a report without one."""
    record = report.record
    if record is None:
        raise ValueError(f"{report.title} has no table for CSV")
    columns = [column.name for column in record.columns]
    return format_csv(record.name, columns, record.rows, report.conditions)


def format_csv(
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    conditions: Mapping[str, Any] | None = None,
) -> str:
    """The file with the records ``rows``; ``table`` names what they are, ``conditions`` say how
    they were computed, as plain values.
    """
    return "".join(iter_csv_parts(table, columns, rows, conditions))


def iter_csv_parts(
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    conditions: Mapping[str, Any] | None = None,
) -> Iterator[str]:
    """The same in parts, for files that are streamed."""
    yield f"{VERSION_LINE}\n{CONDITIONS}{to_json_line({'table': table, **(conditions or {})})}\n"
    lines = map(format_csv_line, chain([columns], rows))
    while part := "".join(islice(lines, ROWS_PER_CHUNK)):
        yield part


def format_csv_line(cells: Sequence[object]) -> str:
    """One line; a cell with a comma, a quotation mark or ``#`` is quoted."""
    return ",".join(map(_cell, cells)) + "\n"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def merge_conditions(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The conditions of ``(tag, conditions)`` once: those that all runs share, and under
    ``by_run`` those in which they differ.
    """
    first = runs[0][1] if runs else {}
    shared = {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for _, other in runs)
    }
    own = {
        tag: {key: value for key, value in conditions.items() if key not in shared}
        for tag, conditions in runs
    }
    return shared | ({"by_run": own} if any(own.values()) else {})


def blank_head_lines(lines: Sequence[str]) -> list[str]:
    """``lines`` of a file, with those before its header emptied: line numbers stay."""
    if not lines or not lines[0].lstrip("\ufeff").startswith("# poolbench-csv:"):
        return list(lines)
    return [""] * HEAD_LINES + list(lines[HEAD_LINES:])
