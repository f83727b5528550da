"""Where the lines stand that follow a value over levels, each level as wide as the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.charts.topics import Tick, tick_label

WIDTH, HEIGHT = 760.0, 320.0
LEFT, RIGHT, TOP, BELOW = 48.0, 16.0, 12.0, 40.0
STEP = 0.2


@dataclass(frozen=True)
class Point:
    """The value at one level, and the least and most of it, where they are known."""

    level: int
    value: float | None
    least: float | None
    most: float | None


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    said: str


@dataclass(frozen=True)
class Line:
    """One series by its number, from 1: ``points`` of a polyline, ``area`` between extremes."""

    number: int
    label: str
    points: str
    area: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class LevelChart:
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    levels: tuple[tuple[float, str], ...]
    left: float = LEFT
    top: float = TOP
    width: float = LEFT + WIDTH + RIGHT
    height: float = TOP + HEIGHT + BELOW

    @property
    def right(self) -> float:
        return self.left + WIDTH

    @property
    def bottom(self) -> float:
        return self.top + HEIGHT


@dataclass(frozen=True)
class Scale:
    levels: Sequence[int]
    low: float

    def x(self, level: int) -> float:
        share = self.levels.index(level) / max(1, len(self.levels) - 1)
        return round(LEFT + WIDTH * share, 2)

    def y(self, value: float) -> float:
        return round(TOP + HEIGHT * (1 - value) / (1 - self.low), 2)


def level_chart(series: Mapping[str, Sequence[Point]], levels: Sequence[int]) -> LevelChart:
    """A line for each of ``series``; values go up to 1, from the next fifth below the least."""
    told = (v for points in series.values() for p in points for v in (p.value, p.least))
    least = min((v for v in told if v is not None), default=0.0)
    below = int(least // STEP) if least < 1 else 0
    scale = Scale(levels, round(below * STEP, 9))
    values = [round(at * STEP, 9) for at in range(below, 6)]
    return LevelChart(
        lines=tuple(_line(*named, n, scale) for n, named in enumerate(series.items(), 1)),
        ticks=tuple(Tick(scale.y(value), tick_label(value, signed=False)) for value in values),
        levels=tuple((scale.x(level), str(level)) for level in levels),
    )


def _line(label: str, points: Sequence[Point], number: int, scale: Scale) -> Line:
    known = [(p, p.value) for p in points if p.value is not None]
    ends = [(p.level, p.least, p.most) for p in points if p.least is not None]
    upper = [f"{scale.x(level):g},{scale.y(most):g}" for level, _, most in ends if most is not None]
    lower = [f"{scale.x(level):g},{scale.y(low):g}" for level, low, _ in ends if low is not None]
    return Line(
        number=number,
        label=label,
        points=" ".join(f"{scale.x(p.level):g},{scale.y(value):g}" for p, value in known),
        area=" ".join([*upper, *reversed(lower)]),
        dots=tuple(
            Dot(scale.x(p.level), scale.y(value), said(label, p, value)) for p, value in known
        ),
    )


def said(label: str, point: Point, value: float) -> str:
    ends = "" if point.least is None else f", {point.least:.3f} to {point.most:.3f}"
    return f"{label} at {point.level} %: {value:.3f}{ends}"
