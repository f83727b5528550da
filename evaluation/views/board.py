"""The leaderboard, and the organizer's acts on it: evaluate and release."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from campaigns.errors import Refused
from campaigns.models import Campaign, Job
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from evaluation import services
from evaluation.forms import EvaluateForm
from evaluation.models import ScoreSet
from evaluation.queries.board import Board, board_of
from evaluation.queries.sets import Reader, readable_sets
from evaluation.services.scoring import KIND
from evaluation.views.cells import (
    TRUST,
    column_of,
    rows_of,
    shown_measures,
    sort_of,
    spread_rows,
)
from evaluation.views.gate import Visit, score_set_for, visit_for


def scores(request: SignedIn, slug: str) -> HttpResponse:
    """The newest score set that the reader may see, or what is missing for one."""
    visit = visit_for(request, slug)
    reader = Reader(True, frozenset(), visit.campaign.board) if visit.preview else visit.reader
    return page(request, visit, readable_sets(visit.campaign, reader).first())


def score_set(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    visit = visit_for(request, slug)
    return page(request, visit, score_set_for(visit, pk))


@require_POST
def evaluate(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    form = EvaluateForm(request.POST, campaign=campaign)
    if form.is_valid():
        try:
            job = services.request_evaluation(
                actor=request.user, campaign=campaign, **form.cleaned_data
            )
            return redirect(f"{reverse('scores', args=[slug])}?job={job.pk}")
        except Refused as refused:
            form.add_error(None, str(refused))
    visit = visit_for(request, slug)
    return page(request, visit, readable_sets(campaign, visit.reader).first(), form)


@require_POST
def release(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    campaign_for(request.user, slug, "campaigns.manage")
    chosen = score_set_for(visit_for(request, slug), pk)
    services.release_scores(actor=request.user, score_set=chosen)
    return redirect(chosen)


def page(
    request: SignedIn, visit: Visit, chosen: ScoreSet | None, form: EvaluateForm | None = None
) -> HttpResponse:
    context: dict[str, Any] = {"campaign": visit.campaign, "visit": visit, "score_set": chosen}
    context["crumbs"] = [("Scores", "")]
    if chosen is not None:
        context |= board_context(request, board_of(chosen, visit.reader))
    if visit.may_manage and not visit.preview:
        context |= organizer_context(request, visit, form)
    return render(request, "evaluation/scores.html", context)


def board_context(request: SignedIn, board: Board) -> dict[str, Any]:
    shown = shown_measures(board, request.GET.getlist("m"))
    sort = sort_of(board, shown, request.GET.get("sort", ""))
    columns = [column_of(board.measure(name), sort) for name in shown]
    rows = rows_of(board, columns, sort)
    return {
        "board": board,
        "columns": columns,
        "rows": rows,
        "spread": spread_rows(board, columns),
        "sort": sort,
        "choices": [
            (column_of(measure), measure.name in shown)
            for measure in board.measures
            if not measure.family.summary_only and measure.name != TRUST
        ],
        "low": sum(any(cell.low for cell in row.cells) for row in rows),
        "undefined": [
            column
            for at, column in enumerate(columns)
            if any(row.cells[at].value is None for row in rows)
        ],
        "own": any(entry.own for entry in board.entries),
    }


def organizer_context(request: SignedIn, visit: Visit, form: EvaluateForm | None) -> dict[str, Any]:
    campaign = visit.campaign
    job = job_to_show(campaign, request.GET.get("job", ""))
    return {
        "sets": list(readable_sets(campaign, visit.reader)),
        "form": form or EvaluateForm(campaign=campaign),
        "may_evaluate": campaign.qrels.exists() and campaign.runs.accepted().exists(),
        "has_qrels": campaign.qrels.exists(),
        "job": job,
        "job_url": reverse("job", args=[campaign.slug, job.pk]) if job else "",
    }


def job_to_show(campaign: Campaign, asked: str) -> Job | None:
    """The evaluation just asked for, or one still under way."""
    job = campaign.jobs.filter(kind=KIND).first()
    if job is None or (job.is_over and str(job.pk) != asked):
        return None
    return job
