"""A report: what every file and every printed result of the product is made of.

A *report* has a title, notes, conditions and sections; a *section* has a title, notes and tables; a
*table* has a name, columns and rows of plain values (``str``, ``int``, ``float``, ``bool`` or
None for undefined, never text that is already rounded). How a value is shown is said once, by its
column. A writer turns the report into one format: ``common.report.{text,csv,json,markdown,
latex,html}``. A core builds a report; it never writes one. A view or a command picks the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Value = str | int | float | bool | None
"""A cell: None is undefined; the table's notes say why."""


@dataclass(frozen=True)
class Column:
    """``name`` is that of CSV and JSON, ``head`` that of texts. ``format`` shows a defined value
    (default: ``str``); ``left`` aligns texts to the left.
    """

    name: str
    head: str = ""
    format: Callable[[Any], str] = str
    left: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of values, one for each column. ``detail``: long, by run or by topic."""

    name: str
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Value]]
    caption: str = ""
    notes: tuple[str, ...] = ()
    detail: bool = False


@dataclass(frozen=True)
class Section:
    """Tables that answer one question; ``notes`` lead them."""

    title: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """``conditions`` say how everything was computed, as plain values."""

    title: str
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    conditions: Mapping[str, Any] = field(default_factory=dict)
