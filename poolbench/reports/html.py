"""Reports as HTML: one self-contained file that loads nothing.

The style is ``tokens.css`` and ``report.css``, written into the file; light or dark as the reader
prefers. There are no scripts and no inline styles, so a page can display it under a policy that
allows the one style sheet by its hash. All texts are escaped; only figures are markup, drawn by
``poolbench.charts``. A table is open, or folded if it is a detail; an empty one is left out. The
conditions are in the head.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from poolbench.reports.json import to_json_line
from poolbench.reports.report import Figure, Report, Section, Table, TableCell, iter_cells

SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>{conditions}
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def write_html(report: Report) -> str:
    """The whole report as a page."""
    sections = list(report.sections)
    conditions = escape(to_json_line(dict(report.conditions)))
    body = [f"<header>\n<h1>{escape(report.title)}</h1>", list_html_items(report.notes)]
    body += [write_html_contents(sections), "</header>\n<main>"]
    body += [*map(write_html_section, sections), "</main>"]
    return SHELL.format(
        title=escape(report.title),
        conditions=f'\n<meta name="conditions" content="{conditions}">' * bool(report.conditions),
        style=read_style(),
        body="\n".join(filter(None, body)),
    )


@cache
def read_style() -> str:
    folder = Path(__file__).parent
    return "".join(
        (folder / name).read_text(encoding="utf-8") for name in ("style/tokens.css", "report.css")
    )


def write_html_contents(sections: Sequence[Section]) -> str:
    """Links to the sections that have an anchor."""
    links = [
        f'<li><a href="#{escape(section.name)}">{escape(section.title)}</a></li>'
        for section in sections
        if section.name and section.title
    ]
    return f'<nav aria-label="Sections">\n<ol>{"".join(links)}</ol>\n</nav>' if links else ""


def write_html_section(section: Section) -> str:
    start = f'<section id="{escape(section.name)}">' if section.name else "<section>"
    return "\n".join([start, *iter_html_blocks(section), "</section>"])


def iter_html_blocks(section: Section) -> Iterator[str]:
    if section.title:
        yield f"<h2>{escape(section.title)}</h2>"
    if section.reading:
        yield f'<p class="reading">{escape(section.reading)}</p>'
    yield from (f"<p>{escape(note)}</p>" for note in section.notes)
    yield from map(write_html_figure, section.figures)
    yield from (write_html_table(section, table) for table in section.tables)
    if section.definition:
        formula, *remarks = section.definition
        yield '<details class="card">\n<summary>Definition</summary>'
        yield f'<p class="formula">{escape(formula)}</p>\n{list_html_items(remarks)}\n</details>'


def write_html_figure(figure: Figure) -> str:
    items = "".join(f"<li>{swatch}{escape(label)}</li>" for swatch, label in figure.legend)
    legend = f'\n<ul class="legend">{items}</ul>' if items else ""
    caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
    return f'<figure>\n<div class="pan">{figure.svg}</div>{legend}\n{caption}\n</figure>'


def write_html_table(section: Section, table: Table) -> str:
    """The table, folded away under its caption unless that is the title of the section."""
    rows = list(iter_cells(table))
    if not rows:
        return ""
    heads = "".join(f'<th scope="col">{escape(column.title)}</th>' for column in table.columns)
    caption = ": ".join(dict.fromkeys(filter(None, [section.title, table.caption])))
    lines = [
        '<div class="pan">\n<table>',
        f"<caption>{escape(caption)}</caption>" if caption else "",
        f"<thead><tr>{heads}</tr></thead>\n<tbody>",
        *map(write_html_row, rows),
        "</tbody>\n</table>\n</div>",
        *(f"<p>{escape(note)}</p>" for note in table.notes),
    ]
    if table.caption and table.caption != section.title:
        count = f" ({len(rows)})" if table.detail else ""
        start = "<details>" if table.detail else "<details open>"
        lines = [f"{start}\n<summary>{escape(table.caption)}{count}</summary>", *lines]
        lines.append("</details>")
    return "\n".join(filter(None, lines))


def format_html_cell(cell: TableCell) -> str:
    """The best in bold, its mark raised."""
    text = f"<strong>{escape(cell.text)}</strong>" if cell.is_best else escape(cell.text)
    return f"{text}<sup>{escape(cell.mark)}</sup>" if cell.mark else text


def write_html_row(cells: Sequence[TableCell]) -> str:
    first, *others = map(format_html_cell, cells)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def list_html_items(texts: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""
