"""A report: what every file and every printed result of the product is made of.

A core builds a report and never writes one; a view or a command picks the writer by its name in
``poolbench.reports.writers``. A report tells the same result in three shapes:

- ``sections`` for people (text, Markdown, LaTeX, HTML). A *section* has a title, notes, tables and
  figures; a *table* has a name, columns and rows of values that are not rounded. How a value is
  shown is said once, by its *column*.
- ``record`` for CSV: one flat table in full precision, its columns named as in the file.
- ``data`` for JSON: plain dicts and lists, in the shape that the core gives them.

A table for a paper names in its columns which value is ``best``, and has ``marks`` of significance
beside its cells; its caption says by which test. Markdown, LaTeX and HTML set the best in bold.

``conditions`` say how everything was computed; CSV, Markdown, LaTeX and HTML files carry them.
What is long may be given as a generator or a function: a writer reads it once, and only what it
writes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

UNDEFINED = "null"


@dataclass(frozen=True)
class Column:
    """``name`` is that of CSV, ``head`` that of tables for people, by default the same. ``format``
    shows a defined value, ``undefined`` stands for None; ``left`` aligns to the left. ``best``: the
    values that read the same as the highest or the lowest of the rows stand out.
    """

    name: str
    head: str | None = None
    format: Callable[[Any], str] = str
    left: bool = False
    undefined: str = UNDEFINED
    best: Literal["", "higher", "lower"] = ""

    @property
    def title(self) -> str:
        return self.name if self.head is None else self.head

    def show(self, value: Any) -> str:
        return self.undefined if value is None else self.format(value)


@dataclass(frozen=True)
class Table:
    """Rows of values, one for each column; the notes below say why values are undefined.

    ``detail``: long, by run or by topic; text leaves it out, HTML folds it. Text puts ``lead``
    above the table, prints at most ``most`` rows, and separates by tabs with ``tabs``.

    ``summary`` are rows below the others, such as the median of all runs: they are never best.
    ``marks`` has a sign for each cell of the first rows, mostly empty. CSV has neither.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Iterable[Sequence[Any]]
    caption: str = ""
    notes: tuple[str, ...] = ()
    detail: bool = False
    lead: str = ""
    most: int | None = None
    tabs: bool = False
    summary: tuple[Sequence[Any], ...] = ()
    marks: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Figure:
    """A chart of ``poolbench.charts``: ``svg`` is markup, ``legend`` are swatches and labels."""

    caption: str
    svg: str
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Section:
    """Tables and figures that answer one question; ``notes`` lead them.

    ``name`` is the anchor. ``reading`` introduces the section, ``definition`` (a formula, then
    remarks on it) ends it; text leaves out both, and prints the title only if ``titled``.
    """

    title: str
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    name: str = ""
    titled: bool = False
    reading: str = ""
    definition: tuple[str, ...] = ()
    figures: Iterable[Figure] = ()


@dataclass(frozen=True)
class Report:
    """``record`` is needed for CSV and ``data`` for JSON."""

    title: str
    sections: Iterable[Section] = ()
    notes: tuple[str, ...] = ()
    conditions: Mapping[str, Any] = field(default_factory=dict)
    record: Table | None = None
    data: Callable[[], Any] | None = None


def make_columns(
    *names: str, show: Callable[[Any], str] = str, left: bool = False, undefined: str = UNDEFINED
) -> tuple[Column, ...]:
    return tuple(Column(n, format=show, left=left, undefined=undefined) for n in names)


@dataclass(frozen=True)
class TableCell:
    """A cell as people read it; ``mark`` is a sign beside it."""

    text: str
    is_best: bool = False
    mark: str = ""


def iter_cells(table: Table) -> Iterator[list[TableCell]]:
    """The rows, then those of the summary; a table without best and marks is read row by row."""
    if not table.marks and not any(column.best for column in table.columns):
        for row in (*table.rows, *table.summary) if table.summary else table.rows:
            yield [TableCell(text) for text in show_row(table, row)]
        return
    rows = list(table.rows)
    best = [find_best_text(column, rows, at) for at, column in enumerate(table.columns)]
    for number, row in enumerate(rows):
        signs = table.marks[number] if number < len(table.marks) else [""] * len(best)
        cells = zip(show_row(table, row), best, signs, strict=True)
        yield [TableCell(text, text == top, sign) for text, top, sign in cells]
    for row in table.summary:
        yield [TableCell(text) for text in show_row(table, row)]


def find_best_text(column: Column, rows: Sequence[Sequence[Any]], at: int) -> str | None:
    """How the best value of the column reads: values that read alike are best alike. None if no
    value is defined, or none is better.
    """
    values = [row[at] for row in rows if row[at] is not None]
    if not column.best or not values:
        return None
    return column.show(max(values) if column.best == "higher" else min(values))


def show_row(table: Table, row: Sequence[Any]) -> list[str]:
    return [column.show(value) for column, value in zip(table.columns, row, strict=True)]
