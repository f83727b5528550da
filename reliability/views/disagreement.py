"""Effect of disagreement: rankings by each assessor, rank bands, and rank-swap values."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from campaigns.api.attachments import report_response
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.tasks import list_current_runs
from campaigns.services.snapshots import CurrentReport, compute_report, get_report
from campaigns.views.helpers import SignedInRequest, collect_refusal, read_digits
from campaigns.views.pages import render_page
from judging.queries.adjudication import STATES, adjudication_states, list_adjudicators
from judging.rules import choose_policy
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.files.faults import format_count
from poolbench.judging.policies import AUTOMATIC_ONLY, DEFAULT_POLICY, POLICIES
from poolbench.number_formats import format_decimals, format_percent, format_score
from poolbench.reliability.charts import RankedRun, build_rank_bands
from poolbench.reliability.disagreement.formats import build_disagreement_tables, write_pairs_csv
from poolbench.reliability.disagreement.rankings import TREATMENTS, SystemRanking
from poolbench.reliability.disagreement.report import DisagreementReport
from poolbench.reliability.disagreement.resampling import FEW_ASSESSORS
from poolbench.reports.csv import write_csv
from poolbench.reports.late_runs import mark_late_runs
from poolbench.reports.writers import ENDINGS, WRITERS
from poolbench.shared_reads import share_reads
from reliability.forms import RoundByValueForm
from reliability.queries.disagreement_studies import (
    EFFECT,
    DisagreementQuery,
    DisagreementStudy,
    is_first_query,
    measures_to_rank_by,
    select_ranking_measure,
    study_disagreement,
)
from reliability.services.disagreement import open_round_by_value

MOST_PAIRS = 50
"""Pairs in the table of the page; the download has all."""
MOST_COLUMNS = 10
"""Assessors in the table of runs; the download has all."""
KINDS = {
    "assessor": "",
    "machine": AUTOMATIC_ONLY,
    "union": "highest grade",
    "intersection": "lowest grade",
}
BANDS_CAPTION = (
    "●\u00a0rank by the policy; bar: middle 95\u00a0% of ranks with resampled assessors; stroke: "
    "rank by one assessor."
)
DOWNLOADS: dict[str, dict[str, Callable[..., str]]] = {
    "runs": {"csv": write_csv},
    "pairs": {"csv": write_pairs_csv},
    "report": {name: write for name, write in WRITERS.items() if name != "csv"},
}


@require_safe
@share_reads
def disagreement_effect_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return render_disagreement_page(request, campaign, RoundByValueForm(campaign=campaign))


@require_safe
def disagreement_download_view(
    request: SignedInRequest, slug: str, table: str, fmt: str
) -> HttpResponse:
    """The runs or the pairs as CSV, or everything in the other formats."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if ENDINGS.get(fmt) not in DOWNLOADS.get(table, {}):
        raise Http404(f"unknown download {table}.{fmt}")
    query = parse_query(request)
    is_first = is_first_query(query, measures_to_rank_by(campaign))
    stored = compute_report(campaign, EFFECT).report if is_first else None
    effect = stored or study_disagreement(actor=request.user, campaign=campaign, query=query).report
    name = f"{slug}-disagreement-{table}.{fmt}"
    if table == "pairs":
        return report_response(name, DOWNLOADS[table], effect)
    verdict = None if fmt == "csv" else compute_report(campaign, "agreement").verdict
    report = build_disagreement_tables(effect, verdict)
    return report_response(name, DOWNLOADS[table], mark_late_runs(report, campaign.late_tags))


@require_POST
def disagreement_round_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Open an adjudication round with the pairs of highest rank-swap value."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = RoundByValueForm(request.POST, campaign=campaign)
    if form.is_valid():
        with collect_refusal(form):
            plan = open_round_by_value(
                actor=request.user,
                campaign=campaign,
                query=parse_query(request),
                **form.cleaned_data,
            )
            pairs = format_count(plan.slots.count(), "pair")
            messages.success(request, f"Round opened: {pairs} to adjudicate.")
            return redirect(reverse("adjudication", args=[slug]) + "#rounds")
    return render_disagreement_page(request, campaign, form)


def parse_query(request: SignedInRequest) -> DisagreementQuery:
    """The query of the URL; unknown values are replaced by the defaults, or refused: policies."""
    policy, treat = request.GET.get("policy", ""), request.GET.get("treat", "")
    runs = [request.GET.get(name, "") for name in ("a", "b")]
    numbers = [number for run in runs if (number := read_digits(run, 9)) is not None]
    return DisagreementQuery(
        policy=choose_policy(policy, POLICIES, DEFAULT_POLICY),
        measure=request.GET.get("measure", ""),
        treat="own" if treat == "own" else "filled",
        between=(numbers[0], numbers[1]) if len(numbers) == 2 else None,
    )


