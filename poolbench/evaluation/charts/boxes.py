"""Box plots of all runs by topic, with one run marked."""

from __future__ import annotations

from collections.abc import Sequence

from poolbench.cards import Card
from poolbench.charts.axes import format_value, parts_axis, round_down_nice, round_up_nice
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.kinds import BARS_HEIGHT, bars_axis
from poolbench.charts.marks import (
    DotMark,
    Drawable,
    IntervalMark,
    MarkGroup,
    RangeMark,
    StrokeMark,
)
from poolbench.statistics.box_plot import BoxPlot

BOX_PLOT = Card(
    name="box-plot",
    title="Box plots of all runs by topic",
    formula="box from Q1 to Q3, line at Q2; whiskers to the last value within Q1 − 1.5 (Q3 − Q1) "
    "and Q3 + 1.5 (Q3 − Q1); values beyond them one by one",
    reading="A long box is a topic on which runs differ; a dot above the box is a topic on which "
    "the run is in the best quarter.",
    source="Tukey, Exploratory Data Analysis, 1977; quartiles of type 7 in Hyndman and Fan, The "
    "American Statistician 50(4), 1996, the default of numpy and R.",
    range="that of the measure",
    edge_cases=(
        "Runs without a value on the topic are left out; a topic without any has no box.",
        "One value, or equal ones, are a box of one line.",
        "Drawn only for those who may see all runs: others see best, median and worst.",
    ),
    example="Scores 0.1, 0.2, 0.3, 0.4 and 1 have quartiles 0.2, 0.3 and 0.4, so whiskers end "
    "within −0.1 to 0.7: at 0.1 and 0.4; 1 is drawn by itself.",
)
OUTSIDE = "beyond 1.5 interquartile ranges"


def build_box_chart(
    measure: str,
    run: str,
    topics: Sequence[str],
    boxes: Sequence[BoxPlot | None],
    values: Sequence[float | None],
    caption: str = "",
) -> Chart:
    """A box per topic, in the order of ``topics``; ``values`` are those of ``run``."""
    listed = zip(topics, boxes, values, strict=True)
    marks = [draw_box(at, *parts) for at, parts in enumerate(listed)]
    ends = [end for box in boxes if box for end in (box.low, box.high, *box.outside)]
    ends += [value for value in values if value is not None]
    most, least = max(ends, default=1.0), min(ends, default=0.0)
    top = round_up_nice(most) if most > 1.0 else 1.0 if most > 0 or least >= 0 else 0.0
    return Chart(
        "boxes",
        f"{measure} of all runs by topic, with {run}",
        "A box plot per topic of the scores of all runs; a dot is this run.",
        across=bars_axis(topics, "topic"),
        up=parts_axis(measure, round_down_nice(least), top, 4),
        marks=marks,
        legend=[
            LegendItem(run, "dot-own", "dot"),
            LegendItem("median of all runs", "bar-median", "line"),
            LegendItem("middle half of all runs", "box-all"),
            LegendItem("within 1.5 interquartile ranges", "whisker", "whisker"),
            LegendItem(OUTSIDE, "outlier", "dot"),
        ],
        caption=caption,
        size=(0.0, BARS_HEIGHT),
    )


def draw_box(at: int, topic: str, box: BoxPlot | None, value: float | None) -> MarkGroup:
    marks: list[Drawable] = []
    if box is not None:
        marks = [
            IntervalMark(at, box.low, box.high),
            RangeMark(at, box.first_quartile, box.third_quartile, "box-all"),
            StrokeMark(at, box.median, css="bar-median"),
            *(DotMark(at, one, css="outlier", radius=2.2) for one in box.outside),
        ]
    marks.append(DotMark(at, value, css="dot-own"))
    return MarkGroup(marks, describe_box(topic, box, value))


def describe_box(topic: str, box: BoxPlot | None, value: float | None) -> str:
    if box is None:
        return f"Topic {topic}: undefined for all runs"
    middle = f"{format_value(box.first_quartile)} to {format_value(box.third_quartile)}"
    ends = f"{format_value(box.low)} to {format_value(box.high)}"
    outside = f", {len(box.outside)} outside" if box.outside else ""
    return (
        f"Topic {topic}: {format_value(value)}; median of {box.n} runs {format_value(box.median)}, "
        f"middle half {middle}, whiskers {ends}{outside}"
    )
