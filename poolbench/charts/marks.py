"""Marks: the shapes of a chart. Each draws itself from values; looks come from classes.

``at`` is a position on the axis of names, ``value`` on the other one; in a chart without names
``at`` runs from the left and ``value`` up. None, NaN and infinity are gaps: they draw nothing.
A chart may bring a mark of its own: whatever has ``draw`` and ``numbers``, which gives the values
behind what is drawn, for tables and files.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from xml.etree.ElementTree import Element

from poolbench.charts.axes import can_draw
from poolbench.charts.plot import Plot
from poolbench.charts.svg import add_element, format_length, set_attributes

BAR, BROADEST = 0.62, 40.0
"""The width of a bar: as a share of its band, and at most."""


class MarkNumber(NamedTuple):
    """What a mark draws at ``at``: a value, a range, or both. ``css`` has its classes; ``column``
    is the second position of a cell.
    """

    at: float
    value: float | None = None
    low: float | None = None
    high: float | None = None
    css: str = ""
    column: int | None = None


class Drawable(Protocol):
    def draw(self, plot: Plot, parent: Element) -> None: ...
    def numbers(self) -> Iterable[MarkNumber]: ...


@dataclass(frozen=True)
class MarkGroup:
    """Marks under one tooltip, or of one class."""

    marks: Sequence[Drawable]
    description: str = ""
    css: str = ""

    def draw(self, plot: Plot, parent: Element) -> None:
        group = add_element(parent, "g", class_=self.css)
        if self.description:
            add_element(group, "title", self.description)
        for mark in self.marks:
            mark.draw(plot, group)

    def numbers(self) -> Iterator[MarkNumber]:
        for mark in self.marks:
            for number in mark.numbers():
                yield number._replace(css=f"{self.css} {number.css}".strip())


@dataclass(frozen=True)
class LineMark:
    """Straight lines between ``(at, value)``, interrupted at gaps."""

    points: Sequence[tuple[float, float | None]]
    css: str = "line"

    def draw(self, plot: Plot, parent: Element) -> None:
        for piece in split_at_gaps(self.points):
            add_element(parent, "polyline", class_=self.css, points=_corners(plot, piece))

    def numbers(self) -> Iterator[MarkNumber]:
        return (MarkNumber(at, value, css=self.css) for at, value in self.points)


@dataclass(frozen=True)
class AreaMark:
    """The area between the ends of ``(at, low, high)``."""

    points: Sequence[tuple[float, float | None, float | None]]
    css: str = "area"

    def draw(self, plot: Plot, parent: Element) -> None:
        low = [(at, low) for at, low, _ in self.points if can_draw(low)]
        high = [(at, high) for at, _, high in self.points if can_draw(high)]
        if high != low:
            corners = _corners(plot, [*high, *reversed(low)])
            add_element(parent, "polygon", class_=self.css, points=corners)

    def numbers(self) -> Iterator[MarkNumber]:
        ranges = ((at, low, high) for at, low, high in self.points if low is not None)
        return (MarkNumber(at, low=low, high=high, css=self.css) for at, low, high in ranges)


@dataclass(frozen=True)
class StepMark:
    """One value for each name: level over its band, upright between."""

    values: Sequence[float | None]
    css: str = "line"

    def draw(self, plot: Plot, parent: Element) -> None:
        path, half = "", plot.band / 2
        for at, value in enumerate(self.values):
            gap = at == 0 or not can_draw(self.values[at - 1])
            if can_draw(value):
                x, y = plot.place(at, value)
                start = f"M{format_length(x - half)} {format_length(y)}"
                path += f"{start if gap else f'V{format_length(y)}'}H{format_length(x + half)}"
        if path:
            add_element(parent, "path", class_=self.css, d=path)

    def numbers(self) -> Iterator[MarkNumber]:
        return (MarkNumber(at, value, css=self.css) for at, value in enumerate(self.values))


@dataclass(frozen=True)
class DotMark:
    at: float
    value: float | None
    description: str = ""
    css: str = "dot"
    radius: float = 4.2

    def draw(self, plot: Plot, parent: Element) -> None:
        if can_draw(self.value):
            x, y = plot.place(self.at, self.value)
            dot = add_element(parent, "circle", class_=self.css, cx=x, cy=y, r=self.radius)
            if self.description:
                add_element(dot, "title", self.description)

    def numbers(self) -> tuple[MarkNumber, ...]:
        return (MarkNumber(self.at, self.value, css=self.css),)


@dataclass(frozen=True)
class BarMark:
    """An upright bar from ``base`` to ``value``, at least ``least`` high."""

    at: float
    value: float | None
    base: float = 0.0
    css: str = "bar-own"
    least: float = 0.0

    def draw(self, plot: Plot, parent: Element) -> None:
        if can_draw(self.value):
            x, ends = plot.x(self.at), sorted((plot.y(self.value), plot.y(self.base)))
            width, height = bar_width(plot), max(ends[1] - ends[0], self.least)
            x -= width / 2
            add_element(parent, "rect", class_=self.css, x=x, y=ends[0], width=width, height=height)

    def numbers(self) -> tuple[MarkNumber, ...]:
        return (MarkNumber(self.at, self.value, css=self.css, low=self.base or None),)


@dataclass(frozen=True)
class IntervalMark:
    """A line from ``low`` to ``high`` with caps of ``cap`` to each side."""

    at: float
    low: float | None
    high: float | None
    css: str = "whisker"
    cap: float = 4.0

    def draw(self, plot: Plot, parent: Element) -> None:
        if can_draw(self.low) and can_draw(self.high):
            path = plot.path((self.at, self.low), (self.at, self.high))
            if self.cap:
                path += plot.stroke(self.at, self.low, self.cap)
                path += plot.stroke(self.at, self.high, self.cap)
            add_element(parent, "path", class_=self.css, d=path)

    def numbers(self) -> tuple[MarkNumber, ...]:
        if self.low is None and self.high is None:
            return ()
        return (MarkNumber(self.at, low=self.low, high=self.high, css=self.css),)


@dataclass(frozen=True)
class RangeMark:
    """An upright bar between two values, as the box of a box plot; at least one unit high."""

    at: float
    low: float | None
    high: float | None
    css: str = "box-all"

    def draw(self, plot: Plot, parent: Element) -> None:
        if can_draw(self.low) and can_draw(self.high):
            BarMark(self.at, self.high, self.low, self.css, least=1.0).draw(plot, parent)

    def numbers(self) -> tuple[MarkNumber, ...]:
        return (MarkNumber(self.at, low=self.low, high=self.high, css=self.css),)


@dataclass(frozen=True)
class StrokeMark:
    """A stroke across the band at ``value``; as long as a bar is wide without ``reach``."""

    at: float
    value: float | None
    reach: float = 0.0
    css: str = "whisker"

    def draw(self, plot: Plot, parent: Element) -> None:
        if can_draw(self.value):
            reach = self.reach or bar_width(plot) / 2
            add_element(parent, "path", class_=self.css, d=plot.stroke(self.at, self.value, reach))

    def numbers(self) -> tuple[MarkNumber, ...]:
        return (MarkNumber(self.at, self.value, css=self.css),)


@dataclass(frozen=True)
class RuleMark:
    """A line through the whole chart at ``value`` of the axis of numbers."""

    value: float
    css: str = "axis"

    def draw(self, plot: Plot, parent: Element) -> None:
        x, y = plot.place(0, self.value)
        if plot.is_headed:
            add_element(parent, "line", class_=self.css, x1=x, x2=x, y1=plot.top, y2=plot.bottom)
        else:
            add_element(parent, "line", class_=self.css, x1=plot.left, x2=plot.right, y1=y, y2=y)

    def numbers(self) -> tuple[MarkNumber, ...]:
        """None: it is a place of the axis."""
        return ()


@dataclass(frozen=True)
class TextMark:
    at: float
    value: float
    text: str
    dx: float = 0.0
    dy: float = 4.0
    css: str = "middle"

    def draw(self, plot: Plot, parent: Element) -> None:
        x, y = plot.place(self.at, self.value)
        add_element(parent, "text", self.text, class_=self.css, x=x + self.dx, y=y + self.dy)

    def numbers(self) -> tuple[MarkNumber, ...]:
        """None: it is beside what it names."""
        return ()


@dataclass(frozen=True)
class CellMark:
    """A cell of a heat map, the deeper the nearer ``share`` is to 1, which stands for ``value``
    unless that is another number.
    """

    row: int
    column: int
    text: str
    share: float
    description: str
    value: float | None = None

    def draw(self, plot: Plot, parent: Element) -> None:
        x, y, side = plot.x(self.column), plot.y(self.row), plot.band
        share = max(0.0, min(1.0, self.share)) if can_draw(self.share) else 0.0
        group = add_element(parent, "g")
        add_element(group, "title", self.description)
        cell = add_element(group, "rect", class_="cell", fill_opacity=f"{share:.2f}")
        set_attributes(cell, x=x - side / 2, y=y - side / 2, width=side, height=side)
        css = "on" if share > 0.55 else "off"
        add_element(group, "text", self.text, class_=f"middle {css}", x=x, y=y + 4)

    def numbers(self) -> tuple[MarkNumber, ...]:
        value = self.share if self.value is None else self.value
        return (MarkNumber(self.row, value, css="cell", column=self.column),)


def bar_width(plot: Plot) -> float:
    return min(plot.band * BAR, BROADEST)


def split_at_gaps(
    points: Iterable[tuple[float, float | None]],
) -> Iterator[list[tuple[float, float]]]:
    """The pieces between gaps."""
    piece: list[tuple[float, float]] = []
    for at, value in points:
        if can_draw(at) and can_draw(value):
            piece.append((at, value))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _corners(plot: Plot, points: Iterable[tuple[float, float]]) -> str:
    corners = (plot.place(*point) for point in points)
    return " ".join(f"{format_length(x)},{format_length(y)}" for x, y in corners)
