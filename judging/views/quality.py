"""Assessor quality: bias, drift, self-consistency, pace, automatic assessors."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import report_response
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.queries.quality import load_judging_record, load_quality_report
from judging.views.agreement import build_agreement_frame
from judging.views.agreement_charts import build_agreement_intervals
from judging.views.agreement_choice import parse_agreement_choice
from poolbench.charts.chart import Chart
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import Row
from poolbench.judging.quality.automatic import AutomaticQuality
from poolbench.judging.quality.formats import QUALITY_FORMATS, TABLE_COEFFICIENTS
from poolbench.judging.quality.ordered_grades import FLOOR
from poolbench.judging.quality.report import EVERYONE, QualityReport
from poolbench.judging.repeats import SOONEST
from poolbench.shared_reads import share_reads
from poolbench.statistics.estimate import Estimate


@require_safe
@share_reads
def assessor_quality_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    record = load_judging_record(campaign, third=choice.third, who=choice.who)
    report = load_quality_report(record, choice.level)
    frame = build_agreement_frame(campaign, choice, record.people)
    page = {
        "report": report,
        "biases": [(name, bias, report.drift[name]) for name, bias in report.bias.items()],
        "blocks": any(drift.blocks for drift in report.drift.values()),
        "intervals": bias_caterpillar(report),
        "scale": record.people.scale,
        "floor": FLOOR,
        "timed": any(pace.overall.n for pace in report.pace.values()),
        "columns": [COEFFICIENTS[name].card for name in TABLE_COEFFICIENTS],
        "repeats": consistency_rows(report.consistency),
        "near_repeats": consistency_rows(report.near_consistency),
        "soonest": SOONEST,
        "automatic": [
            (name, quality, automatic_rows(quality)) for name, quality in report.automatic.items()
        ],
    }
    return render_page(request, "judging/assessor_quality.html", frame, page)


def consistency_rows(rows: Mapping[str, Row]) -> list[tuple[str, list[Estimate]]]:
    return [
        ("All assessors" if name == EVERYONE else name, visible_coefficients(row))
        for name, row in rows.items()
    ]


def visible_coefficients(row: Row) -> list[Estimate]:
    return [row[name] for name in TABLE_COEFFICIENTS]


def automatic_rows(quality: AutomaticQuality) -> list[tuple[str, list[Estimate]]]:
    """Agreement with the consensus, and with each assessor."""
    rows = {"human consensus": quality.consensus} | quality.people
    return [(who, visible_coefficients(row)) for who, row in rows.items()]


def bias_caterpillar(report: QualityReport) -> Chart:
    """The bias of each assessor, on an axis of at least ±0.2 grades."""
    lines = [
        (name, estimate.value, estimate.low, estimate.high, estimate.reason or "")
        for name, estimate in report.bias.items()
    ]
    return build_agreement_intervals(
        "bias",
        "Bias of each assessor with 95 % interval",
        lines,
        axis="grades",
        row_name="assessor",
        caption="Mean difference between the assessor's grade and the mean grade of the others: "
        "right of the line more lenient, left stricter.",
        least=-0.2,
        most=0.2,
    )


@require_safe
def assessor_quality_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    record = load_judging_record(campaign, third=choice.third, who=choice.who)
    report = load_quality_report(record, choice.level)
    third = {"counted": record.people.thirds, "left_out": record.people.left_out}
    settings = {"campaign": slug, "level": choice.level, "third_judgments": third}
    return report_response(f"{slug}-assessors.{fmt}", QUALITY_FORMATS, report, settings=settings)
