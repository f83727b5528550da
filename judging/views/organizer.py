"""The organizer's judging pages: progress, plans, who judges what, what is out or skipped."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign, Topic
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.forms import Matrix, PlanForm
from judging.models import Assignment, Judgment, Plan, Slot
from judging.queries.progress import add, assessor_progress, leases, plan_progress, skipped
from judging.services.plans import assign_all, make_plan, pause, reopen


@require_safe
def judging(request: SignedIn, slug: str) -> HttpResponse:
    """How the judging goes: by plan, topic and assessor; leases; skips."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    plans = plan_progress(campaign)
    people = assessor_progress(campaign, plans)
    paces = [row.pace.per_hour for row in people if row.pace.per_hour]
    total = add(found.tally for found in plans)
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", None)],
        "plans": plans,
        "total": total,
        "people": people,
        "pace": sum(paces) / len(paces) if paces else None,
        "hours_left": total.left * len(paces) / sum(paces) if paces else None,
        "leases": leases(campaign),
        "skipped": skipped(campaign),
        "now": timezone.now(),
        "extra": Judgment.objects.filter(campaign=campaign, slot=None, kind="grade").count(),
        "has_pool": campaign.pools.exists(),
    }
    return render(request, "judging/judging.html", context)


@require_http_methods(["GET", "POST"])
def plan_new(request: SignedIn, slug: str) -> HttpResponse:
    """Choose a pool, the overlap and who judges which topic."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    matrix = Matrix(campaign, list(campaign.topics.all()))
    if request.method == "GET":
        return plan_page(request, campaign, PlanForm(campaign), matrix.fill("turn", 1))
    form = PlanForm(campaign, request.POST)
    matrix.post(request.POST)
    fill = request.POST.get("fill")
    if not form.is_valid() or fill:
        overlap = form.cleaned_data.get("overlap") or 1
        return plan_page(request, campaign, form, matrix.fill(fill, overlap) if fill else matrix)
    try:
        chosen, pool = form.cleaned_data, form.cleaned_data["pool"]
        people = {number: users for number, users in matrix.chosen.items() if users}
        made = make_plan(actor=request.user, pool=pool, overlap=chosen["overlap"], assessors=people)
    except Refused as refused:
        form.add_error(None, str(refused))
        return plan_page(request, campaign, form, matrix)
    messages.success(request, f"The plan is made: {made.slots.count():,} judgments to give.")
    return redirect("judging", campaign.slug)


@require_http_methods(["GET", "POST"])
def plan_assign(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Who judges what under one plan."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    plan = get_object_or_404(campaign.plans.select_related("pool"), pk=pk)
    topics = list(Topic.objects.filter(pk__in=plan.slots.order_by().values("topic")))
    matrix = Matrix(campaign, topics).take(assigned(plan))
    if request.method == "GET":
        return assign_page(request, campaign, plan, matrix)
    matrix.post(request.POST)
    fill = request.POST.get("fill")
    if fill:
        return assign_page(request, campaign, plan, matrix.fill(fill, plan.overlap))
    try:
        changed = assign_all(actor=request.user, plan=plan, assessors=matrix.chosen)
    except Refused as refused:
        return assign_page(request, campaign, plan, matrix, refused)
    messages.success(request, f"Saved; {changed} topic{'s' if changed != 1 else ''} changed.")
    return redirect("judging", campaign.slug)


@require_POST
def plan_pause(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    plan = get_object_or_404(campaign.plans, pk=pk)
    pause(actor=request.user, plan=plan, paused=request.POST.get("paused") == "1")
    return redirect("judging", campaign.slug)


@require_POST
def slot_reopen(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    slots = Slot.objects.filter(plan__campaign=campaign)
    slot = get_object_or_404(slots.select_related("plan__campaign", "topic", "item"), pk=pk)
    try:
        reopen(actor=request.user, slot=slot)
        messages.success(request, "The document goes to the next assessor of its topic.")
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("judging", campaign.slug)


def assigned(plan: Plan) -> dict[str, list[Any]]:
    people: dict[str, list[Any]] = {}
    rows: list[Assignment] = list(plan.assignments.select_related("topic", "assessor"))
    for row in rows:
        people.setdefault(row.topic.number, []).append(row.assessor)
    return people


def plan_page(
    request: SignedIn, campaign: Campaign, form: PlanForm, matrix: Matrix
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", "../"), ("New plan", None)],
        "form": form,
        "matrix": matrix,
        "has_pool": campaign.pools.exists(),
    }
    return render(request, "judging/plan_new.html", context)


def assign_page(
    request: SignedIn,
    campaign: Campaign,
    plan: Plan,
    matrix: Matrix,
    refused: Refused | None = None,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", "../../"), ("Assignments", None)],
        "plan": plan,
        "matrix": matrix,
        "refused": refused,
    }
    return render(request, "judging/plan_assign.html", context)
