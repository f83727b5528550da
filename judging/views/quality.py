"""Assessors one by one: bias, drift, priming, self-consistency, pace, automatic assessors."""

from __future__ import annotations

import json

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.attachments import attachment
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.core.agreement.coefficient import Coefficient
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import Row
from judging.core.quality.automatic import Automatic
from judging.core.quality.consistency import EVERYONE
from judging.core.quality.estimate import Estimate
from judging.core.quality.formats import SHOWN
from judging.core.quality.pace import FLOOR
from judging.core.quality.priming import Priming
from judging.core.quality.report import QualityReport, quality_report
from judging.queries.quality import record_of_campaign
from judging.views.agreement import csv_of, number, shared
from judging.views.agreement_charts import Legs, legs
from judging.views.agreement_choice import choice_from

HEAD = ["assessor", "figure", "value", "low", "high", "p", "n", "reason", "no_interval"]


@require_safe
def assessors(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    choice = choice_from(request.GET, campaign)
    record = record_of_campaign(campaign)
    report = quality_report(record, choice.level)
    context = shared(campaign, choice, record.people, "agreement-assessors") | {
        "report": report,
        "biases": [(name, bias, report.drift[name]) for name, bias in report.bias.items()],
        "blocks": any(drift.blocks for drift in report.drift.values()),
        "legs": legs_of(report),
        "primings": [("All assessors", report.priming), *report.priming_by_assessor.items()],
        "scale": record.people.scale,
        "floor": FLOOR,
        "timed": any(pace.overall.n for pace in report.pace.values()),
        "shown": [COEFFICIENTS[name].card for name in SHOWN],
        "repeats": [
            ("All assessors" if name == EVERYONE else name, shown_of(row))
            for name, row in report.consistency.items()
        ],
        "machines": [(name, it, *machine_rows(it)) for name, it in report.automatic.items()],
    }
    return render(request, "judging/agreement_assessors.html", context)


def shown_of(row: Row) -> list[Coefficient]:
    return [row[name] for name in SHOWN]


def machine_rows(it: Automatic) -> tuple[list[tuple[str, list[Coefficient]]], list[Coefficient]]:
    """Against each person, and against consensus."""
    return [(who, shown_of(row)) for who, row in it.people.items()], shown_of(it.consensus)


def legs_of(report: QualityReport) -> Legs:
    """The bias of each assessor; an axis of at least a fifth of a grade either way."""
    lines = [(name, it.value, it.low, it.high, it.reason or "") for name, it in report.bias.items()]
    return legs(lines, least=-0.2, most=0.2)


@require_safe
def download(request: SignedIn, slug: str, fmt: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    choice = choice_from(request.GET, campaign)
    report = quality_report(record_of_campaign(campaign), choice.level)
    if fmt == "json":
        content = json.dumps(report.as_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        return attachment(f"{content}\n", f"{slug}-assessors.json")
    if fmt != "csv":
        raise Http404
    return csv_of(HEAD, _rows(report), f"{slug}-assessors.csv")


def _rows(report: QualityReport) -> list[list[str]]:
    rows = [_estimate(name, "bias", it) for name, it in report.bias.items()]
    rows += [_estimate(name, "drift", it.slope) for name, it in report.drift.items()]
    rows += [_priming(name, it) for name, it in report.priming_by_assessor.items()]
    rows.append(_priming("", report.priming))
    for name, pace in report.pace.items():
        seconds = pace.overall
        told = [number(seconds.median), "", "", "", str(seconds.n), seconds.reason or "", ""]
        rows.append([name, "median seconds", *told])
        rows.append([name, "hasty", str(pace.hasty), "", "", "", str(seconds.n), "", ""])
    for name, row in report.consistency.items():
        rows += [_estimate(name, f"self-consistency {c}", it) for c, it in row.items()]
    for name, found in report.automatic.items():
        rows.append(_estimate(name, "automatic bias", found.bias))
        rows += [_estimate(name, f"consensus {c}", it) for c, it in found.consensus.items()]
        for who, row in found.people.items():
            rows += [_estimate(name, f"{who} {c}", it) for c, it in row.items()]
    return rows


def _estimate(name: str, figure: str, it: Estimate | Coefficient) -> list[str]:
    bounds = [number(x) for x in (it.value, it.low, it.high)]
    return [name, figure, *bounds, "", str(it.n), it.reason or "", it.no_interval or ""]


def _priming(name: str, it: Priming) -> list[str]:
    values = [number(x) for x in (it.slope, it.low, it.high, it.p)]
    return [name, "priming", *values, str(it.n), it.reason or "", ""]
