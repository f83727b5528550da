"""Reports as plain text, as commands print them.

Blocks are separated by blank lines: the notes of the report, then section by section its notes
and each table. Columns are two spaces apart, numbers to the right, names to the left; no line ends
in spaces. A table may ask for tabs instead, for programs that split lines as those of trec_eval.
Titles are left out unless a section is ``titled``, then they are in capitals; long tables,
figures and definitions are for the other formats.
"""

from collections.abc import Iterable, Iterator

from poolbench.reports.report import Report, Table, iter_cells


def write_text(report: Report) -> str:
    """The whole report; raises nothing for an empty one."""
    return "\n".join(filter(None, iter_text_blocks(report)))


def iter_text_blocks(report: Report) -> Iterator[str]:
    """Each ends in a line break, or is empty."""
    yield join_lines(report.notes)
    for section in report.sections:
        title = [section.title.upper()] if section.titled else []
        yield join_lines([*title, *section.notes])
        yield from (write_text_table(table) for table in section.tables if not table.detail)


def write_text_table(table: Table) -> str:
    """The table with its lead and its notes."""
    rows = [[column.title for column in table.columns]]
    rows += [[cell.text + cell.mark for cell in cells] for cells in iter_cells(table)]
    more = 0 if table.most is None else len(rows) - 1 - table.most
    listed = rows[: len(rows) - more] if more > 0 else rows
    lines = map("\t".join, listed) if table.tabs else align_cells(table, listed)
    rest = [f"and {more} more"] if more > 0 else []
    return join_lines([*filter(None, [table.lead]), *lines, *rest, *table.notes])


def align_cells(table: Table, rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(table.columns, row, widths, strict=True)
        aligned = (c.ljust(width) if col.left else c.rjust(width) for col, c, width in cells)
        yield "  ".join(aligned).rstrip()


def join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
