"""Where the marks of a picture stand that follows some figure of several pools as they grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.charts.topics import figure, nice, tick_label

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BELOW = 720.0, 300.0, 60.0, 16.0, 14.0, 44.0
KINDS = 8
"""So many lines are told apart by colour; from there on the colours come again."""
TICKS = 5
SLACK = 1e-9
"""Floating-point noise in a number of steps."""


@dataclass(frozen=True)
class Value:
    """A figure after ``judgments``, and how low and high chance takes it."""

    judgments: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    said: str


@dataclass(frozen=True)
class Line:
    """``band`` is the polygon between lowest and highest, empty where chance does nothing."""

    label: str
    kind: int
    points: str
    band: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class BudgetLines:
    """``across`` and ``up`` are ``(place, label)`` of the ticks of both axes."""

    lines: tuple[Line, ...]
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    width: float = WIDTH
    height: float = TOP + HEIGHT + BELOW
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = TOP + HEIGHT


@dataclass(frozen=True)
class Frame:
    """How figures become places: from 0 judgments at the left, from ``low`` at the bottom."""

    last: float
    low: float
    high: float

    def x(self, judgments: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * judgments / self.last, 2)

    def y(self, value: float) -> float:
        return round(TOP + HEIGHT * (self.high - value) / (self.high - self.low), 2)

    def line(self, label: str, kind: int, values: Sequence[Value]) -> Line:
        varied = any(value.low != value.high for value in values)
        up = [(value.judgments, value.high) for value in values]
        down = [(value.judgments, value.low) for value in reversed(values)]
        return Line(
            label=label,
            kind=kind,
            points=self.drawn([(value.judgments, value.mean) for value in values]),
            band=self.drawn(up + down) if varied else "",
            dots=tuple(
                Dot(self.x(value.judgments), self.y(value.mean), said(label, value))
                for value in values
            ),
        )

    def drawn(self, pairs: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(judgments):g},{self.y(value):g}" for judgments, value in pairs)


def budget_lines(series: Sequence[tuple[str, Sequence[Value]]]) -> BudgetLines:
    """A line for each ``(label, values)``, values by judgments ascending. The scale holds 0."""
    values = [value for _, line in series for value in line]
    across = ticks(0.0, max((value.judgments for value in values), default=0.0))
    up = ticks(
        min((value.low for value in values), default=0.0),
        max((value.high for value in values), default=0.0),
    )
    frame = Frame(across[-1], up[0], up[-1])
    return BudgetLines(
        lines=tuple(
            frame.line(label, at % KINDS + 1, line) for at, (label, line) in enumerate(series)
        ),
        across=tuple((frame.x(value), tick_label(value, False)) for value in across),
        up=tuple((frame.y(value), tick_label(value, False)) for value in up),
    )


def ticks(low: float, high: float) -> list[float]:
    """Round numbers, equally far apart, around 0 and all from ``low`` to ``high``."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = nice((high - low) / TICKS or 1.0 / TICKS)
    first, last = math.floor(low / step + SLACK), math.ceil(high / step - SLACK)
    return [round(step * number, 9) for number in range(first, max(last, first + 1) + 1)]


def said(label: str, value: Value) -> str:
    """The mark in words, for the mouse and for those who do not see it."""
    span = "" if value.low == value.high else f" ({figure(value.low)} to {figure(value.high)})"
    return f"{label}: {figure(value.mean)}{span} after {value.judgments:,.0f} judgments"
