"""Writing judgments: the log as a table or JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from poolbench.judging.exchange.delimited import FORMULA
from poolbench.reports.csv import ROWS_PER_CHUNK, iter_csv_parts

Row = Mapping[str, Any]


def iter_judgment_csv_parts(
    rows: Iterable[Row], columns: Sequence[str], conditions: Mapping[str, Any]
) -> Iterator[str]:
    """One line per row; lists as JSON, flags ``|``-separated."""
    cells = ([cell_value(name, row[name]) for name in columns] for row in rows)
    return iter_csv_parts("judgments", columns, cells, conditions)


def cell_value(name: str, value: object) -> object:
    if isinstance(value, list):
        flat = all(isinstance(item, str) for item in value)
        return "|".join(value) if flat else json.dumps(value, ensure_ascii=False)
    # A spreadsheet must not interpret a comment as a formula.
    if name == "comment" and isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def iter_jsonl_parts(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON object per line."""
    for batch in iter_batches_of_rows(rows):
        yield "".join(f"{to_compact_json(row)}\n" for row in batch)


def iter_json_parts(rows: Iterable[Row]) -> Iterator[str]:
    """One JSON list, one object per line."""
    before = "[\n"
    for batch in iter_batches_of_rows(rows):
        yield before + ",\n".join(map(to_compact_json, batch))
        before = ",\n"
    yield "\n]\n" if before == ",\n" else "[]\n"


def to_compact_json(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False)


def iter_batches_of_rows(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while batch := list(islice(rest, ROWS_PER_CHUNK)):
        yield batch
