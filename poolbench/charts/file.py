"""A chart as an SVG file of its own, for papers and slides.

It brings title, legend, caption, conditions, looks and system fonts: it loads nothing. Classes and
plain colors, those of a light page, since drawing programs know no custom properties.
"""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.svg import LETTER, add_element, create_svg, write_xml

KINDS = (
    ("#0a5564", ""), ("#b4460c", "8 3"), ("#5b3fa0", "3 3"), ("#28703a", "12 3 3 3"),
    ("#a81f5c", ""), ("#7a6200", "8 3"), ("#23569e", "3 3"), ("#525d59", "12 3 3 3"),
)  # fmt: skip
GRADES = ("#e3e4dc", "#e4d264", "#84c39f", "#227a94", "#1d4a8c", "#2c1d62")
STYLE = """
text { font: 11px -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif; fill: #525d59; }
.title { font: 15px Georgia, "Noto Serif", "Liberation Serif", serif; fill: #1a2220; }
.axis, .zero { fill: none; stroke: #1a2220; }
.grid, .cell { stroke: #d8dad0; }
.whisker { fill: none; stroke: #525d59; }
.bar-own { fill: #67969f; }
.bar-other { fill: #7d8782; }
.bar-median { fill: none; stroke: #1a2220; stroke-width: 2.5; }
.line { fill: none; stroke: #0a5564; stroke-width: 1.75; }
.thread { fill: none; stroke: #7d8782; opacity: 0.32; }
.area { fill: #0a5564; opacity: 0.12; }
.band { fill: none; stroke: #bfd3d7; stroke-width: 9; stroke-linecap: round; }
.dot { fill: #fff; stroke: #0a5564; stroke-width: 1.5; }
.dot-own { fill: #0a5564; stroke: #0a5564; stroke-width: 1.5; }
.cell { fill: #0a5564; }
.box-all { fill: #dbdedb; stroke: #7d8782; }
.outlier { fill: none; stroke: #7d8782; }
.hit { fill: none; stroke: #0a5564; stroke-width: 2.5; }
.box { fill: none; }
.unjudged .box { stroke: #7d8782; stroke-dasharray: 3 2.5; }
.on { fill: #fff; }
.off { fill: #1a2220; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
""".lstrip()  # noqa: E501
MARGIN, LINE, TITLE = 16.0, 16.0, 26.0


@dataclass(frozen=True)
class FileLayout:
    """Where the parts of a file stand: wrapped title and notes, rows of the legend, size."""

    title: list[str]
    legend: list[list[tuple[float, LegendItem]]]
    notes: list[str]
    top: float
    size: tuple[float, float]


def measure_chart_file(chart: Chart, conditions: Sequence[str] = ()) -> tuple[float, float]:
    """Width and height of the file in units of SVG."""
    return arrange_chart_file(chart, conditions).size


def arrange_chart_file(chart: Chart, conditions: Sequence[str]) -> FileLayout:
    width = max(chart.plot.width, 320.0)
    most = int(width / LETTER)
    title = textwrap.wrap(chart.title, int(most * 0.8))
    legend = [*_legend_rows(chart.legend, width)]
    notes = [line for text in (chart.caption, *conditions) for line in textwrap.wrap(text, most)]
    top = TITLE * len(title)
    height = top + chart.plot.height + LINE * (len(legend) + len(notes)) + MARGIN / 2
    return FileLayout(title, legend, notes, top, (width + 2 * MARGIN, height + 2 * MARGIN))


def write_chart_file(chart: Chart, conditions: Sequence[str] = ()) -> str:
    """The whole file; ``conditions`` are lines below the caption: data, date, version."""
    layout = arrange_chart_file(chart, conditions)
    box, top = layout.size, layout.top
    svg = create_svg(box, xmlns="http://www.w3.org/2000/svg", width=box[0], height=box[1],
                     role="img", aria_labelledby="title desc")  # fmt: skip
    add_element(svg, "title", chart.title, id="title")
    add_element(svg, "desc", " ".join([chart.description, *conditions]).strip(), id="desc")
    add_element(svg, "style", "\n" + STYLE + "".join(_rules_of_kinds()))
    add_element(svg, "rect", width="100%", height="100%", fill="#fff")
    page = add_element(svg, "g", transform=f"translate({MARGIN:g} {MARGIN:g})")
    _draw_lines(page, layout.title, TITLE - 10, TITLE, "title")
    chart.draw(add_element(page, "g", transform=f"translate(0 {top:g})"))
    base = top + chart.plot.height + LINE
    for number, row in enumerate(layout.legend):
        for x, item in row:
            y = base + LINE * number
            item.draw(add_element(page, "g", transform=f"translate({x:g} {y - 10:g}) scale(0.75)"))
            add_element(page, "text", item.label, x=x + 26, y=y)
    _draw_lines(page, layout.notes, base + LINE * len(layout.legend) + MARGIN / 4, LINE, "")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{write_xml(svg)}\n'


def _rules_of_kinds() -> Iterable[str]:
    for number, (color, dash) in enumerate(KINDS, 1):
        dashes = f" stroke-dasharray: {dash};" if dash else ""
        yield f".kind-{number} .line {{ stroke: {color};{dashes} }}\n"
        yield f".kind-{number} .dot {{ fill: {color}; stroke: {color}; }}\n"
        yield f".kind-{number}.area {{ fill: {color}; }}\n"
    for grade, color in enumerate(GRADES):
        yield f'[data-grade="{grade}"] .box {{ fill: {color}; }}\n'
        if grade > 2:
            yield f'[data-grade="{grade}"] text {{ fill: #fff; }}\n'


def _legend_rows(
    items: Iterable[LegendItem], width: float
) -> Iterable[list[tuple[float, LegendItem]]]:
    """The items with their places from the left, in as many lines as they need."""
    row: list[tuple[float, LegendItem]] = []
    x = 0.0
    for item in items:
        wide = 26 + LETTER * len(item.label)
        if row and x + wide > width:
            yield row
            row, x = [], 0.0
        row.append((x, item))
        x += wide + 18
    if row:
        yield row


def _draw_lines(parent: Element, lines: Iterable[str], top: float, step: float, css: str) -> None:
    for number, line in enumerate(lines):
        add_element(parent, "text", line, class_=css, x=0, y=top + step * number)
