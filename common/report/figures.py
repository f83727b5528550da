"""Charts as figures of a report."""

from __future__ import annotations

from common.charts.chart import Chart, write_chart, write_swatch
from common.report.report import Figure


def make_figure(chart: Chart) -> Figure:
    """The chart with its legend; the title leads the caption."""
    caption = f"{chart.title}. {chart.caption}".strip()
    legend = tuple((write_swatch(item), item.label) for item in chart.legend)
    return Figure(caption, write_chart(chart), legend)
