"""What disagreement does: rankings by each assessor, bands, and the pairs worth settling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from campaigns.attachments import attachment
from campaigns.errors import Refused
from campaigns.models import Campaign, User
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from evaluation import services
from evaluation.charts.rank_bands import Ranked, rank_bands
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.disagreement.formats import json_text, pairs_csv, runs_csv
from evaluation.core.disagreement.rankings import TREATMENTS, Ranking
from evaluation.core.disagreement.report import Report
from evaluation.core.disagreement.resampling import FEW_ASSESSORS, Band
from evaluation.forms import RoundByValueForm
from evaluation.queries.disagreement import USUAL_POLICY, policies
from evaluation.services.disagreement import Asked, Study
from evaluation.views.cells import column_of, figure
from judging.core.policies import POLICIES
from judging.queries.adjudication import STATES, adjudicators, slot_states

SHOWN = 50
"""Pairs in the table of the page; the download has all."""
MOST_COLUMNS = 10
"""Assessors in the table of runs; the download has all."""
KINDS = {
    "assessor": "",
    "machine": "automatic",
    "union": "highest grade given",
    "intersection": "lowest grade given",
}
DOWNLOADS = {
    ("runs", "csv"): runs_csv,
    ("pairs", "csv"): pairs_csv,
    ("report", "json"): json_text,
}


@dataclass(frozen=True)
class RunRow:
    """A run under all rankings; ``least`` and ``most`` are its ranks by the assessors."""

    tag: str
    rank: int | None
    score: str
    band: Band | None
    scores: str
    least: int | None
    most: int | None
    ranks: tuple[int | None, ...]


@require_safe
def disagreement(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return page(request, campaign, RoundByValueForm(campaign=campaign))


@require_safe
def disagreement_download(request: SignedIn, slug: str, what: str, fmt: str) -> HttpResponse:
    """The runs or the pairs as CSV, or everything as JSON."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if (what, fmt) not in DOWNLOADS:
        raise Http404(f"no download {what}.{fmt}")
    study = services.disagreement(actor=request.user, campaign=campaign, asked=asked_of(request))
    return attachment(DOWNLOADS[what, fmt](study.report), f"{slug}-disagreement-{what}.{fmt}")


def opened(count: int) -> str:
    told = ngettext(
        "The round is open: %(n)s pair to settle.",
        "The round is open: %(n)s pairs to settle.",
        count,
    )
    return told % {"n": number_format(count, force_grouping=True)}


