"""Click logs of a campaign, for organizers: list, import with all faults, download."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.faults import FaultReport, InvalidFile, format_count
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from preferences.core.click_log import LINE_FORM
from preferences.forms.click_logs import ClickLogForm
from preferences.models import ClickLog
from preferences.services.click_logs import import_click_log


@dataclass(frozen=True)
class ClickLogsPage:
    campaign: Campaign
    logs: list[ClickLog]


@dataclass(frozen=True)
class ClickLogImportPage:
    """``report`` lists the faults of a rejected file."""

    campaign: Campaign
    form: ClickLogForm
    line_form: str
    report: FaultReport | None = None
    verdict: str = ""


@require_safe
def click_logs_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The imported logs, newest first."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    page = ClickLogsPage(
        campaign=campaign,
        logs=list(ClickLog.objects.filter(campaign=campaign).select_related("imported_by")),
    )
    return render_page(request, "preferences/click_logs.html", page)


@require_http_methods(["GET", "POST"])
def click_log_import_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form; after a post the list, or all faults of the file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = ClickLogForm(request.POST or None, request.FILES or None)
    report, status = None, 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            upload = form.cleaned_data["file"]
            report = FaultReport(upload.name or "")
            try:
                log = import_click_log(
                    actor=request.user,
                    campaign=campaign,
                    data=upload.read(),
                    name=upload.name or "",
                    report=report,
                )
            except InvalidFile as error:
                report = error.report
            except ActionRefused as refused:
                form.add_error("file", str(refused))
                report, status = None, 409
            else:
                report_import(request, log, report)
                return redirect("click-logs", campaign.slug)
    page = ClickLogImportPage(
        campaign=campaign,
        form=form,
        line_form=LINE_FORM,
        report=report,
        verdict="Not imported" if report else "",
    )
    return render_page(request, "preferences/click_log_import.html", page, status=status)


def report_import(request: SignedInRequest, log: ClickLog, report: FaultReport) -> None:
    """Messages: what was imported, and a line per kind of warning."""
    messages.success(
        request,
        f"{log.name}: {format_count(log.preferences, 'preference')} from "
        f"{format_count(log.sessions, 'session')} imported.",
    )
    for code, count, faults in report.grouped():
        more = f" ({count:,} times)" if count > 1 else ""
        messages.warning(request, f"{code} {faults[0].message}{more}")
