"""Pages of plans of comparisons: list, create with preview, progress, pause, close."""

from dataclasses import replace
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.queries.lists import get_campaign_for
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page
from poolbench.files.faults import format_count
from poolbench.preferences.interleaving import METHODS
from poolbench.preferences.pair_designs import PAIR_DESIGN
from preferences.forms import ComparisonPlanForm
from preferences.models import ComparisonPlan
from preferences.queries.comparisons import (
    compare_outcomes,
    count_comparison_progress,
    count_sides,
    describe_comparison_closing,
    list_choices,
    list_judge_counts,
    list_topic_outcomes,
)
from preferences.services.comparison_plans import (
    close_comparisons,
    create_comparison_plan,
    pause_comparisons,
    preview_comparisons,
    reopen_skipped_comparisons,
)


@require_safe
def comparison_plans_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All plans with their progress."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plans = campaign.comparison_plans.select_related("campaign", "pool", "run_a", "run_b")
    page = {
        "campaign": campaign,
        "plans": [(plan, count_comparison_progress(plan)) for plan in plans],
    }
    return render_page(request, "preferences/plans.html", page)


@require_http_methods(["GET", "POST"])
def comparison_plan_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose what is compared; preview; create."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = ComparisonPlanForm(campaign, request.POST if request.method == "POST" else None)
    preview = None
    if request.method == "POST" and form.is_valid():
        options = form.read_options()
        with collect_refusal(form):
            if "preview" not in request.POST:
                plan = create_comparison_plan(
                    actor=request.user, campaign=campaign, options=options
                )
                count = format_count(plan.comparisons.count(), "comparison")
                messages.success(request, f"Plan created: {count}.")
                return redirect(plan)
            preview = preview_comparisons(actor=request.user, campaign=campaign, options=options)
    pairs = replace(PAIR_DESIGN, title="Pairs of documents")
    page = {
        "campaign": campaign,
        "form": form,
        "preview": preview,
        "hourly": form.cleaned_data["hourly"] if preview else None,
        "cost": preview and float(form.cleaned_data["hourly"] or 0) * preview.hours,
        "designs": [pairs, *(METHODS[name].card for name in ComparisonPlan.Method.values)],
    }
    return render_page(request, "preferences/plan_new.html", page)


@require_safe
def comparison_plan_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Progress of a plan, who judged, left against right, and wins by topic."""
    plan = get_managed_plan(request, slug, pk)
    compares_runs = plan.kind != ComparisonPlan.Kind.DOCUMENTS
    outcomes = list_topic_outcomes(plan) if compares_runs else []
    page = {
        "campaign": plan.campaign,
        "plan": plan,
        "progress": count_comparison_progress(plan),
        "judges": list_judge_counts(plan),
        "sides": count_sides(list_choices(plan)),
        "outcomes": outcomes,
        "outcome": compare_outcomes(outcomes),
        "has_sides": plan.kind != ComparisonPlan.Kind.INTERLEAVED,
    }
    return render_page(request, "preferences/plan.html", page)


@require_POST
def comparison_plan_pause_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Pause or resume a plan."""
    plan = get_managed_plan(request, slug, pk)
    try:
        pause_comparisons(actor=request.user, plan=plan, paused=request.POST.get("paused") == "1")
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect(plan)


@require_POST
def comparison_plan_reopen_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Offer skipped comparisons to other assessors."""
    plan = get_managed_plan(request, slug, pk)
    count = reopen_skipped_comparisons(actor=request.user, plan=plan)
    messages.success(request, f"{format_count(count, 'skipped comparison')} offered again.")
    return redirect(plan)


@require_http_methods(["GET", "POST"])
def comparison_plan_close_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before a plan is closed; its form closes it."""
    plan = get_managed_plan(request, slug, pk)

    def act(decision: Decision) -> HttpResponse:
        close_comparisons(actor=request.user, plan=plan, decision=decision)
        messages.success(request, "Plan closed.")
        return redirect(plan)

    describe = partial(describe_comparison_closing, plan)
    return confirm_act(request, plan.campaign, describe=describe, act=act)


def get_managed_plan(request: SignedInRequest, slug: str, pk: int) -> ComparisonPlan:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plans = campaign.comparison_plans.select_related("campaign", "pool", "run_a", "run_b")
    return get_object_or_404(plans, pk=pk)
