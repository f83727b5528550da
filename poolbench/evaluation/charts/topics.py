"""Bar charts by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from poolbench.cards import Card
from poolbench.charts.axes import (
    format_value,
    parts_axis,
    round_down_nice,
    round_up_nice,
)
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.kinds import BARS_HEIGHT, bars_axis, list_bars
from poolbench.charts.marks import (
    BarMark,
    IntervalMark,
    MarkGroup,
    RuleMark,
    StrokeMark,
    TextMark,
)
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.spread import BestMedianWorst

PRECISION_HISTOGRAM = Card(
    name="precision_histogram",
    title="Precision histogram of two runs",
    formula="RP_A/B(topic) = Rprec of A − Rprec of B",
    reading="A bar per topic: above 0 if the first run is better, below 0 if the second is better.",
    source="Modern Information Retrieval, chapter 4.",
    range="-1 to 1",
    edge_cases=(
        "Only topics with values for both runs are included.",
        "Any measure with values by topic can replace R-precision.",
    ),
    example="A retrieves 3 relevant documents in the first R = 4, B retrieves 1: 3/4 − 1/4 = 1/2.",
)


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
    head = "differences", f"Difference in {measure} by topic", ", largest difference first"
    return draw_differences(
        head, measure, runs, dict(zip(topics, differences, strict=True)), caption
    )


def precision_histogram(a: ScoredRun, b: ScoredRun, measure: str = "Rprec") -> dict[str, float]:
    """By topic the difference ``a`` − ``b`` of the measure printed as ``measure``.

    Raises ``ValueError`` if a run was not scored with the measure.
    """
    second = b.by_topic(measure)
    return {
        topic: value - other
        for topic, value in a.by_topic(measure).items()
        if value is not None and (other := second.get(topic)) is not None
    }


def build_precision_histogram(
    values: Mapping[str, float], measure: str, runs: tuple[str, str], order: Sequence[str]
) -> Chart:
    """``values`` by topic in the order ``order``, as in the literature."""
    differences = {topic: values[topic] for topic in order if topic in values}
    ahead = sum(value > 0 for value in differences.values())
    behind = sum(value < 0 for value in differences.values())
    first, second = runs
    ties = len(differences) - ahead - behind
    head = (
        "precision-histogram",
        f"{measure} histogram: {first} minus {second} by topic",
        " in their natural order",
    )
    caption = (
        f"{first} has the higher {measure} on {ahead} of {len(differences)} topics, "
        f"{second} on {behind}, with {ties} ties."
    )
    return draw_differences(head, measure, runs, differences, caption)


def draw_differences(
    head: tuple[str, str, str],
    measure: str,
    runs: tuple[str, str],
    differences: Mapping[str, float],
    caption: str,
) -> Chart:
    """``head`` is name, title and order of the topics."""
    name, title, order = head
    reach = round_up_nice(max(map(abs, differences.values()), default=0.0) or 1.0)
    bars = [
        (topic, value, f"Topic {topic}: {value:+.4f}", "own" if value > 0 else "other")
        for topic, value in differences.items()
    ]
    return Chart(
        name,
        title,
        f"One bar per topic{order}: up if the first run is better, down if the second is.",
        across=bars_axis(list(differences), "topic"),
        up=parts_axis(f"difference in {measure}", -reach, reach, 4, signed=True),
        marks=list_bars(bars),
        legend=[
            LegendItem(f"{run} is better", css)
            for run, css in zip(runs, ("bar-own", "bar-other"), strict=True)
        ],
        caption=caption,
        size=(0.0, BARS_HEIGHT),
    )


def describe_topic(topic: str, value: float | None, spread: BestMedianWorst) -> str:
    first, last = ("best", "worst") if spread.ranked else ("highest", "lowest")
    return (
        f"Topic {topic}: {format_value(value)}; {first} {format_value(spread.best)},"
        f" median {format_value(spread.median)}, {last} {format_value(spread.worst)}"
    )
