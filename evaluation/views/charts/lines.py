"""Geometry of line charts with optional bands.

All lengths are in viewBox units, from the left and from the top.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.views.charts.topics import format_tick_value, round_up_nice, tick_label

LEFT, RIGHT, TOP, BELOW = 60.0, 28.0, 14.0, 44.0
WIDE = (680.0, 300.0)
"""Width and height within the axes."""
KINDS = 8
"""The number of line colors; further lines reuse them."""
TICKS = 5
FIFTH = 0.2
SLACK = 1e-9
"""Tolerance for floating-point noise in a number of steps."""


class PlotValue(NamedTuple):
    """A value ``at`` a position of the horizontal axis, its range over draws or seeds, if any,
    and a description for tooltips and screen readers.
    """

    at: float
    value: float
    description: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Axis:
    """The name of an axis, and ``(value, label)`` of its ticks, ascending from end to end."""

    name: str
    ticks: Sequence[tuple[float, str]]

    def share(self, value: float) -> float:
        """The position of ``value`` along the axis, from 0 to 1."""
        low, high = self.ticks[0][0], self.ticks[-1][0]
        return (value - low) / (high - low) if high > low else 0.0


@dataclass(frozen=True)
class PlotDot:
    x: float
    y: float
    description: str


@dataclass(frozen=True)
class PlotLine:
    """``kind`` counts from 1. ``band`` is a polygon, empty without a range."""

    label: str
    kind: int
    points: str
    band: str
    dots: tuple[PlotDot, ...]


@dataclass(frozen=True)
class LineChart:
    """``across`` and ``up`` are ``(place, label)`` of the ticks; ``threads`` are the points of thin
    lines behind the others.
    """

    lines: tuple[PlotLine, ...]
    threads: tuple[str, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    name_across: str
    name_up: str
    right: float
    bottom: float
    left: float = LEFT
    top: float = TOP

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        return self.right + RIGHT

    @property
    def height(self) -> float:
        return self.bottom + BELOW


@dataclass(frozen=True)
class LinePlotArea:
    """Maps values to positions."""

    across: Axis
    up: Axis
    size: tuple[float, float]

    def x(self, value: float) -> float:
        return round(LEFT + self.size[0] * self.across.share(value), 2)

    def y(self, value: float) -> float:
        return round(TOP + self.size[1] * (1 - self.up.share(value)), 2)

    def points(self, pairs: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(at):g},{self.y(value):g}" for at, value in pairs)

    def line(self, label: str, kind: int, values: Sequence[PlotValue]) -> PlotLine:
        return PlotLine(
            label=label,
            kind=kind,
            points=self.points((value.at, value.value) for value in values),
            band=self.points(band_polygon(values)),
            dots=tuple(PlotDot(self.x(v.at), self.y(v.value), v.description) for v in values),
        )


def build_line_chart(
    series: Iterable[tuple[str, Sequence[PlotValue]]],
    across: Axis,
    up: Axis,
    *,
    size: tuple[float, float] = WIDE,
    threads: Iterable[Sequence[tuple[float, float]]] = (),
) -> LineChart:
    """One line per ``(label, values)``; values are connected in order."""
    frame, numbered = LinePlotArea(across, up, size), enumerate(series)
    return LineChart(
        lines=tuple(frame.line(label, n % KINDS + 1, values) for n, (label, values) in numbered),
        threads=tuple(map(frame.points, threads)),
        across=tuple((frame.x(value), label) for value, label in across.ticks),
        up=tuple((frame.y(value), label) for value, label in up.ticks),
        name_across=across.name,
        name_up=up.name,
        right=LEFT + size[0],
        bottom=TOP + size[1],
    )


def band_polygon(values: Sequence[PlotValue]) -> list[tuple[float, float]]:
    """The corners of the band: along the maxima, and back along the minima."""
    high = [(value.at, value.high) for value in values if value.high is not None]
    low = [(value.at, value.low) for value in values if value.low is not None]
    return [] if high == low else [*high, *reversed(low)]


def build_judgments_chart(
    series: Sequence[tuple[str, Sequence[PlotValue]]], size: tuple[float, float] = WIDE
) -> LineChart:
    """Lines over the number of judgments; both scales include 0."""
    values = [value for _, line in series for value in line]
    ends = [end for v in values for end in (v.value, v.low, v.high) if end is not None]
    across = round_axis("judgments", [value.at for value in values])
    return build_line_chart(series, across, round_axis("", ends), size=size)


def judgments_value(
    judgments: float, label: str, mean: float, low: float | None = None, high: float | None = None
) -> PlotValue:
    """The value of ``label`` after a number of judgments."""
    span = "" if low == high else f" ({format_tick_value(low)} to {format_tick_value(high)})"
    description = f"{label}: {format_tick_value(mean)}{span} after {judgments:,.0f} judgments"
    return PlotValue(judgments, mean, description, low, high)


def round_axis(name: str, values: Iterable[float]) -> Axis:
    """Equidistant ticks at round numbers that span 0 and all ``values``."""
    ends = [0.0, *values]
    low, high = min(ends), max(ends)
    step = round_up_nice((high - low) / TICKS or 1.0 / TICKS)
    first, last = math.floor(low / step + SLACK), math.ceil(high / step - SLACK)
    return _build_axis(name, step, range(first, max(last, first + 1) + 1))


def fifths_axis(name: str, least: float = 0.0) -> Axis:
    """Ticks at fifths up to 1, from the next one below ``least``, or from 0 if that is 1."""
    return _build_axis(name, FIFTH, range(math.floor(least / FIFTH) if least < 1 else 0, 6))


def _build_axis(name: str, step: float, numbers: Iterable[int]) -> Axis:
    ticks = [round(step * number, 9) for number in numbers]
    return Axis(name, [(tick, tick_label(tick, signed=False)) for tick in ticks])
