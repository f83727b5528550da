"""What ``partials/verdict.html`` writes of a verdict: words, intervals, gauges, links and costs."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from poolbench.charts.gauge import Gauge
from poolbench.number_formats import format_decimals
from poolbench.verdicts import Act, KeyFigure, VerdictState

LABELS: dict[VerdictState, str | Promise] = {
    VerdictState.GOOD: _("Good"),
    VerdictState.AMBER: _("With care"),
    VerdictState.BAD: _("Not good enough"),
    VerdictState.UNKNOWN: _("Cannot be determined"),
    VerdictState.COMPUTING: _("Being computed"),
}
"""The state in words; its shape and color come from the class ``state-NAME``."""
HOUR = 60.0
register = template.Library()


@register.filter
def name_state(state: VerdictState) -> str | Promise:
    return LABELS[state]


@register.filter
def format_gauge_interval(figure: KeyFigure) -> str:
    """With as many decimals as the figure; "" where it has none."""
    if figure.low is None or figure.high is None:
        return ""
    decimals = len(figure.text.partition(".")[2])
    low, high = (format_decimals(end, decimals) for end in (figure.low, figure.high))
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high}


@register.filter
def build_gauge(figure: KeyFigure) -> Gauge | None:
    """None where the figure is undefined."""
    if figure.value is None:
        return None
    return Gauge(figure.value, figure.scale, figure.low, figure.high, figure.good)


@register.simple_tag(takes_context=True)
def act_url(context: dict[str, Any], act: Act) -> str:
    """Where the act leads, with the filter of that page."""
    return locate_act(context["campaign"].slug, act)


def locate_act(slug: str, act: Act) -> str:
    url = reverse(act.page, args=[slug, *act.args])
    query = urlencode(act.query, doseq=True)
    return f"{url}?{query}" if query else url


@register.filter
def format_cost(act: Act) -> str:
    """What the act costs: documents, and minutes or hours of judging."""
    parts = []
    if act.documents is not None:
        count = act.documents
        parts.append(
            ngettext("%(count)s document", "%(count)s documents", count) % {"count": f"{count:,}"}
        )
    if act.minutes is not None:
        parts.append(format_minutes(act.minutes))
    return ", ".join(parts)


def format_minutes(minutes: float) -> str:
    """Rounded as one says it: to a minute below a quarter of an hour, to five below an hour and a
    half, to half an hour above.
    """
    if minutes < HOUR / 4:
        count = max(1, round(minutes))
    elif minutes < HOUR * 1.5:
        count = 5 * round(minutes / 5)
    else:
        hours = round(2 * minutes / HOUR) / 2
        return gettext("about %(hours)s hours") % {"hours": f"{hours:,g}"}
    return ngettext("about %(count)s minute", "about %(count)s minutes", count) % {"count": count}
