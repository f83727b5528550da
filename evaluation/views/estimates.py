"""Estimates from a sample while people judge it: runs with intervals, and what is settled."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from campaigns.api.attachments import report_response
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.services.campaigns import update_campaign
from campaigns.services.snapshots import compute_report, get_report
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.forms.estimates import EstimateSettingsForm
from evaluation.queries.estimate_files import ESTIMATE_FORMATS
from evaluation.queries.estimate_inputs import find_sampled_pool
from evaluation.queries.estimate_report import ESTIMATES
from poolbench.charts.chart import Chart
from poolbench.estimation.looks import MeasureLook, SampleLook, round_about
from poolbench.estimation.remarks import Remark
from poolbench.estimation.report import MeasureReport, RunEstimate
from poolbench.estimation.run_order import LEAST_GAIN, ORDER_CODES
from poolbench.evaluation.charts.runs import build_caterpillar
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.shared_reads import share_reads


@dataclass(frozen=True)
class EstimateRow:
    """``moved``: the place is another one than by the estimates as they are."""

    run: RunEstimate
    letters: str
    moved: bool


@require_http_methods(["GET", "POST"])
def estimates_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method != "POST":
        return render_estimates(request, campaign, EstimateSettingsForm(campaign=campaign))
    form = EstimateSettingsForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return render_estimates(request, campaign, form)
    update_campaign(actor=request.user, campaign=campaign, **form.settings)
    messages.success(request, "Settings of estimates saved.")
    return redirect("estimates", campaign.slug)


@share_reads
def render_estimates(
    request: SignedInRequest, campaign: Campaign, form: EstimateSettingsForm
) -> HttpResponse:
    pool = find_sampled_pool(campaign)
    current = get_report(campaign, ESTIMATES) if pool else None
    look: SampleLook | None = current.report if current else None
    page: dict[str, object] = {
        "campaign": campaign,
        "pool": pool,
        "current": current,
        "look": look,
        "form": form,
        "help_place": "organizer#estimates-while-people-judge",
    }
    if look is not None and look.report is not None:
        page["least_gain"] = LEAST_GAIN
        page |= show_measure(request, look, look.report.measures, look.report.remarks)
    status = 422 if form.errors else 200
    return render_page(request, "evaluation/estimates.html", page, status=status)


def show_measure(
    request: SignedInRequest,
    look: SampleLook,
    reports: tuple[MeasureReport, ...],
    remarks: tuple[Remark, ...],
) -> dict[str, object]:
    """The part of the page on the requested measure, by default the first."""
    names = [report.measure for report in reports]
    by = request.GET.get("measure", "")
    by = by if by in names else names[0]
    report, own = reports[names.index(by)], look.measures[names.index(by)]
    return {
        "names": names,
        "by": by,
        "own": own,
        "remarks": [
            each for each in remarks if each.measure in (None, by) and each.code not in ORDER_CODES
        ],
        "rows": list_estimate_rows(report, own),
        "is_drawn_in": any(row.drawn_in is not None for row in report.runs),
        "picture": None if own.is_order_only else draw_estimates(report, look),
        "neighbours": [(each, each.more and round_about(each.more)) for each in own.neighbours],
        "more": own.more and round_about(own.more),
        "left": look.planned - look.used,
    }


def list_estimate_rows(report: MeasureReport, own: MeasureLook) -> list[EstimateRow]:
    by_estimate = sorted(report.runs, key=lambda row: -(row.estimate.value or 0.0))
    letters = own.letters or ("",) * len(report.runs)
    return [
        EstimateRow(row, letter, row.drawn_in is not None and row.run != plain.run)
        for row, plain, letter in zip(report.runs, by_estimate, letters, strict=True)
    ]


def draw_estimates(report: MeasureReport, look: SampleLook) -> Chart:
    title = format_measure_title(report.measure, over_topics=True)
    return build_caterpillar(
        title,
        [row.run for row in report.runs],
        [row.estimate for row in report.runs],
        [False] * len(report.runs),
        f"{title}: estimates from {look.used:,} pairs of pool {look.pool} with their 95\u00a0% "
        "intervals, runs by place.",
    )


def estimates_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    """The report of now as a file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    look = compute_report(campaign, ESTIMATES).report
    return report_response(f"{slug}-estimates.{fmt}", ESTIMATE_FORMATS, look, campaign.title)
