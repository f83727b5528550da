"""Agreement between assessors: every coefficient with its n, never a lone number."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.attachments import attachment
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.core.agreement.formats import json_text
from judging.core.agreement.labels import Coefficient
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport, agreement_report
from judging.queries.agreement import labels_of

CELL, LEFT, TOP = 64, 150, 34


@dataclass(frozen=True)
class HeatCell:
    """One cell of the heat map: where it stands, what it says and how full it is."""

    x: int
    y: int
    pair: str
    found: Coefficient | None
    opacity: str

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + CELL // 2, self.y + CELL // 2 + 4

    @property
    def is_dark(self) -> bool:
        return float(self.opacity) > 0.55


@require_safe
def agreement(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    report = report_of(request, campaign)
    by = request.GET.get("by", "")
    by = by if by in COEFFICIENTS else "kappa"
    names = [assessor.name for assessor in report.assessors]
    context = {
        "campaign": campaign,
        "crumbs": [("Agreement", None)],
        "report": report,
        "rows": [
            (COEFFICIENTS[name].card, report.overall.get(name), mean)
            for name, mean in report.means.items()
        ],
        "pairs": [
            (pair, list(row.values()), next(iter(row.values())).n)
            for pair, row in report.pairs.items()
        ],
        "coefficients": [coefficient.card for coefficient in COEFFICIENTS.values()],
        "by": COEFFICIENTS[by].card,
        "cells": heat(report, names, by),
        "labels": [(name, TOP + CELL * at + CELL // 2 + 4) for at, name in enumerate(names)],
        "heads": [(name, LEFT + CELL * at + CELL // 2) for at, name in enumerate(names)],
        "box": (LEFT + CELL * len(names) + 2, TOP + CELL * len(names) + 2),
        "cell": CELL,
        "left": LEFT - 10,
        "levels": campaign.grades.all()[1:],
    }
    return render(request, "judging/agreement.html", context)


@require_safe
def download(request: SignedIn, slug: str, fmt: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    report = report_of(request, campaign)
    if fmt == "json":
        return attachment(json_text(report), f"{slug}-agreement.json")
    if fmt != "csv":
        raise Http404
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["between", "assessor_a", "assessor_b", "coefficient", "value", "n", "reason"])
    for place, a, b, row in rows_of(report):
        for name, found in row.items():
            value = "" if found.value is None else f"{found.value:.6f}"
            writer.writerow([place, a, b, name, value, found.n, found.reason or ""])
    return attachment(out.getvalue(), f"{slug}-agreement.csv")


def rows_of(report: AgreementReport) -> list[tuple[str, str, str, dict[str, Coefficient]]]:
    rows = [("all", "", "", report.overall), ("mean", "", "", report.means)]
    return rows + [("pair", a, b, row) for (a, b), row in report.pairs.items()]


def report_of(request: SignedIn, campaign: Campaign) -> AgreementReport:
    """``?level=`` is the lowest grade that counts as relevant; the campaign's by default."""
    asked = request.GET.get("level", "")
    level = int(asked) if asked.isdecimal() and len(asked) < 5 else campaign.relevance_level
    return agreement_report(labels_of(campaign), level)


def heat(report: AgreementReport, names: list[str], by: str) -> list[HeatCell]:
    cells = []
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            row = report.pairs.get((a, b)) or report.pairs.get((b, a))
            found = row[by] if row else None
            value = found.value if found else None
            opacity = "0" if value is None else f"{max(0.0, min(1.0, value)):.2f}"
            cells.append(HeatCell(LEFT + CELL * j, TOP + CELL * i, f"{a} and {b}", found, opacity))
    return cells
