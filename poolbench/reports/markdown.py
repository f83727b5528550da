"""Reports as Markdown: CommonMark with the tables of GitHub.

For issues, wikis and notebooks. Headings are those of report and sections; every table is
complete, long ones too. All texts are escaped: a run tag with ``|`` or ``_`` stays what it is and
opens no column, no emphasis, no link and no HTML. The conditions are the last line, as a comment.
Figures are left out; HTML has them.
"""

import re
from collections.abc import Iterator

from poolbench.reports.json import to_json_line
from poolbench.reports.report import Report, Section, Table, TableCell, iter_cells

_SIGNS = re.compile(r"[\\`*_{}\[\]<>|#~&$]")
_START = re.compile(r"^([-+=]|\d+(?=[.)](?:\s|$)))")


def write_markdown(report: Report) -> str:
    """The whole report, blocks separated by blank lines."""
    return "\n".join(f"{block}\n" for block in iter_markdown_blocks(report))


def iter_markdown_blocks(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    if report.notes:
        yield list_markdown_items(report.notes)
    for section in report.sections:
        yield from iter_markdown_section(section)
    if report.conditions:
        # A comment ends at its first "-->".
        line = to_json_line(dict(report.conditions)).replace(">", "\\u003e")
        yield f"<!-- conditions: {line} -->"


def iter_markdown_section(section: Section) -> Iterator[str]:
    if section.title:
        yield f"## {escape_markdown(section.title)}"
    yield from map(escape_markdown, filter(None, [section.reading, *section.notes]))
    for table in section.tables:
        if table.caption and table.caption != section.title:
            yield f"### {escape_markdown(table.caption)}"
        yield write_markdown_table(table)
        yield from map(escape_markdown, table.notes)
    if section.definition:
        yield list_markdown_items(section.definition)


def write_markdown_table(table: Table) -> str:
    rules = [":--" if column.left else "--:" for column in table.columns]
    heads = [escape_markdown(column.title) for column in table.columns]
    rows = ([format_markdown_cell(cell) for cell in row] for row in iter_cells(table))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, rules, *rows])


def format_markdown_cell(cell: TableCell) -> str:
    """The best in bold, its mark after it."""
    text = escape_markdown(cell.text)
    text = f"**{text}**" if cell.is_best and text else text
    return text + escape_markdown(cell.mark)


def list_markdown_items(texts: tuple[str, ...]) -> str:
    return "\n".join(f"- {escape_markdown(text)}" for text in texts)


def escape_markdown(text: str) -> str:
    """On one line, so that it can be a cell, an item or a heading."""
    line = " ".join(text.split())
    return _START.sub(_escape_start, _SIGNS.sub(r"\\\g<0>", line))


def _escape_start(match: re.Match[str]) -> str:
    # "1." would start a list; "1\." does not.
    return f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}"
