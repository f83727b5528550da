"""Charts as figures of a report, and their numbers as CSV."""

from collections.abc import Sequence

from poolbench.charts.chart import Chart, write_chart, write_swatch
from poolbench.charts.numbers import COLUMNS, list_plotted_values
from poolbench.reports.csv import format_csv
from poolbench.reports.report import Figure


def make_figure(chart: Chart) -> Figure:
    """The chart with its legend; the title leads the caption."""
    caption = f"{chart.title}. {chart.caption}".strip()
    legend = tuple((write_swatch(item), item.label) for item in chart.legend)
    return Figure(caption, write_chart(chart), legend)


def write_chart_csv(chart: Chart, conditions: Sequence[str] = ()) -> str:
    """The numbers that the chart draws, in full precision, with what its axes are."""
    at, value = chart.across.name, chart.up.name
    if chart.plot.is_headed:
        at, value = value, at
    stated = {"title": chart.title, "at": at, "value": value, "made": list(conditions)}
    return format_csv(f"chart {chart.name}", COLUMNS, list_plotted_values(chart), stated)
