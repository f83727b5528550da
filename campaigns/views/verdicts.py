"""The view model of a verdict: what ``partials/verdict.html`` shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.services.verdicts import (
    CampaignVerdict,
    change_threshold,
    get_campaign_verdict,
    list_campaign_thresholds,
    list_verdict_kinds,
)
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from common.charts.gauge import Gauge
from common.number_formats import format_decimals
from common.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState

LABELS: dict[VerdictState, str | Promise] = {
    VerdictState.GOOD: _("Good"),
    VerdictState.AMBER: _("With care"),
    VerdictState.BAD: _("Not good enough"),
    VerdictState.UNKNOWN: _("Cannot be determined"),
    VerdictState.COMPUTING: _("Being computed"),
}
"""The state in words; its shape and color come from the class ``state-NAME``."""
HOUR = 60.0


@dataclass(frozen=True)
class ActLink:
    """``cost`` is "" where unknown."""

    label: str
    url: str
    cost: str


@dataclass(frozen=True)
class FigureCell:
    """A key figure; ``interval`` is "" where it has none, ``gauge`` None where undefined."""

    label: str
    text: str
    interval: str
    note: str
    word: str
    gauge: Gauge | None


@dataclass(frozen=True)
class VerdictPanel:
    """``computed_at``: as of when the figures are, None where they are those of the moment;
    ``is_current``: nothing has changed since; ``job`` computes them anew or has failed.
    """

    name: str
    state: str
    label: str | Promise
    sentence: str
    reason: str
    acts: Sequence[ActLink]
    figures: Sequence[FigureCell]
    thresholds: Sequence[Threshold]
    computed_at: datetime | None = None
    is_current: bool = True
    job: Job | None = None
    job_url: str = ""


def build_verdict_panel(
    campaign: Campaign,
    verdict: Verdict,
    *,
    computed_at: datetime | None = None,
    is_current: bool = True,
    job: Job | None = None,
) -> VerdictPanel:
    return VerdictPanel(
        name=verdict.name,
        state=verdict.state.value,
        label=LABELS[verdict.state],
        sentence=verdict.sentence,
        reason=verdict.reason,
        acts=[build_act_link(campaign, act) for act in verdict.acts],
        figures=[build_figure_cell(figure) for figure in verdict.figures],
        thresholds=verdict.thresholds,
        computed_at=computed_at,
        is_current=is_current,
        job=job,
        job_url=reverse("job", args=[campaign.slug, job.pk]) if job else "",
    )


def build_act_link(campaign: Campaign, act: Act) -> ActLink:
    url = reverse(act.page, args=[campaign.slug, *act.args])
    query = urlencode(act.query)
    return ActLink(act.label, f"{url}?{query}" if query else url, format_cost(act))


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


def build_figure_cell(figure: KeyFigure) -> FigureCell:
    has_interval = figure.low is not None and figure.high is not None
    decimals = len(figure.text.partition(".")[2])
    gauge = Gauge(figure.value, figure.scale, figure.low, figure.high, figure.good)
    return FigureCell(
        label=figure.label,
        text=figure.text,
        interval=gettext("%(low)s to %(high)s")
        % {
            "low": format_decimals(figure.low, decimals),
            "high": format_decimals(figure.high, decimals),
        }
        if has_interval
        else "",
        note=figure.note,
        word=figure.word,
        gauge=None if figure.value is None else gauge,
    )


def load_verdict_panel(campaign: Campaign, name: str) -> VerdictPanel:
    """The verdict of a campaign by its latest figures; a job computes newer ones if needed."""
    return build_current_panel(campaign, get_campaign_verdict(campaign, name))


def build_current_panel(campaign: Campaign, current: CampaignVerdict) -> VerdictPanel:
    return build_verdict_panel(
        campaign,
        current.verdict,
        computed_at=current.computed_at,
        is_current=current.is_current,
        job=current.job,
    )


@dataclass(frozen=True)
class PageSection:
    """A section in the list beside a page; ``state`` is "" where it has none."""

    anchor: str
    label: str | Promise
    state: str = ""


@dataclass(frozen=True)
class ThresholdRow:
    threshold: Threshold
    default: float


@dataclass(frozen=True)
class ThresholdGroup:
    """The thresholds of one verdict."""

    question: str
    rows: Sequence[ThresholdRow]


@dataclass(frozen=True)
class ThresholdsPage:
    campaign: Campaign
    groups: Sequence[ThresholdGroup]
    refusals: Sequence[str]


@require_http_methods(["GET", "POST"])
def thresholds_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The thresholds of all verdicts: an empty field is the default."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    refusals: list[str] = []
    if request.method == "POST":
        refusals = save_thresholds(request, campaign)
        if not refusals:
            messages.success(request, "Thresholds saved.")
            return redirect("thresholds", campaign.slug)
    page = ThresholdsPage(campaign, list_threshold_groups(campaign), refusals)
    status = 422 if refusals else 200
    return render_page(request, "campaigns/thresholds.html", page, status=status)


def save_thresholds(request: SignedInRequest, campaign: Campaign) -> list[str]:
    """All of the form or none; the messages of those that are refused."""
    refusals = []
    with transaction.atomic():
        for threshold in list_campaign_thresholds(campaign):
            text = request.POST.get(threshold.name, "").strip().replace(",", ".")
            try:
                value = float(text) if text else None
                change_threshold(
                    actor=request.user, campaign=campaign, name=threshold.name, value=value
                )
            except ValueError:
                refusals.append(f"{threshold.meaning}: {text[:20]!r} is not a decimal number.")
            except ActionRefused as refused:
                refusals.append(str(refused))
        if refusals:
            transaction.set_rollback(True)
    return refusals


def list_threshold_groups(campaign: Campaign) -> list[ThresholdGroup]:
    current = {threshold.name: threshold for threshold in list_campaign_thresholds(campaign)}
    return [
        ThresholdGroup(
            kind.rule.question,
            [ThresholdRow(current[each.name], each.value) for each in kind.rule.thresholds],
        )
        for kind in list_verdict_kinds()
    ]