def render_disagreement_page(
    request: SignedInRequest, campaign: Campaign, form: RoundByValueForm
) -> HttpResponse:
    choice = parse_query(request)
    # ``a`` and ``b``: the IDs of the two runs to turn around.
    a, b = choice.between or (None, None)
    page = {
        "campaign": campaign,
        "choice": choice,
        "a": a,
        "b": b,
        "policies": [policy.card for policy in POLICIES.values()],
        "treatments": TREATMENTS.items(),
        "query": urlencode([(k, v) for k in request.GET for v in request.GET.getlist(k)]),
        "form": form,
    }
    template = "reliability/disagreement.html"
    try:
        study, state = load_study(request.user, campaign, choice)
    except ActionRefused as refused:
        return render_page(request, template, page, {"refused": refused})
    page["state"] = state
    if study is None:
        return render_page(request, template, page)
    pairs = list_swap_pairs(campaign, study.report)
    return render_page(request, template, page, build_disagreement_results(study), pairs)


def load_study(
    user: User, campaign: Campaign, choice: DisagreementQuery
) -> tuple[DisagreementStudy | None, CurrentReport[DisagreementReport] | None]:
    """The stored report of the page as it opens, None before the first one, and its state; or that
    of another choice, computed now.
    """
    measures = measures_to_rank_by(campaign)
    select_ranking_measure(measures, choice.measure)
    if not is_first_query(choice, measures):
        return study_disagreement(actor=user, campaign=campaign, query=choice), None
    state = get_report(campaign, EFFECT)
    runs = list(list_current_runs(campaign))
    return state.report and DisagreementStudy(runs, measures, state.report), state


def build_disagreement_results(study: DisagreementStudy) -> dict[str, object]:
    """``rankings`` come with what is special about each, ``draws`` with the way of drawing and the
    spread of each coefficient. ``columns`` are the assessors in the table of runs, without
    ``more_columns`` others.
    """
    report = study.report
    rankings = [row for row in report.rankings[1:] if row.kind in ("assessor", "machine")]
    return {
        "runs": [(run.pk, run.tag) for run in study.runs],
        "measures": [measure.name for measure in study.measures],
        "report": report,
        "facts": report.facts,
        "ranked": any(rank is not None for rank in report.rankings[0].ranks),
        "coefficients": [CORRELATIONS[name].card for name in report.rankings[0].coefficients],
        "rankings": [(row, KINDS.get(row.kind, "")) for row in report.rankings[1:]],
        "draws": [
            (way, draws, [(CORRELATIONS[k].card.title, v) for k, v in draws.coefficients.items()])
            for way, draws in (
                ("Assessors resampled", report.bootstrap),
                ("One assessor per topic, at random", report.swaps),
            )
        ],
        "few": 1 < report.facts.assessors < FEW_ASSESSORS,
        "picture": build_rank_bands(
            "Rank of each run by the policy, rank band, and rank by each assessor",
            [chart_run(report, at, rankings) for at in report.order],
            caption=BANDS_CAPTION,
        ),
        "columns": [row.labelled_name for row in rankings[:MOST_COLUMNS]],
        "more_columns": max(0, len(rankings) - MOST_COLUMNS),
        "rows": [run_row(report, at, rankings) for at in report.order],
    }


def list_swap_pairs(campaign: Campaign, report: DisagreementReport) -> dict[str, object]:
    """The pairs of highest rank-swap value, with the share of the gap that each closes and its
    state, without ``more_pairs`` others; of all pairs ``moving`` change a rank. ``steps``, with the
    gap that remains, turn the two runs around.
    """
    states = adjudication_states(campaign)
    steps = report.turning.steps if report.turning else ()
    most_steps = (report.turning.needed if report.turning else 0) or MOST_PAIRS
    visible = report.values[:MOST_PAIRS]
    return {
        "pairs": [
            (v, format_gap_share(v.closed), STATES.get(states.get((v.topic, v.docno), "")))
            for v in visible
        ],
        "more_pairs": len(report.values) - len(visible),
        "moving": sum(value.swaps > 0 for value in report.values),
        "steps": [(step, format_decimals(step.gap, 5)) for step in steps[:most_steps]],
        "adjudicators": list(list_adjudicators(campaign)),
    }


def format_gap_share(value: float) -> str:
    """A share of a gap; 100 % only if it is exact."""
    return "> 99\u00a0%" if 0.995 <= value < 1 else format_percent(value)


def chart_run(report: DisagreementReport, at: int, rankings: list[SystemRanking]) -> RankedRun:
    band = report.find_band(at)
    others = tuple((row.name, row.ranks[at]) for row in rankings)
    rank = report.rankings[0].ranks[at]
    return RankedRun(report.tags[at], rank, band.rank_low, band.rank_high, others)


def run_row(
    report: DisagreementReport, at: int, rankings: list[SystemRanking]
) -> dict[str, object]:
    """A run under all rankings; ``least`` and ``most`` are its ranks by the assessors."""
    band = report.find_band(at)
    ranks = [rank for row in rankings if (rank := row.ranks[at]) is not None]
    interval = f"{format_score(band.low)} to {format_score(band.high)}"
    return {
        "tag": report.tags[at],
        "rank": report.rankings[0].ranks[at],
        "score": format_score(report.rankings[0].scores[at]),
        "band": band,
        "scores": interval if report.bootstrap.bands else "–",
        "least": min(ranks, default=None),
        "most": max(ranks, default=None),
        "ranks": [row.ranks[at] for row in rankings[:MOST_COLUMNS]],
    }