@require_POST
def disagreement_round(request: SignedIn, slug: str) -> HttpResponse:
    """Open a round of adjudication with the most valuable pairs."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    form = RoundByValueForm(request.POST, campaign=campaign)
    if form.is_valid():
        try:
            plan = services.open_by_value(
                actor=request.user,
                campaign=campaign,
                asked=asked_of(request),
                **form.cleaned_data,
            )
            messages.success(request, opened(plan.slots.count()))
            return redirect(reverse("adjudication", args=[slug]) + "#rounds")
        except Refused as refused:
            form.add_error(None, str(refused))
    return page(request, campaign, form)


def asked_of(request: SignedIn) -> Asked:
    """What the address asks for; anything unknown is the usual."""
    policy, treat = request.GET.get("policy", ""), request.GET.get("treat", "")
    runs = [request.GET.get(name, "") for name in ("a", "b")]
    numbers = [int(run) for run in runs if run.isdecimal() and len(run) < 10]
    return Asked(
        policy=policy if policy in POLICIES else USUAL_POLICY,
        measure=request.GET.get("measure", ""),
        treat="own" if treat == "own" else "filled",
        between=(numbers[0], numbers[1]) if len(numbers) == 2 else None,
    )


def page(request: SignedIn, campaign: Campaign, form: RoundByValueForm) -> HttpResponse:
    asked = asked_of(request)
    context: dict[str, Any] = {
        "campaign": campaign,
        "crumbs": [("Agreement", reverse("agreement", args=[campaign.slug])), ("Ranking", "")],
        "asked": asked,
        "policies": [policy.card for policy in policies()],
        "treatments": TREATMENTS.items(),
        "query": urlencode([(k, v) for k in request.GET for v in request.GET.getlist(k)]),
        "form": form,
    }
    try:
        study = services.disagreement(actor=request.user, campaign=campaign, asked=asked)
        context |= study_context(campaign, study)
    except Refused as refused:
        context["refused"] = refused
    return render(request, "evaluation/disagreement.html", context)


def study_context(campaign: Campaign, study: Study) -> dict[str, Any]:
    report = study.report
    rankings = [row for row in report.rankings[1:] if row.kind in ("assessor", "machine")]
    return {
        "runs": study.runs,
        "measures": [column_of(measure) for measure in study.measures],
        "report": report,
        "facts": report.facts,
        "ranked": any(rank is not None for rank in report.rankings[0].ranks),
        "coefficients": [CORRELATIONS[name].card for name in report.rankings[0].coefficients],
        "rankings": [ranking_cells(row) for row in report.rankings[1:]],
        "draws": drawn_rows(report),
        "few": 1 < report.facts.assessors < FEW_ASSESSORS,
        "picture": rank_bands([ranked(report, at, rankings) for at in report.order]),
        "columns": [row.name for row in rankings[:MOST_COLUMNS]],
        "more_columns": max(0, len(rankings) - MOST_COLUMNS),
        "rows": [run_row(report, at, rankings) for at in report.order],
        **pairs_context(campaign, report),
    }


def pairs_context(campaign: Campaign, report: Report) -> dict[str, Any]:
    """The most valuable pairs, and who could settle them."""
    states = slot_states(campaign)
    people: list[User] = list(adjudicators(campaign))
    shown = report.values[:SHOWN]
    steps = report.turning.steps if report.turning else ()
    return {
        "pairs": [
            (value, share(value.closed), STATES.get(states.get((value.topic, value.docno), "")))
            for value in shown
        ],
        "more_pairs": len(report.values) - len(shown),
        "moving": sum(value.swaps > 0 for value in report.values),
        "steps": [
            (step, f"{step.gap:.5f}".replace("-", "−"))
            for step in steps[: (report.turning.needed if report.turning else 0) or SHOWN]
        ],
        "adjudicators": people,
    }


def ranking_cells(row: Ranking) -> dict[str, Any]:
    return {
        "row": row,
        "note": KINDS.get(row.kind, ""),
        "cells": [(figure(found.value), found.reason or "") for found in row.coefficients.values()],
    }


def drawn_rows(report: Report) -> list[dict[str, Any]]:
    """The two ways of drawing other assessors, a line a coefficient."""
    ways = (
        ("Assessors resampled", report.bootstrap),
        ("One assessor a topic, at random", report.swaps),
    )
    return [
        {
            "way": way,
            "drawn": drawn,
            "lines": [
                (CORRELATIONS[name].card.title, *figures(found.mean, found.least, found.p5), found)
                for name, found in drawn.coefficients.items()
            ],
        }
        for way, drawn in ways
    ]


def share(value: float) -> str:
    """A share of a gap; one that is nearly all of it is not shown as all."""
    shown = f"{value:.0%}"
    return "> 99\u00a0%" if shown == "100%" and value < 1 else shown.replace("%", "\u00a0%")


def figures(*values: float | None) -> list[str]:
    return [figure(value) for value in values]


def ranked(report: Report, at: int, rankings: list[Ranking]) -> Ranked:
    band = band_of(report, at)
    return Ranked(
        tag=report.tags[at],
        rank=report.rankings[0].ranks[at],
        low=band.rank_low if band else None,
        high=band.rank_high if band else None,
        others=tuple((row.name, row.ranks[at]) for row in rankings),
    )


def run_row(report: Report, at: int, rankings: list[Ranking]) -> RunRow:
    band = band_of(report, at)
    known = [rank for row in rankings if (rank := row.ranks[at]) is not None]
    return RunRow(
        tag=report.tags[at],
        rank=report.rankings[0].ranks[at],
        score=figure(report.rankings[0].scores[at]),
        band=band,
        scores=f"{figure(band.low)} to {figure(band.high)}" if band else "–",
        least=min(known, default=None),
        most=max(known, default=None),
        ranks=tuple(row.ranks[at] for row in rankings[:MOST_COLUMNS]),
    )


def band_of(report: Report, at: int) -> Band | None:
    return report.bootstrap.bands[at] if report.bootstrap.bands else None
