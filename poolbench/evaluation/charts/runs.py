"""Charts of runs: the caterpillar chart, mean and interval of each run; precision by recall."""

from collections.abc import Iterable, Sequence

from poolbench.cards import Card
from poolbench.charts.axes import (
    fifths_axis,
    format_value,
    parts_axis,
    round_down_nice,
    round_up_nice,
)
from poolbench.charts.chart import Chart, LegendItem
from poolbench.charts.kinds import IntervalRow, PlotValue, build_interval_chart, build_line_chart
from poolbench.evaluation.curves import ELEVEN
from poolbench.number_formats import format_percent
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.least_topics import HINT_NOTE

CATERPILLAR = Card(
    name="caterpillar",
    title="Caterpillar plot of runs",
    formula="mean over topics with its 95 % bootstrap interval (BCa), best run first",
    reading="How sure the mean of each run is. Overlapping intervals do not mean that two runs are "
    "equivalent, since runs are compared on the same topics: letter groups say which differ.",
    source="Goldstein and Healy, The graphical presentation of a collection of means, Journal of "
    "the Royal Statistical Society A 158(1), 1995; intervals as on the page about comparisons.",
    range="that of the measure; the axis includes 0",
    edge_cases=(
        "Fewer than 5 topics have no interval; below 10 it is marked as a hint.",
        "A run without a mean is called undefined and comes last.",
    ),
    example="Runs with means 0.3 and 0.5 on the same 20 topics: the second stands above the first, "
    "each with a line through its dot.",
)
ROOM, WIDTH = 230.0, 862.0
"""For the tags, and of the plot."""


def build_caterpillar(
    measure: str,
    tags: Sequence[str],
    intervals: Sequence[Estimate],
    own: Sequence[bool],
    caption: str = "",
) -> Chart:
    """Runs from the top, in the order of ``tags``; the scale starts at 0 unless values go below."""
    ends = [v for i in intervals for v in (i.low, i.high, i.value) if v is not None]
    high = max(ends, default=1.0)
    top = 1.0 if 0.5 < high <= 1.0 else round_up_nice(high) if high > 0 else 0.0
    bottom = round_down_nice(min(ends, default=0.0))
    rows = [
        IntervalRow(tag, describe_run_interval(tag, i), i.value, i.low, i.high, mine)
        for tag, i, mine in zip(tags, intervals, own, strict=True)
    ]
    across = parts_axis(measure, bottom, top if top > bottom else bottom + 1.0, 5)
    head = "intervals", f"{measure}: mean and 95 % interval by run", "Best run first."
    legend = [
        LegendItem("mean", "dot", "dot"),
        *[LegendItem("mean of an own run", "dot-own", "dot")][: any(own)],
        LegendItem("95 % interval", "whisker", "whisker"),
    ]
    return build_interval_chart(
        head, rows, across, room=ROOM, width=WIDTH, caption=caption, row_name="run", legend=legend
    )


def describe_run_interval(tag: str, interval: Estimate) -> str:
    if interval.low is None:
        return f"{tag}: {format_value(interval.value)}; {interval.why}"
    share = format_percent(interval.level or 0)
    ends = f"{format_value(interval.low)} to {format_value(interval.high)}"
    mark = f" ({HINT_NOTE.rstrip('.')})" if interval.is_hint else ""
    return f"{tag}: {format_value(interval.value)}, {share} interval {ends}{mark}"


SQUARE = (420.0, 420.0)


def build_recall_chart(
    runs: Iterable[tuple[str, Sequence[float]]],
    topic: str = "",
    threads: Iterable[Sequence[tuple[float, float]]] = (),
    caption: str = "",
) -> Chart:
    """A line per run tag, its precision at the levels ``ELEVEN``; ``threads`` are behind them."""
    return build_line_chart(
        (
            "precision-recall",
            f"Precision by recall{f', topic {topic}' if topic else ''}",
            "Vertical axis: precision from 0 to 1. Horizontal axis: recall from 0 to 1.",
        ),
        [(tag, curve_values(tag, column)) for tag, column in runs],
        fifths_axis("recall"),
        fifths_axis("precision"),
        size=SQUARE,
        threads=threads,
        caption=caption,
    )


def curve_values(tag: str, column: Sequence[float]) -> list[PlotValue]:
    """The points of a curve with their labels."""
    points = zip(ELEVEN, column, strict=True)
    return [PlotValue(r, p, f"{tag}: precision {p:.4f} at recall {r:.2f}") for r, p in points]
