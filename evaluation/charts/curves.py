"""Where the lines of a precision–recall picture stand, in the units of its viewBox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SIDE, LEFT, RIGHT, TOP, BELOW = 420.0, 44.0, 12.0, 12.0, 44.0
THREADS = 100
"""Single topics are drawn behind the mean when there are no more than these."""


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    said: str


@dataclass(frozen=True)
class Line:
    """One curve: ``kind`` own or other, the points of its polyline, and its marks."""

    label: str
    kind: str
    points: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class CurveChart:
    lines: tuple[Line, ...]
    threads: tuple[str, ...]
    ticks: tuple[tuple[float, float, str], ...]
    left: float = LEFT
    top: float = TOP
    side: float = SIDE
    width: float = LEFT + SIDE + RIGHT
    height: float = TOP + SIDE + BELOW

    @property
    def right(self) -> float:
        return self.left + self.side

    @property
    def bottom(self) -> float:
        return self.top + self.side


def x_of(recall: float) -> float:
    return round(LEFT + SIDE * recall, 2)


def y_of(precision: float) -> float:
    return round(TOP + SIDE * (1 - precision), 2)


def line(label: str, kind: str, recall: Sequence[float], precision: Sequence[float]) -> Line:
    """A curve through the points, each marked and told."""
    dots = tuple(
        Dot(x_of(r), y_of(p), f"{label}: precision {p:.4f} at recall {r:.2f}")
        for r, p in zip(recall, precision, strict=True)
    )
    return Line(label, kind, drawn(recall, precision), dots)


def drawn(recall: Sequence[float], precision: Sequence[float]) -> str:
    pairs = zip(recall, precision, strict=True)
    return " ".join(f"{x_of(r):g},{y_of(p):g}" for r, p in pairs)


def curve_chart(lines: Sequence[Line], threads: Sequence[str] = ()) -> CurveChart:
    ticks = tuple((x_of(at / 5), y_of(at / 5), f"{at / 5:g}") for at in range(6))
    return CurveChart(tuple(lines), tuple(threads), ticks)
