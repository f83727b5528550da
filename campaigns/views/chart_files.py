"""A chart of a page as a file: the page's address with ``?chart=name.svg``, ``.png`` or ``.csv``.

The page answers it after its own checks and with its own numbers: the file has the same readers as
the chart. Its size is that of the chart; no address chooses one.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from campaigns.api.attachments import attachment_response
from campaigns.errors import ActionRefused
from poolbench.charts.chart import Chart
from poolbench.charts.file import write_chart_file
from poolbench.charts.png import ChartTooLargeError, write_chart_png
from poolbench.reports.figures import write_chart_csv

WRITERS: dict[str, Callable[[Chart, Sequence[str]], str | bytes]] = {
    "svg": write_chart_file,
    "png": write_chart_png,
    "csv": write_chart_csv,
}
"""By the extension of the file, in the order of the links."""


def chart_file_response(request: HttpRequest, context: Mapping[str, object]) -> HttpResponse | None:
    """The requested chart among the values of ``context``; None if none is requested.

    A field ``chart_notes`` of the page says how the numbers were computed.
    """
    requested = request.GET.get("chart")
    if requested is None or request.method not in ("GET", "HEAD"):
        return None
    chart, ending = find_requested_chart(requested, context), requested.rpartition(".")[2]
    if chart is None or ending not in WRITERS:
        raise Http404(f"unknown chart {requested}")
    try:
        content = WRITERS[ending](chart, list_chart_conditions(request, context))
    except ChartTooLargeError as error:
        fix = "Download SVG or CSV."
        raise ActionRefused("chart-too-large", f"{error}.", fix) from error
    prefix = f"{getattr(context.get('campaign'), 'slug', '')}-".lstrip("-")
    return attachment_response(content, f"{prefix}{requested}")


def has_requested_chart(request: HttpRequest, context: Mapping[str, object]) -> bool:
    """Whether a chart among the values of ``context`` is requested as a file."""
    requested = request.GET.get("chart", "")
    return request.method in ("GET", "HEAD") and bool(find_requested_chart(requested, context))


def find_requested_chart(requested: str, context: Mapping[str, object]) -> Chart | None:
    name = requested.rpartition(".")[0]
    charts = (value for value in context.values() if isinstance(value, Chart))
    return next((chart for chart in charts if chart.name == name), None)


def list_chart_conditions(request: HttpRequest, context: Mapping[str, object]) -> list[str]:
    """The lines below a chart in its files: campaign, notes of the page, version, date, address."""
    query = request.GET.copy()
    del query["chart"]
    address = f"{request.path}?{query.urlencode(safe='/')}".rstrip("?")
    made = f"Poolbench {version('poolbench')}, {timezone.localdate():%Y-%m-%d}, {address}"
    campaign, notes = context.get("campaign"), context.get("chart_notes")
    lines = [str(campaign)] if campaign else []
    return [*lines, *(map(str, notes) if isinstance(notes, tuple) else ()), made]
