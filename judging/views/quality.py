"""Assessor quality: bias, drift, priming, self-consistency, pace, automatic assessors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.api.attachments import attachment_response
from campaigns.core.csv_files import write_csv
from campaigns.queries.lists import get_campaign_for
from campaigns.views.chart_files import chart_file_response
from campaigns.views.helpers import SignedInRequest
from common.charts.chart import Chart
from judging.core.agreement.coefficient import CoefficientValue
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import Row
from judging.core.quality.automatic import AutomaticQuality
from judging.core.quality.consistency import EVERYONE
from judging.core.quality.estimate import QualityEstimate
from judging.core.quality.formats import TABLE_COEFFICIENTS
from judging.core.quality.pace import FLOOR
from judging.core.quality.priming import Priming
from judging.core.quality.report import QualityReport, quality_report
from judging.core.repeats import SOONEST
from judging.queries.quality import load_judging_record
from judging.views.agreement import agreement_context, format_full
from judging.views.agreement_charts import build_agreement_intervals
from judging.views.agreement_choice import parse_agreement_choice

HEAD = ["assessor", "figure", "value", "low", "high", "p", "n", "reason", "no_interval"]


@require_safe
def assessor_quality_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    record = load_judging_record(campaign, third=choice.third)
    report = quality_report(record, choice.level)
    context = agreement_context(campaign, choice, record.people, "assessor-quality") | {
        "report": report,
        "biases": [(name, bias, report.drift[name]) for name, bias in report.bias.items()],
        "blocks": any(drift.blocks for drift in report.drift.values()),
        "intervals": bias_caterpillar(report),
        "primings": [("All assessors", report.priming), *report.priming_by_assessor.items()],
        "scale": record.people.scale,
        "floor": FLOOR,
        "timed": any(pace.overall.n for pace in report.pace.values()),
        "columns": [COEFFICIENTS[name].card for name in TABLE_COEFFICIENTS],
        "repeats": consistency_rows(report.consistency),
        "near_repeats": consistency_rows(report.near_consistency),
        "soonest": SOONEST,
        "automatic": [
            (name, quality, *automatic_rows(quality)) for name, quality in report.automatic.items()
        ],
    }
    return chart_file_response(request, context) or render(
        request, "judging/assessor_quality.html", context
    )


def consistency_rows(rows: Mapping[str, Row]) -> list[tuple[str, list[CoefficientValue]]]:
    return [
        ("All assessors" if name == EVERYONE else name, visible_coefficients(row))
        for name, row in rows.items()
    ]


def visible_coefficients(row: Row) -> list[CoefficientValue]:
    return [row[name] for name in TABLE_COEFFICIENTS]


def automatic_rows(
    quality: AutomaticQuality,
) -> tuple[list[tuple[str, list[CoefficientValue]]], list[CoefficientValue]]:
    """Agreement with each assessor, and with the consensus."""
    return [
        (who, visible_coefficients(row)) for who, row in quality.people.items()
    ], visible_coefficients(quality.consensus)


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
        caption="Mean difference between the assessor's grade and the mean grade of the others: "
        "right of the line more lenient, left stricter.",
        least=-0.2,
        most=0.2,
    )


@require_safe
def assessor_quality_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_agreement_choice(request.GET, campaign)
    record = load_judging_record(campaign, third=choice.third)
    report = quality_report(record, choice.level)
    third = {"counted": record.people.thirds, "left_out": record.people.left_out}
    if fmt == "json":
        figures = {"third_judgments": third, **report.as_dict()}
        content = json.dumps(figures, ensure_ascii=False, indent=2, allow_nan=False)
        return attachment_response(f"{content}\n", f"{slug}-assessors.json")
    if fmt != "csv":
        raise Http404
    conditions = {"campaign": slug, "level": choice.level, "third_judgments": third}
    return attachment_response(
        write_csv("assessors", HEAD, _rows(report), conditions), f"{slug}-assessors.csv"
    )


def _rows(report: QualityReport) -> list[list[str]]:
    rows = [_estimate(name, "bias", estimate) for name, estimate in report.bias.items()]
    rows += [_estimate(name, "drift", estimate.slope) for name, estimate in report.drift.items()]
    rows += [_priming(name, estimate) for name, estimate in report.priming_by_assessor.items()]
    rows.append(_priming("", report.priming))
    for name, pace in report.pace.items():
        seconds = pace.overall
        values = [format_full(seconds.median), "", "", "", str(seconds.n), seconds.reason or "", ""]
        rows.append([name, "median seconds", *values])
        rows.append([name, "hasty", str(pace.hasty), "", "", "", str(seconds.n), "", ""])
    for name, row in report.consistency.items():
        rows += [_estimate(name, f"self-consistency {c}", estimate) for c, estimate in row.items()]
    for name, row in report.near_consistency.items():
        rows += [_estimate(name, f"near repeats {c}", estimate) for c, estimate in row.items()]
    for name, quality in report.automatic.items():
        rows.append(_estimate(name, "automatic bias", quality.bias))
        rows += [
            _estimate(name, f"consensus {c}", estimate) for c, estimate in quality.consensus.items()
        ]
        for who, row in quality.people.items():
            rows += [_estimate(name, f"{who} {c}", estimate) for c, estimate in row.items()]
    return rows


def _estimate(name: str, figure: str, estimate: QualityEstimate | CoefficientValue) -> list[str]:
    bounds = [format_full(x) for x in (estimate.value, estimate.low, estimate.high)]
    return [
        name,
        figure,
        *bounds,
        "",
        str(estimate.n),
        estimate.reason or "",
        estimate.no_interval or "",
    ]


def _priming(name: str, priming: Priming) -> list[str]:
    values = [format_full(x) for x in (priming.slope, priming.low, priming.high, priming.p)]
    return [name, "priming", *values, str(priming.n), priming.reason or "", ""]
