"""Bar charts by topic."""

from __future__ import annotations

from collections.abc import Sequence

from common.charts.axes import (
    format_value,
    parts_axis,
    round_down_nice,
    round_up_nice,
)
from common.charts.chart import Chart, LegendItem
from common.charts.kinds import BARS_HEIGHT, bars_axis, list_bars
from common.charts.marks import (
    BarMark,
    IntervalMark,
    MarkGroup,
    RuleMark,
    StrokeMark,
    TextMark,
)
from evaluation.core.precision_histogram import Histogram
from evaluation.core.spread import BestMedianWorst


def build_topic_chart(
    measure: str,
    run: str,
    topics: Sequence[str],
    values: Sequence[float | None],
    spreads: Sequence[BestMedianWorst],
    caption: str = "",
) -> Chart:
    """One bar per topic; the line on it is the median, the whisker spans worst to best."""
    ends = [end for s in spreads for end in (s.best, s.worst) if end is not None]
    most, least = max(ends, default=1.0), min(ends, default=0.0)
    top = round_up_nice(most) if most > 1.0 else 1.0 if most > 0 or least >= 0 else 0.0
    marks = []
    for at, (topic, value, spread) in enumerate(zip(topics, values, spreads, strict=True)):
        bar = TextMark(at, 0.0, "–", dy=-4) if value is None else BarMark(at, value)
        span = IntervalMark(at, spread.worst, spread.best)
        median = StrokeMark(at, spread.median, css="bar-median")
        marks.append(MarkGroup([bar, span, median], describe_topic(topic, value, spread)))
    best = all(spread.ranked for spread in spreads)
    return Chart(
        "topics",
        f"{measure} by topic",
        "One bar per topic for this run; a line at the median and a whisker from the worst to the "
        "best run of the campaign.",
        across=bars_axis(topics, "topic"),
        up=parts_axis(measure, round_down_nice(least), top, 4),
        marks=[*marks, RuleMark(0.0)],
        legend=[
            LegendItem(run, "bar-own"),
            LegendItem("median of all runs", "bar-median", "line"),
            LegendItem("worst to best" if best else "lowest to highest", "whisker", "whisker"),
        ],
        caption=caption,
        size=(0.0, BARS_HEIGHT),
    )


def build_difference_chart(
    measure: str,
    runs: tuple[str, str],
    topics: Sequence[str],
    differences: Sequence[float],
    caption: str = "",
) -> Chart:
    """One bar per topic, up if the first run is better, down if the second is."""
    reach = round_up_nice(max((abs(value) for value in differences), default=0.0) or 1.0)
    bars = [
        (topic, value, f"Topic {topic}: {value:+.4f}", "own" if value > 0 else "other")
        for topic, value in zip(topics, differences, strict=True)
    ]
    return Chart(
        "differences",
        f"Difference in {measure} by topic",
        "One bar per topic, largest difference first: up if the first run is better, down if the "
        "second is.",
        across=bars_axis(topics, "topic"),
        up=parts_axis(f"difference in {measure}", -reach, reach, 4, signed=True),
        marks=list_bars(bars),
        legend=[
            LegendItem(f"{run} is better", css)
            for run, css in zip(runs, ("bar-own", "bar-other"), strict=True)
        ],
        caption=caption,
        size=(0.0, BARS_HEIGHT),
    )


def build_precision_histogram(
    histogram: Histogram, measure: str, runs: tuple[str, str], order: Sequence[str]
) -> Chart:
    """One bar per topic in the order ``order``, as in the literature: up if the first run is
    better, down if the second is.
    """
    values = dict(zip(histogram.topics, histogram.values.tolist(), strict=True))
    topics = [topic for topic in order if topic in values]
    reach = max((abs(value) for value in values.values()), default=0.0)
    bars = [
        (topic, values[topic], f"Topic {topic}: {values[topic]:+.4f}", name_side(values[topic]))
        for topic in topics
    ]
    first, second = runs
    ties = len(topics) - histogram.ahead - histogram.behind
    return Chart(
        "precision-histogram",
        f"{measure} histogram: {first} minus {second} by topic",
        "One bar per topic in their natural order: up if the first run is better, down if the "
        "second is.",
        across=bars_axis(topics, "topic"),
        up=parts_axis(f"difference in {measure}", *symmetric_ends(reach), 4, signed=True),
        marks=list_bars(bars),
        legend=[
            LegendItem(f"{run} is better", css)
            for run, css in zip(runs, ("bar-own", "bar-other"), strict=True)
        ],
        caption=f"{first} has the higher {measure} on {histogram.ahead} of {len(topics)} topics, "
        f"{second} on {histogram.behind}, with {ties} ties.",
        size=(0.0, BARS_HEIGHT),
    )


def name_side(value: float) -> str:
    return "own" if value > 0 else "other"


def symmetric_ends(reach: float) -> tuple[float, float]:
    top = round_up_nice(reach or 1.0)
    return -top, top


def describe_topic(topic: str, value: float | None, spread: BestMedianWorst) -> str:
    first, last = ("best", "worst") if spread.ranked else ("highest", "lowest")
    return (
        f"Topic {topic}: {format_value(value)}; {first} {format_value(spread.best)},"
        f" median {format_value(spread.median)}, {last} {format_value(spread.worst)}"
    )
