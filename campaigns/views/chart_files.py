"""A chart of a page as an SVG file: the address of the page with ``?chart=name.svg``.

The page answers it after its own checks and with its own numbers: the file has the same readers as
the chart.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from campaigns.api.attachments import attachment_response
from common.charts.chart import Chart
from common.charts.file import write_chart_file


def chart_file_response(request: HttpRequest, context: Mapping[str, object]) -> HttpResponse | None:
    """The requested chart among the values of ``context``; None if none is requested."""
    name = request.GET.get("chart")
    if name is None or request.method not in ("GET", "HEAD"):
        return None
    charts = {value.file_name: value for value in context.values() if isinstance(value, Chart)}
    if name not in charts:
        raise Http404(f"unknown chart {name}")
    campaign = context.get("campaign")
    query = request.GET.copy()
    del query["chart"]
    address = f"{request.path}?{query.urlencode(safe='/')}".rstrip("?")
    made = f"Poolbench {version('poolbench')}, {timezone.localdate():%Y-%m-%d}, {address}"
    conditions = [str(campaign), made] if campaign else [made]
    prefix = f"{getattr(campaign, 'slug', '')}-".lstrip("-")
    return attachment_response(write_chart_file(charts[name], conditions), f"{prefix}{name}")
