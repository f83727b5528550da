"""``{{ chart|svg }}`` puts a chart, a gauge, or an item of a legend, into a page."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from poolbench.charts.chart import Chart, LegendItem, write_chart, write_swatch
from poolbench.charts.gauge import Gauge, write_gauge
from poolbench.charts.numbers import PlottedValue, list_plotted_values
from poolbench.reports.report import Figure

register = template.Library()


@register.filter("svg")
def render_picture(picture: Chart | Figure | Gauge | LegendItem) -> SafeString:
    """Safe because ElementTree has escaped every text and attribute, and no chart has scripts."""
    if isinstance(picture, Chart):
        text = write_chart(picture)
    elif isinstance(picture, Figure):
        text = picture.svg  # Written by poolbench.charts for a report of our own store.
    else:
        text = write_gauge(picture) if isinstance(picture, Gauge) else write_swatch(picture)
    return mark_safe(text)  # noqa: S308 (see above)


@register.filter
def list_chart_numbers(chart: Chart) -> list[PlottedValue]:
    """What the chart draws, for a table below it."""
    return list_plotted_values(chart)
