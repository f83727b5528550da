"""Geometry of the caterpillar chart: mean and interval of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from common.statistics.estimate import Estimate
from common.statistics.least_topics import HINT_NOTE
from evaluation.views.charts.topics import format_tick_value, round_up_nice, tick_label

WIDTH, LABEL, RIGHT, ROW, TOP = 1120.0, 230.0, 70.0, 20.0, 26.0


@dataclass(frozen=True)
class RunInterval:
    """One run: x positions of its mean and of the ends of its interval."""

    label: str
    description: str
    y: float
    mean: float | None
    low: float | None
    high: float | None
    own: bool


@dataclass(frozen=True)
class CaterpillarChart:
    lines: tuple[RunInterval, ...]
    ticks: tuple[tuple[float, str], ...]
    height: float
    width: float = WIDTH
    label: float = LABEL - 10
    top: float = TOP

    @property
    def bottom(self) -> float:
        return self.height - 6


def build_caterpillar(
    tags: Sequence[str], intervals: Sequence[Estimate], own: Sequence[bool]
) -> CaterpillarChart:
    """Runs from the top, in the order of ``tags``; the scale starts at 0 unless values go below."""
    ends = [v for i in intervals for v in (i.low, i.high, i.value) if v is not None]
    high, low = max(ends, default=1.0), min(ends, default=0.0)
    top = 1.0 if 0.5 < high <= 1.0 else round_up_nice(high) if high > 0 else 0.0
    bottom = 0.0 if low >= 0 else -round_up_nice(-low)
    span = (top - bottom) or 1.0

    def x(value: float | None) -> float | None:
        share = None if value is None else (value - bottom) / span
        return None if share is None else round(LABEL + (WIDTH - LABEL - RIGHT) * share, 2)

    lines = tuple(
        RunInterval(
            tag,
            describe_run_interval(tag, interval),
            TOP + ROW * (at + 0.5),
            x(interval.value),
            x(interval.low),
            x(interval.high),
            mine,
        )
        for at, (tag, interval, mine) in enumerate(zip(tags, intervals, own, strict=True))
    )
    values = [round(bottom + span * step / 5, 6) for step in range(6)]
    ticks = tuple((x(value) or 0.0, tick_label(value, signed=False)) for value in values)
    return CaterpillarChart(lines, ticks, TOP + ROW * len(lines) + 8)


def describe_run_interval(tag: str, interval: Estimate) -> str:
    if interval.low is None:
        return f"{tag}: {format_tick_value(interval.value)}; {interval.why}"
    share = f"{interval.level or 0:.0%}".replace("%", " %")
    ends = f"{format_tick_value(interval.low)} to {format_tick_value(interval.high)}"
    mark = f" ({HINT_NOTE.rstrip('.')})" if interval.is_hint else ""
    return f"{tag}: {format_tick_value(interval.value)}, {share} interval {ends}{mark}"
