"""Geometry of bar charts by topic. Templates draw it as inline SVG without styles.

All lengths are in viewBox units, from the left and from the top.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.queries.leaderboard import BestMedianWorst

WIDTH, HEIGHT = 1120.0, 300.0
LEFT, RIGHT, TOP = 52.0, 8.0, 14.0
SLOT, BAR = 24.0, 40.0
"""The minimum width of a topic, the maximum width of a bar."""


@dataclass(frozen=True)
class Tick:
    y: float
    label: str


@dataclass(frozen=True)
class TopicBar:
    """One topic: its bar, with the median and the ends of the whisker, if any."""

    label: str
    description: str
    middle: float
    x: float
    width: float
    y: float
    height: float
    kind: str = "own"
    median: float | None = None
    best: float | None = None
    worst: float | None = None
    missing: bool = False

    @property
    def right(self) -> float:
        return self.x + self.width


@dataclass(frozen=True)
class TopicChart:
    width: float
    height: float
    zero: float
    labels: float
    slanted: bool
    ticks: tuple[Tick, ...]
    marks: tuple[TopicBar, ...]
    left: float = LEFT

    @property
    def right(self) -> float:
        return self.width - RIGHT


@dataclass(frozen=True)
class TopicPlotArea:
    """Maps values to positions: ``low`` at the bottom, ``high`` at the top."""

    topics: Sequence[str]
    low: float
    high: float
    step: float

    @property
    def slot(self) -> float:
        return max((WIDTH - LEFT - RIGHT) / max(len(self.topics), 1), SLOT)

    @property
    def width(self) -> float:
        return LEFT + RIGHT + self.slot * max(len(self.topics), 1)

    @property
    def bar(self) -> float:
        return min(self.slot * 0.62, BAR)

    @property
    def slanted(self) -> bool:
        return max(map(len, self.topics), default=0) * 6.5 > self.slot

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(TOP + HEIGHT * (1 - share), 2)

    def middle(self, index: int) -> float:
        return round(LEFT + self.slot * (index + 0.5), 2)

    def chart(self, marks: Sequence[TopicBar], *, signed: bool = False) -> TopicChart:
        longest = max(map(len, self.topics), default=0)
        below = 18 + (min(longest, 24) * 4.4 if self.slanted else 0)
        return TopicChart(
            width=round(self.width, 2),
            height=round(TOP + HEIGHT + below + 8, 2),
            zero=self.y(0.0),
            labels=TOP + HEIGHT + 16,
            slanted=self.slanted,
            ticks=tuple(Tick(self.y(value), tick_label(value, signed)) for value in self.values()),
            marks=tuple(marks),
        )

    def values(self) -> list[float]:
        count = round((self.high - self.low) / self.step)
        return [round(self.low + self.step * index, 6) for index in range(count + 1)]


def tick_label(value: float, signed: bool) -> str:
    text = f"{value:g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return f"+{text}" if signed and value > 0 else text.replace("-", "−")


def format_tick_value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")


def build_topic_chart(
    topics: Sequence[str], values: Sequence[float | None], spreads: Sequence[BestMedianWorst]
) -> TopicChart:
    """One bar per topic; the line on it is the median, the whisker spans worst to best."""
    ends = [end for s in spreads for end in (s.best, s.worst) if end is not None]
    most, least = max(ends, default=1.0), min(ends, default=0.0)
    top = round_up_nice(most) if most > 1.0 else 1.0 if most > 0 or least >= 0 else 0.0
    low = 0.0 if least >= 0 else -round_up_nice(-least)
    frame = TopicPlotArea(topics, low, top, (top - low) / 4)
    marks = []
    for index, (topic, value, spread) in enumerate(zip(topics, values, spreads, strict=True)):
        middle, places = frame.middle(index), [spread.median, spread.best, spread.worst]
        median, best, worst = (None if at is None else frame.y(at) for at in places)
        height = abs(frame.y(0.0) - frame.y(value or 0.0))
        first, last = ("best", "worst") if spread.ranked else ("highest", "lowest")
        marks.append(
            TopicBar(
                label=topic,
                description=f"Topic {topic}: {format_tick_value(value)};"
                f" {first} {format_tick_value(spread.best)},"
                f" median {format_tick_value(spread.median)},"
                f" {last} {format_tick_value(spread.worst)}",
                middle=middle,
                x=round(middle - frame.bar / 2, 2),
                width=round(frame.bar, 2),
                y=min(frame.y(value or 0.0), frame.y(0.0)),
                height=round(height, 2),
                median=median,
                best=best,
                worst=worst,
                missing=value is None,
            )
        )
    return frame.chart(marks)


def build_difference_chart(topics: Sequence[str], differences: Sequence[float]) -> TopicChart:
    """One bar per topic, up if the first run is better, down if the second is."""
    reach = round_up_nice(max((abs(value) for value in differences), default=0.0) or 1.0)
    frame = TopicPlotArea(topics, -reach, reach, reach / 2)
    marks = []
    for index, (topic, value) in enumerate(zip(topics, differences, strict=True)):
        middle = frame.middle(index)
        marks.append(
            TopicBar(
                label=topic,
                description=f"Topic {topic}: {value:+.4f}",
                middle=middle,
                x=round(middle - frame.bar / 2, 2),
                width=round(frame.bar, 2),
                y=min(frame.y(value), frame.y(0.0)),
                height=round(abs(frame.y(value) - frame.y(0.0)), 2),
                kind="own" if value > 0 else "other",
            )
        )
    return frame.chart(marks, signed=True)


def round_up_nice(value: float) -> float:
    """``value`` rounded up to 1, 2, 4, 6, 8 or 10 times a power of ten."""
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(
        round(step * power, 9) for step in (1, 2, 4, 6, 8, 10) if step * power >= value - 1e-12
    )
