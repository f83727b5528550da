"""``{{ chart|svg }}`` puts a chart, or an item of its legend, into a page."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from common.charts.chart import Chart, LegendItem, write_chart, write_swatch

register = template.Library()


@register.filter("svg")
def render_picture(picture: Chart | LegendItem) -> SafeString:
    """Safe because ElementTree has escaped every text and attribute, and no chart has scripts."""
    text = write_chart(picture) if isinstance(picture, Chart) else write_swatch(picture)
    return mark_safe(text)  # noqa: S308 (see above)
