"""Lines over the number of judgments."""

from __future__ import annotations

from collections.abc import Sequence

from poolbench.charts.axes import format_value, round_axis
from poolbench.charts.chart import WIDE, Chart
from poolbench.charts.kinds import PlotValue, build_line_chart


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
