"""The numbers that a chart draws, read from its marks: for its table and its CSV.

A row is a series at a place: its value, its range, or both. The series is named by the legend;
marks without an entry there belong to what they are grouped with, such as the whisker of a dot.
"""

from collections.abc import Sequence
from typing import NamedTuple

from poolbench.charts.axes import Axis, NameAxis, can_draw
from poolbench.charts.chart import Chart
from poolbench.charts.marks import MarkNumber

COLUMNS = ("series", "at", "value", "low", "high")


class PlottedValue(NamedTuple):
    """``at`` is a name or a number of the axis of places; of a cell, ``series`` is the row and
    ``at`` the column. None: not drawn.
    """

    series: str
    at: str | float
    value: float | None = None
    low: float | None = None
    high: float | None = None


def list_plotted_values(chart: Chart) -> list[PlottedValue]:
    """In the order of drawing; what is drawn twice, as a dot on its line, is one row."""
    rows: dict[tuple[str, str | float, int], PlottedValue] = {}
    for mark in chart.marks:
        numbers = [number for number in mark.numbers() if _has_value(number)]
        for series, number in zip(name_series(chart, numbers), numbers, strict=True):
            _add_value(rows, locate_number(chart, series, number))
    return list(rows.values())


def name_series(chart: Chart, numbers: Sequence[MarkNumber]) -> list[str]:
    """The label of each number in the legend; without one that of the others of its mark."""
    labels = {item.css: item.label for item in chart.legend}
    own = [
        # The single classes from the last, which is the mark's own, and all together.
        next(
            (labels[css] for css in (*number.css.split()[::-1], number.css) if css in labels), None
        )
        for number in numbers
    ]
    shared = next((label for label in own if label is not None), "")
    return [shared if label is None else label for label in own]


def locate_number(chart: Chart, series: str, number: MarkNumber) -> PlottedValue:
    """The number with the names of its places."""
    numbers = (number.value, number.low, number.high)
    values = [value if can_draw(value) else None for value in numbers]
    places = chart.up if chart.plot.is_headed else chart.across
    if number.column is not None:
        return PlottedValue(
            _name_place(chart.up, number.at), _name_place(chart.across, number.column), *values
        )
    at = _name_place(places, number.at) if isinstance(places, NameAxis) else number.at
    return PlottedValue(series, at, *values)


def _name_place(axis: Axis | NameAxis, at: float) -> str:
    return axis.names[int(at)] if isinstance(axis, NameAxis) else f"{at:g}"


def _has_value(number: MarkNumber) -> bool:
    return number.column is not None or any(map(can_draw, (number.value, number.low, number.high)))


def _add_value(rows: dict[tuple[str, str | float, int], PlottedValue], value: PlottedValue) -> None:
    """Into the row of the same place if both agree, otherwise as a further one."""
    at = 0
    while (key := (value.series, value.at, at)) in rows:
        pairs = list(zip(rows[key][2:], value[2:], strict=True))
        if all(one is None or other is None or one == other for one, other in pairs):
            merged = (other if one is None else one for one, other in pairs)
            rows[key] = PlottedValue(value.series, value.at, *merged)
            return
        at += 1
    rows[key] = value
