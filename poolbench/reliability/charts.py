"""Charts that pages and reports share: bands of ranks, and lines over the number of judgments."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolbench.charts.axes import Axis, NameAxis, format_value, round_axis
from poolbench.charts.chart import WIDE, Chart, LegendItem
from poolbench.charts.kinds import PlotValue, build_line_chart
from poolbench.charts.marks import DotMark, IntervalMark, MarkGroup, StrokeMark

ROOM, WIDTH = 230.0, 862.0
"""For the tags, and of the plot."""
MOST_TICKS = 12


@dataclass(frozen=True)
class RankedRun:
    """One run to draw; ``others`` are (name, rank) of further rankings."""

    tag: str
    rank: int | None
    low: int | None
    high: int | None
    others: tuple[tuple[str, int | None], ...]


def build_rank_bands(
    title: str, runs: Sequence[RankedRun], *, last: int = 0, caption: str = ""
) -> Chart:
    """Runs from the top, in the order of ``runs``; rank 1 is at the left.

    ``last`` is the last rank, if not all runs are drawn.
    """
    last = max(2, len(runs), last)
    marks = [
        MarkGroup(
            [
                IntervalMark(at, run.low, run.high, "band", cap=0),
                *(
                    StrokeMark(at, rank, reach=5)
                    for rank in sorted({rank for _, rank in run.others if rank is not None})
                ),
                DotMark(at, run.rank, css="dot-own"),
            ],
            describe_rank_band(run),
        )
        for at, run in enumerate(runs)
    ]
    across = Axis("rank", [(rank, str(rank)) for rank in choose_rank_ticks(last)], last)
    up = NameAxis([run.tag for run in runs], 20.0, "run", ROOM)
    legend = [LegendItem("rank", "dot-own", "dot")]
    if any(run.low is not None for run in runs):
        legend.append(LegendItem("95 % band", "band", "line"))
    if others := list(dict.fromkeys(name for run in runs for name, _ in run.others)):
        label = others[0] if len(others) == 1 else "other rankings"
        legend.append(LegendItem(label, "whisker", "whisker"))
    return Chart("ranks", title, "", across, up, marks, legend, caption, (WIDTH, 0.0))


def choose_rank_ticks(last: int) -> list[int]:
    """Rank 1 and the multiples of a round number."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**9) if last / step <= MOST_TICKS)
    return [1, *range(step, last + 1, step)] if step > 1 else [*range(1, last + 1)]


def describe_rank_band(run: RankedRun) -> str:
    """The line in words, for tooltips and screen readers."""
    rank = "no rank" if run.rank is None else f"rank {run.rank}"
    band = "" if run.low is None else f", 95 % band {run.low} to {run.high}"
    others = ", ".join(f"{name} {rank}" for name, rank in run.others if rank is not None)
    return f"{run.tag}: {rank}{band}" + (f"; {others}" if others else "")


def build_judgments_chart(
    name: str,
    title: str,
    quantity: str,
    series: Sequence[tuple[str, Sequence[PlotValue]]],
    size: tuple[float, float] = WIDE,
) -> Chart:
    """``quantity`` by number of judgments; both scales include 0."""
    values = [value for _, line in series for value in line]
    ends = [end for v in values for end in (v.value, v.low, v.high) if end is not None]
    across = round_axis("judgments", [value.at for value in values])
    head = name, title, "By number of judgments."
    caption = f"{title}, by number of judgments: the flatter the end, the less was still changing."
    up = round_axis(quantity, ends)
    return build_line_chart(head, series, across, up, size=size, caption=caption)


def judgments_value(
    judgments: float, label: str, mean: float, low: float | None = None, high: float | None = None
) -> PlotValue:
    """The value of ``label`` after a number of judgments."""
    span = "" if low == high else f" ({format_value(low)} to {format_value(high)})"
    description = f"{label}: {format_value(mean)}{span} after {judgments:,.0f} judgments"
    return PlotValue(judgments, mean, description, low, high)
