"""Reusability: the page that requests reports, and the reports."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import CurrentReport, get_report
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import PageSection, render_page
from poolbench.plain_data import to_plain
from poolbench.reliability.collection.report_tables import CARDS
from poolbench.reliability.verdicts.reusability import COLLECTION as COLLECTION_VERDICT
from poolbench.reliability.verdicts.reusability import CollectionReport
from reliability.services.reusability import COLLECTION, request_reusability_report
from reliability.services.stored_reports import REPORT, load_report
from reliability.views.stored_reports import (
    ReportSection,
    list_report_sections,
    list_stored_reports,
    stored_report_response,
)


@require_http_methods(["GET", "POST"])
def reusability_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The stored reports, and the form for a new one: by a qrels version or current judgments."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return request_report_from_form(request, campaign)
    stored = list_stored_reports(campaign, COLLECTION)
    latest = next((job for job in stored.reports if REPORT in job.result), None)
    sections = list_report_sections(load_report(latest.result[REPORT])) if latest else []
    current = get_report(campaign, COLLECTION_VERDICT)
    judged = campaign.judgments.exists()
    judgments = [(q.version, f"qrels {q.version}, {q.pairs:,} pairs") for q in campaign.qrels.all()]
    # ``judgments``: of which a report can be; ``judged``: whether the current ones are among them.
    # ``latest`` is the job of the latest report, whose sections the page shows; ``differs``:
    # it is of other judgments than the verdict.
    page = {
        "campaign": campaign,
        "judgments": judgments + [("", "current judgments")] * judged,
        "judged": judged,
        "cards": CARDS,
        "current": current,
        "sections": list_page_sections(
            sections,
            has_kinds=bool(current.report and current.report.kinds),
            has_reports=bool(stored.reports),
        ),
        "latest": latest,
        "differs": is_of_other_judgments(latest, current),
        "report_sections": sections,
    }
    return render_page(request, "reliability/collection/page.html", page, stored)


def is_of_other_judgments(latest: Job | None, current: CurrentReport[CollectionReport]) -> bool:
    """Whether the report of the job has other figures than the verdict, if both are there."""
    figures = latest.result.get("figures") if latest else None
    return bool(figures and current.report) and figures != to_plain(current.report)


def list_page_sections(
    sections: Sequence[ReportSection], *, has_kinds: bool, has_reports: bool
) -> list[PageSection]:
    return [
        *(PageSection(f"report-{each.anchor}", each.section.title) for each in sections),
        *([PageSection("kinds", "Kinds of runs")] if has_kinds else []),
        PageSection("report", "Report"),
        *([PageSection("stored", "Stored reports")] if has_reports else []),
        PageSection("computed", "How it is computed"),
    ]


def request_report_from_form(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    requested = request.POST.get("qrels", "")
    version = read_digits(requested, 9)
    qrels = get_object_or_404(campaign.qrels, version=version) if requested else None
    try:
        request_reusability_report(actor=request.user, campaign=campaign, qrels=qrels)
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("reusability", campaign.slug)


@require_safe
def reusability_report_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """A stored report: ``html`` is displayed, or with ``?save`` downloaded like the others."""
    return stored_report_response(request, slug, pk, COLLECTION, fmt)
