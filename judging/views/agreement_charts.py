"""Where the marks of the pictures of agreement stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judging.core.agreement.report import AgreementReport

CELL, LEFT, TOP = 64, 150, 34
MOST = 30
"""More assessors than this make no picture that anybody can read."""


@dataclass(frozen=True)
class HeatCell:
    """One cell of a heat map: where it stands, what it says and how full it is."""

    x: int
    y: int
    said: str
    text: str
    opacity: str
    query: str = ""

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + CELL // 2, self.y + CELL // 2 + 4

    @property
    def is_dark(self) -> bool:
        return float(self.opacity) > 0.55


@dataclass(frozen=True)
class HeatMap:
    """A heat map: cells, names down the side and along the top, and its size."""

    cells: list[HeatCell]
    sides: list[tuple[str, int]]
    heads: list[tuple[str, int]]
    width: int
    height: int
    cell: int = CELL
    left: int = LEFT - 10


def _heat(cells: list[HeatCell], rows: Sequence[str], columns: Sequence[str]) -> HeatMap:
    return HeatMap(
        cells,
        [(name, TOP + CELL * at + CELL // 2 + 4) for at, name in enumerate(rows)],
        [(name, LEFT + CELL * at + CELL // 2) for at, name in enumerate(columns)],
        LEFT + CELL * len(columns) + 2,
        TOP + CELL * len(rows) + 2,
    )


def build_pair_heat_map(report: AgreementReport, by: str) -> HeatMap | None:
    """Every two assessors by one coefficient; None where they are too many for a picture."""
    names = [assessor.name for assessor in report.assessors]
    if len(names) > MOST:
        return None
    place = {name: at for at, name in enumerate(names)}
    cells = []
    for (a, b), row in report.pairs.items():
        found = row[by]
        text = "–" if found.value is None else f"{found.value:.2f}"
        full = "0" if found.value is None else f"{max(0.0, min(1.0, found.value)):.2f}"
        why = found.reason or f"{found.value:.4f}, n {found.n}"
        for i, j in ((place[a], place[b]), (place[b], place[a])):
            at = LEFT + CELL * j, TOP + CELL * i
            cells.append(HeatCell(*at, f"{names[i]} and {names[j]}: {why}", text, full))
    return _heat(cells, names, names)


def build_confusion_heat_map(table: Sequence[Sequence[int]], grades: Sequence[str]) -> HeatMap:
    """The numbers of pairs by the grades of two assessors; full where most of a row is."""
    cells = []
    for i, row in enumerate(table):
        total = sum(row)
        for j, count in enumerate(row):
            share = count / total if total else 0.0
            said = f"{grades[i]} and {grades[j]}: {count} of {total}"
            at = LEFT + CELL * j, TOP + CELL * i
            cells.append(HeatCell(*at, said, str(count), f"{share:.2f}"))
    return _heat(cells, grades, grades)


LEG, LABEL, RIGHT, WIDTH = 22, 250, 20, 720
MOST_LEGS = 120


@dataclass(frozen=True)
class IntervalLine:
    """A value and its interval on a line of a caterpillar; None where there is none."""

    label: str
    said: str
    y: int
    at: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class IntervalChart:
    """A caterpillar of values from ``start`` to ``end``."""

    legs: list[IntervalLine]
    ticks: list[tuple[float, str]]
    zero: float
    height: int
    width: int = WIDTH
    label: int = LABEL - 12
    top: int = 22

    @property
    def bottom(self) -> int:
        return self.height - 4


Line = tuple[str, float | None, float | None, float | None, str]
"""Label, value, bounds, and what is said where there is no value."""


def build_interval_chart(
    lines: Iterable[Line], *, least: float = 0.0, most: float = 1.0
) -> IntervalChart:
    """A caterpillar on an axis that holds ``least``, ``most`` and all there is."""
    found = list(lines)
    there = [x for _, *numbers, _ in found for x in numbers if x is not None]
    start, end = _axis(min([least, *there]), max([most, *there]))
    span = end - start

    def x(value: float | None) -> float | None:
        if value is None:
            return None
        return round(LABEL + (value - start) / span * (WIDTH - LABEL - RIGHT), 1)

    drawn = [
        IntervalLine(
            label,
            _describe_interval(label, value, low, high, why),
            38 + LEG * at,
            x(value),
            x(low),
            x(high),
        )
        for at, (label, value, low, high, why) in enumerate(found)
    ]
    ticks = [
        (x(start + span * part / 4) or 0.0, f"{start + span * part / 4:g}") for part in range(5)
    ]
    return IntervalChart(drawn, ticks, x(0.0) or 0.0, 38 + LEG * len(drawn))


def _axis(low: float, high: float) -> tuple[float, float]:
    """Ends that are multiples of 0.2, so that quarters of the axis have one or two decimals."""
    steps = 5
    start, end = int(low * steps // 1), int(-(-high * steps // 1))
    return start / steps, max(end, start + 1) / steps


def _describe_interval(
    label: str, value: float | None, low: float | None, high: float | None, why: str
) -> str:
    if value is None:
        return f"{label}: {why}"
    if low is None or high is None:
        return f"{label}: {value:.3f}"
    return f"{label}: {value:.3f}, {low:.3f} to {high:.3f}"
