"""Geometry of the agreement charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judging.core.agreement.report import AgreementReport

CELL, LEFT, TOP = 64, 150, 34
MAX_ASSESSORS = 30
"""A heat map of more assessors would be illegible."""


@dataclass(frozen=True)
class HeatCell:
    """One cell of a heat map: position, title, text and opacity."""

    x: int
    y: int
    title: str
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
    """A heat map: cells, row and column labels, and size."""

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
    """All pairs of assessors by one coefficient; None if there are too many for a chart."""
    names = [assessor.name for assessor in report.assessors]
    if len(names) > MAX_ASSESSORS:
        return None
    place = {name: at for at, name in enumerate(names)}
    cells = []
    for (a, b), row in report.pairs.items():
        value = row[by]
        text = "–" if value.value is None else f"{value.value:.2f}"
        full = "0" if value.value is None else f"{max(0.0, min(1.0, value.value)):.2f}"
        why = value.reason or f"{value.value:.4f}, n {value.n}"
        for i, j in ((place[a], place[b]), (place[b], place[a])):
            at = LEFT + CELL * j, TOP + CELL * i
            cells.append(HeatCell(*at, f"{names[i]} and {names[j]}: {why}", text, full))
    return _heat(cells, names, names)


def build_confusion_heat_map(table: Sequence[Sequence[int]], grades: Sequence[str]) -> HeatMap:
    """Pairs by the grades of two assessors; opacity is the share of the row."""
    cells = []
    for i, row in enumerate(table):
        total = sum(row)
        for j, count in enumerate(row):
            share = count / total if total else 0.0
            title = f"{grades[i]} and {grades[j]}: {count} of {total}"
            at = LEFT + CELL * j, TOP + CELL * i
            cells.append(HeatCell(*at, title, str(count), f"{share:.2f}"))
    return _heat(cells, grades, grades)


LINE, LABEL, RIGHT, WIDTH = 22, 250, 20, 720
MOST_LINES = 120


@dataclass(frozen=True)
class IntervalLine:
    """A value and its interval on one line of the chart; None if undefined."""

    label: str
    title: str
    y: int
    at: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class IntervalChart:
    """A caterpillar plot: values with intervals, one per line."""

    lines: list[IntervalLine]
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
"""Label, value, bounds, and the reason why there is no value."""


def build_interval_chart(
    lines: Iterable[Line], *, least: float = 0.0, most: float = 1.0
) -> IntervalChart:
    """A caterpillar plot; its axis covers at least ``least`` to ``most`` and all values."""
    rows = list(lines)
    present = [x for _, *numbers, _ in rows for x in numbers if x is not None]
    start, end = _axis(min([least, *present]), max([most, *present]))
    span = end - start

    def x(value: float | None) -> float | None:
        if value is None:
            return None
        return round(LABEL + (value - start) / span * (WIDTH - LABEL - RIGHT), 1)

    chart_lines = [
        IntervalLine(
            label,
            _describe_interval(label, value, low, high, why),
            38 + LINE * at,
            x(value),
            x(low),
            x(high),
        )
        for at, (label, value, low, high, why) in enumerate(rows)
    ]
    ticks = [
        (x(start + span * part / 4) or 0.0, f"{start + span * part / 4:g}") for part in range(5)
    ]
    return IntervalChart(chart_lines, ticks, x(0.0) or 0.0, 38 + LINE * len(chart_lines))


def _axis(low: float, high: float) -> tuple[float, float]:
    """Ends that are multiples of 0.2, so that quarter ticks have at most two decimals."""
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
