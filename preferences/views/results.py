"""Click logs of a campaign, and what preferences say about runs and documents; for organizers."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.api.attachments import report_response
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from poolbench.charts.axes import parts_axis
from poolbench.charts.chart import Chart
from poolbench.charts.kinds import IntervalRow, build_interval_chart
from poolbench.files.faults import FaultReport, InvalidFile, format_count
from poolbench.number_formats import format_score
from poolbench.preferences.click_log import LINE_FORM
from poolbench.preferences.formats import (
    PAIR_FORMATS,
    SCORE_FORMATS,
    STRENGTH_FORMATS,
    format_topic_interval,
)
from poolbench.preferences.preference_score import PreferenceScore, warn_own_lists
from preferences.forms import ClickLogForm, PreferenceResultsForm
from preferences.models import ClickLog
from preferences.queries.preference_sets import (
    CLICKS,
    COMPARISONS,
    SOURCES,
    PreferenceSet,
    compute_set_strengths,
    list_run_comparisons,
    load_preference_set,
    score_runs,
)
from preferences.services.click_logs import import_click_log


@require_safe
def click_logs_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The imported logs, newest first."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    page = {
        "campaign": campaign,
        "logs": list(ClickLog.objects.filter(campaign=campaign).select_related("imported_by")),
    }
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
    # ``report`` lists the faults of a rejected file.
    page = {
        "campaign": campaign,
        "form": form,
        "line_form": LINE_FORM,
        "report": report,
        "verdict": "Not imported" if report else "",
    }
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


MOST_TOPICS = 50
"""Topics whose strengths the page lists; the files have all."""


@require_safe
def preference_results_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Shares of runs, strengths and cycles from one source, and all comparisons of runs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form, preferences, prior = read_choice(request, campaign)
    scores = score_runs(campaign, preferences) if preferences.preferences else []
    strengths, error = None, ""
    try:
        strengths = compute_set_strengths(campaign, preferences, prior)
    except ValueError as refused:
        error = str(refused)
    listed = strengths.topics[:MOST_TOPICS] if strengths else ()
    # ``error``: why there are no strengths. ``query`` is that of the files.
    page = {
        "campaign": campaign,
        "form": form,
        "source": SOURCES[preferences.source],
        "preferences": preferences,
        "shares": scores,
        "warnings": warn_own_lists({score.run: score.own_lists for score in scores}),
        "chart": build_shares_chart(scores),
        "strengths": strengths,
        "topics": listed,
        "more_topics": len(strengths.topics) - len(listed) if strengths else 0,
        "error": error,
        "outcomes": list_run_comparisons(campaign),
        "query": f"source={preferences.source}&prior={prior:g}",
    }
    return render_page(request, "preferences/results.html", page)


@require_safe
def preference_results_download_view(
    request: SignedInRequest, slug: str, name: str, fmt: str
) -> HttpResponse:
    """The shares of runs, the strengths of documents, or the preferences themselves, as a file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    _, preferences, prior = read_choice(request, campaign)
    file = f"{campaign.slug}-{preferences.source}-{name}.{fmt}"
    if name == "shares":
        scores = score_runs(campaign, preferences)
        return report_response(file, SCORE_FORMATS, scores, by_topic=True)
    if name == "pairs":
        return report_response(file, PAIR_FORMATS, preferences.records)
    if name != "strengths":
        raise Http404(f"unknown file {name}")
    try:
        report = compute_set_strengths(campaign, preferences, prior)
    except ValueError as error:
        raise Http404(str(error)) from error
    return report_response(file, STRENGTH_FORMATS, report)


def read_choice(
    request: SignedInRequest, campaign: Campaign
) -> tuple[PreferenceResultsForm, PreferenceSet, float]:
    """The form, the preferences of its source, and its prior; what is wrong is left at its
    default: the source that has preferences, and no prior.
    """
    clicked = campaign.click_logs.exists()
    default: dict[str, Any] = {"source": CLICKS if clicked else COMPARISONS, "prior": 0.0}
    form = PreferenceResultsForm(default | request.GET.dict())
    form.is_valid()
    choice = default | {name: form.cleaned_data[name] for name in form.cleaned_data}
    return form, load_preference_set(campaign, choice["source"]), choice["prior"]


def build_shares_chart(scores: Sequence[PreferenceScore]) -> Chart | None:
    """Macro shares with their intervals; None where no run has one."""
    if all(score.macro.low is None for score in scores):
        return None
    rows = [
        IntervalRow(
            score.run,
            f"{score.run}: {format_score(score.macro.value)}, {format_topic_interval(score.macro)}",
            score.macro.value,
            score.macro.low,
            score.macro.high,
        )
        for score in scores
    ]
    head = "shares", "Share of preferences kept, by run", "Highest share first."
    across = parts_axis("share", 0.0, 1.0, 5)
    caption = "Macro mean over topics with its 95 % interval."
    return build_interval_chart(
        head, rows, across, room=230.0, width=862.0, caption=caption, row_name="run"
    )
