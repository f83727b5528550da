"""Reusability: the page that requests reports, and the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.cards import Card
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from campaigns.views.verdicts import PageSection, VerdictPanel, load_verdict_panel
from judging.models import Qrels
from reliability.core.collection.cards import CARDS
from reliability.services.reusability import COLLECTION, request_reusability_report
from reliability.services.stored_reports import REPORT, load_report
from reliability.views.report_sections import ReportSection, list_report_sections
from reliability.views.stored_reports import list_stored_reports, stored_report_response


@dataclass(frozen=True)
class ReusabilityPage:
    """``releases``: the qrels versions; ``judged``: whether there are judgments to report on.
    ``latest`` is the job of the latest report, whose sections the page shows.
    """

    campaign: Campaign
    releases: list[Qrels]
    judged: bool
    cards: Sequence[Card]
    verdict: VerdictPanel
    sections: Sequence[PageSection]
    latest: Job | None
    report_sections: Sequence[ReportSection]


@require_http_methods(["GET", "POST"])
def reusability_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The stored reports, and the form for a new one: by a qrels version or current judgments."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return request_report_from_form(request, campaign)
    stored = list_stored_reports(campaign, COLLECTION)
    latest = next((job for job in stored.reports if REPORT in job.result), None)
    sections = list_report_sections(load_report(latest.result[REPORT])) if latest else []
    page = ReusabilityPage(
        campaign=campaign,
        releases=list(campaign.qrels.all()),
        judged=campaign.judgments.exists(),
        cards=CARDS,
        verdict=load_verdict_panel(campaign, "collection"),
        sections=list_page_sections(sections, has_reports=bool(stored.reports)),
        latest=latest,
        report_sections=sections,
    )
    return render_page(request, "reliability/collection/page.html", page, stored)


def list_page_sections(
    sections: Sequence[ReportSection], *, has_reports: bool
) -> list[PageSection]:
    return [
        *(PageSection(f"report-{each.anchor}", each.title) for each in sections),
        PageSection("report", "Report"),
        *([PageSection("stored", "Stored reports")] if has_reports else []),
        PageSection("computed", "How it is computed"),
    ]


def request_report_from_form(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    requested = request.POST.get("qrels", "")
    if requested and not (requested.isascii() and requested.isdecimal() and len(requested) < 10):
        raise Http404("unknown qrels version")
    qrels = get_object_or_404(campaign.qrels, version=int(requested)) if requested else None
    try:
        request_reusability_report(actor=request.user, campaign=campaign, qrels=qrels)
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("reusability", campaign.slug)


@require_safe
def reusability_report_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """A stored report: ``html`` is displayed, or with ``?save`` downloaded like the others."""
    return stored_report_response(request, slug, pk, COLLECTION, fmt)
