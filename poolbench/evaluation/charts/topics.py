"""Charts by topic: bars with the spread of all runs, differences of two runs, box plots."""

from collections.abc import Mapping, Sequence

from poolbench.cards import Card
from poolbench.charts.axes import Axis, format_value, parts_axis, round_down_nice, round_up_nice
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.kinds import BARS_HEIGHT, bars_axis, list_bars
from poolbench.charts.marks import (
    BarMark,
    DotMark,
    Drawable,
    IntervalMark,
    MarkGroup,
    RangeMark,
    RuleMark,
    StrokeMark,
    TextMark,
)
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.spread import BestMedianWorst
from poolbench.statistics.box_plot import BoxPlot

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
        up=build_score_axis(measure, ends),
        marks=[*marks, RuleMark(0.0)],
        legend=[
            LegendItem(run, "bar-own"),
            LegendItem("median of all runs", "bar-median", "line"),
            LegendItem("worst to best" if best else "lowest to highest", "whisker", "whisker"),
        ],
        caption=caption,
        size=(0.0, BARS_HEIGHT),
    )


def build_score_axis(measure: str, ends: Sequence[float]) -> Axis:
    """From 0, or from the lowest of ``ends`` below, to 1 or the highest above; to 0 if all are
    below."""
    most, least = max(ends, default=1.0), min(ends, default=0.0)
    top = round_up_nice(most) if most > 1.0 else 1.0 if most > 0 or least >= 0 else 0.0
    return parts_axis(measure, round_down_nice(least), top, 4)


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
    return Chart(
        "boxes",
        f"{measure} of all runs by topic, with {run}",
        "A box plot per topic of the scores of all runs; a dot is this run.",
        across=bars_axis(topics, "topic"),
        up=build_score_axis(measure, ends),
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
