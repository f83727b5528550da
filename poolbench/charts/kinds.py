"""Kinds of charts that several apps draw: lines with ranges, and rows of values with intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from poolbench.charts.axes import Axis, NameAxis, parts_axis
from poolbench.charts.chart import WIDE, Chart, LegendItem
from poolbench.charts.marks import (
    AreaMark,
    BarMark,
    CellMark,
    DotMark,
    Drawable,
    IntervalMark,
    LineMark,
    MarkGroup,
    RuleMark,
    TextMark,
)

BARS_WIDTH, BARS_HEIGHT = 1060.0, 300.0
BAND = 24.0
"""The minimum width of a bar's place."""
CELL, ROOM = 64.0, 150.0
"""The side of a cell of a heat map, and the room for the names of its rows."""
LINE_KINDS = 8
"""The number of line colors; further lines reuse them."""


class PlotValue(NamedTuple):
    """A value ``at`` a position of the horizontal axis, its range over draws or seeds, if any,
    and a description for tooltips and screen readers.
    """

    at: float
    value: float | None
    description: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class IntervalRow:
    """A value with its interval, on a line of its own; ``is_own`` fills its dot."""

    label: str
    description: str
    value: float | None
    low: float | None = None
    high: float | None = None
    is_own: bool = False


def build_line_chart(
    head: tuple[str, str, str],
    series: Iterable[tuple[str, Sequence[PlotValue]]],
    across: Axis,
    up: Axis,
    *,
    size: tuple[float, float] = WIDE,
    threads: Iterable[Sequence[tuple[float, float]]] = (),
    caption: str = "",
) -> Chart:
    """One line per ``(label, values)``, with its range; values are connected in order.

    ``head`` is name, title and description; ``threads`` are thin lines behind the others. One line
    with the name of the axis needs no legend.
    """
    lines = [(f"kind-{at % LINE_KINDS + 1}", *line) for at, line in enumerate(series)]
    marks: list[Drawable] = [LineMark(points, "thread") for points in threads]
    marks += [AreaMark([(v.at, v.low, v.high) for v in line], f"area {kind}")
              for kind, _, line in lines]  # fmt: skip
    for kind, _, line in lines:
        dots = [DotMark(v.at, v.value, v.description, radius=3.4) for v in line]
        path = LineMark([(v.at, v.value) for v in line])
        marks.append(MarkGroup([path, *dots], css=kind))
    labels = [label for _, label, _ in lines]
    legend = [LegendItem(label, kind, "dots") for kind, label, _ in lines if labels != [up.name]]
    return Chart(*head, across, up, marks, legend, caption, size)


def build_interval_chart(
    head: tuple[str, str, str],
    rows: Sequence[IntervalRow],
    across: Axis,
    *,
    room: float,
    width: float,
    caption: str = "",
    is_fixed: bool = False,
    row_name: str = "",
    legend: Sequence[LegendItem] = (),
) -> Chart:
    """A caterpillar plot: rows from the top, each a dot and its interval; 0 is on the axis.

    ``room`` is the width for labels, ``width`` that of the plot, ``row_name`` says what
    the rows are.
    """
    marks: list[Drawable] = [RuleMark(0.0, "zero")]
    for at, row in enumerate(rows):
        dot = DotMark(at, row.value, css="dot-own" if row.is_own else "dot")
        undefined = TextMark(at, 0.0, "undefined", dx=6, css="start")
        value = undefined if row.value is None else dot
        interval = IntervalMark(at, row.low, row.high)
        marks.append(MarkGroup([interval, value], row.description))
    up = NameAxis([row.label for row in rows], 22.0, row_name, room)
    return Chart(*head, across, up, marks, legend, caption, (width, 0.0), is_fixed)


def build_bar_chart(
    head: tuple[str, str],
    axes: tuple[str, str],
    bars: Sequence[tuple[str, float, str, str]],
    top: float,
    caption: str,
    *,
    bottom: float = 0.0,
) -> Chart:
    """A bar for each name, value, description and kind (``own``, ``other``).

    ``head`` is name and title; ``axes`` are the names of the axes, the upright one from
    ``bottom`` to ``top``.
    """
    name, title = head
    return Chart(
        name,
        title,
        caption,
        across=bars_axis([label for label, *_ in bars], axes[0]),
        up=parts_axis(axes[1], bottom, top, 4),
        marks=list_bars(bars),
        caption=caption,
        size=(0.0, BARS_HEIGHT),
    )


def build_heat_map(
    head: tuple[str, str],
    axis: tuple[Sequence[str], str],
    cells: Sequence[CellMark],
    caption: str = "",
) -> Chart:
    """``head`` is name and title; ``axis`` are the names at both sides, and what they are."""
    names, what = axis
    across, up = NameAxis(names, CELL, what), NameAxis(names, CELL, what, room=ROOM)
    return Chart(*head, "", across, up, cells, caption=caption, is_fixed=True)


def bars_axis(names: Sequence[str], title: str) -> NameAxis:
    """Names below bars, as wide as the page or at least ``BAND`` each."""
    return NameAxis(names, max(BARS_WIDTH / max(len(names), 1), BAND), title)


def list_bars(bars: Sequence[tuple[str, float, str, str]]) -> list[Drawable]:
    """A bar for each name, value, description and kind (``own``, ``other``), and the zero line."""
    marks = [
        MarkGroup([BarMark(at, value, css=f"bar-{kind}")], description)
        for at, (_, value, description, kind) in enumerate(bars)
    ]
    return [*marks, RuleMark(0.0)]
