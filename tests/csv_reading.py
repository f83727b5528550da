"""Reading the product's CSV files in tests, with nothing but the standard library."""

import csv
import io
import json
from typing import Any

from poolbench.reports.csv import CONDITIONS, HEAD_LINES, VERSION_LINE


def csv_body(text: str) -> str:
    """The header and the records; the lines before it have the documented form."""
    *head, body = text.split("\n", HEAD_LINES)
    assert head[0] == VERSION_LINE
    assert head[1].startswith(CONDITIONS)
    return body


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_body(text), newline="")))


def csv_conditions(text: str) -> dict[str, Any]:
    csv_body(text)
    conditions: dict[str, Any] = json.loads(text.split("\n")[1].removeprefix(CONDITIONS))
    return conditions
