"""The pages of a plan: making one, who judges what, pausing, handing on, closing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Role, Topic, User
from campaigns.queries import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from judging.core.designs.registry import DESIGNS
from judging.models import Plan
from judging.plan_forms import AssignmentMatrix, PlanForm
from judging.queries.progress import assignments_by_topic, mean_pace, pace_by_user
from judging.services.assignments import assign_topics
from judging.services.plans import PlanPreview, close_plan, create_plan, pause_plan, preview_plan
from judging.services.slots import pause_work, reassign_work


@require_http_methods(["GET", "POST"])
def plan_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose a pool, a design and who judges which topic; look at it; make it."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    matrix = AssignmentMatrix(campaign, list(campaign.topics.all()))
    if request.method == "GET":
        return render_plan_form(request, campaign, PlanForm(campaign), matrix.fill("turn", 1))
    form = PlanForm(campaign, request.POST)
    matrix.post(request.POST)
    valid, fill = form.is_valid(), request.POST.get("fill")
    if not valid or fill:
        overlap = form.cleaned_data.get("n") or 1
        return render_plan_form(
            request, campaign, form, matrix.fill(fill, overlap) if fill else matrix
        )
    people = {number: users for number, users in matrix.chosen.items() if users}
    asked = {"actor": request.user, "pool": form.cleaned_data["pool"], "assessors": people}
    try:
        if "preview" in request.POST:
            seen = preview_plan(scheme=form.scheme(), **asked)
            return render_plan_form(request, campaign, form, matrix, seen)
        made = create_plan(scheme=form.scheme(), **asked)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_plan_form(request, campaign, form, matrix)
    messages.success(request, f"The plan is made: {made.slots.count():,} judgments to give.")
    return redirect("judging", campaign.slug)


def render_plan_form(
    request: SignedInRequest,
    campaign: Campaign,
    form: PlanForm,
    matrix: AssignmentMatrix,
    seen: PlanPreview | None = None,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", "../"), ("New plan", None)],
        "form": form,
        "matrix": matrix,
        "designs": [design.card for design in DESIGNS.values()],
        "has_pool": campaign.pools.exists(),
        "seen": seen and plan_preview_context(campaign, seen),
    }
    return render(request, "judging/plan_new.html", context)


def plan_preview_context(campaign: Campaign, seen: PlanPreview) -> dict[str, Any]:
    """A preview as the page tells it, with hours at each one's pace or at the mean one."""
    paces = pace_by_user(campaign)
    mean = mean_pace(paces.values())
    rows = []
    for user, load in seen.loads:
        own = paces[user.pk].per_hour if user.pk in paces else None
        pace = own or mean
        rows.append((user, load, load / pace if pace else None))
    return {
        "judgments": seen.forecast.judgments,
        "pairs": len(seen.allocation.pairs),
        "planned_before": seen.planned_before,
        "waiting": seen.forecast.unassigned,
        "exact": seen.forecast.exact,
        "shared": seen.shared,
        "thirds": seen.thirds,
        "repeats": round(seen.repeats),
        "coming": seen.coming,
        "rows": rows,
        "hours": seen.forecast.judgments / mean if mean else None,
        "design": seen.allocation.design.card,
    }


@require_http_methods(["GET", "POST"])
def plan_assign_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Who judges what under one plan."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)
    topics = list_plan_topics(plan)
    seats = assignments_by_topic(campaign)
    given = {t.number: [seat.user for seat in seats[plan.pk, t.pk]] for t in topics}
    matrix = AssignmentMatrix(campaign, topics).take(given)
    if request.method == "GET":
        return render_assignment_form(request, campaign, plan, matrix)
    matrix.post(request.POST)
    fill = request.POST.get("fill")
    if fill:
        return render_assignment_form(request, campaign, plan, matrix.fill(fill, plan.overlap))
    try:
        changed = assign_topics(actor=request.user, plan=plan, assessors=matrix.chosen)
    except ActionRefused as refused:
        return render_assignment_form(request, campaign, plan, matrix, refused)
    told = ngettext("Saved; %(n)s topic changed.", "Saved; %(n)s topics changed.", changed)
    messages.success(request, told % {"n": changed})
    return redirect("judging", campaign.slug)


def render_assignment_form(
    request: SignedInRequest,
    campaign: Campaign,
    plan: Plan,
    matrix: AssignmentMatrix,
    refused: ActionRefused | None = None,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), "../../"), (_("Assignments"), None)],
        "plan": plan,
        "design": DESIGNS.get(plan.design),
        "matrix": matrix,
        "refused": refused,
    }
    return render(request, "judging/plan_assign.html", context)


@require_POST
def plan_pause_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Pause or resume a plan, or in it one ``assessor``, one ``topic``, one of one."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)
    paused = request.POST.get("paused") == "1"
    name, number = request.POST.get("assessor"), request.POST.get("topic")
    if not name and not number:
        pause_plan(actor=request.user, plan=plan, paused=paused)
        return redirect("judging", campaign.slug)
    seated = User.objects.filter(assignments__plan=plan, assignments__left=False).distinct()
    assessor = get_object_or_404(seated, username=name) if name else None
    topic = get_object_or_404(campaign.topics, number=number) if number else None
    changed = pause_work(
        actor=request.user, plan=plan, assessor=assessor, topic=topic, paused=paused
    )
    told = ngettext("%(n)s assignment resumed.", "%(n)s assignments resumed.", changed)
    if paused:
        told = ngettext("%(n)s assignment paused.", "%(n)s assignments paused.", changed)
    messages.success(request, told % {"n": changed})
    if name:
        return redirect("judging-assessor", campaign.slug, name)
    return redirect("judging", campaign.slug)


@require_POST
def plan_close_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for no more judgments under a plan."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    gone = close_plan(actor=request.user, plan=get_plan(campaign, pk))
    told = ngettext(
        "Closed; %(n)s judgment no longer asked for.",
        "Closed; %(n)s judgments no longer asked for.",
        gone,
    )
    messages.success(request, told % {"n": gone})
    return redirect("judging", campaign.slug)


@require_http_methods(["GET", "POST"])
def plan_reassign_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Hand what one assessor has not judged on to others: of all their topics, or of some."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)
    roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
    people = list(User.objects.filter(pk__in=roles).order_by("username"))
    name = request.POST.get("assessor") or request.GET.get("assessor", "")
    rows = plan.assignments.select_related("topic", "assessor")
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), "../../../"), (_("Hand on"), None)],
        "plan": plan,
        "givers": list(dict.fromkeys(row.assessor for row in rows)),
        "people": people,
        "giver": name,
        "topics": [row.topic for row in rows if row.assessor.username == name],
    }
    if request.method == "POST" and "show" not in request.POST:
        try:
            return reassign_and_redirect(request, campaign, plan, name, people)
        except ActionRefused as refused:
            context["refused"] = refused
    return render(request, "judging/plan_reassign.html", context)


def reassign_and_redirect(
    request: SignedInRequest, campaign: Campaign, plan: Plan, name: str, people: list[User]
) -> HttpResponse:
    giver = User.objects.filter(
        username=name, assignments__plan=plan, assignments__left=False
    ).first()
    if giver is None:
        fix = _("Choose somebody who has topics in this plan.")
        raise ActionRefused("whose", _("Say whose documents are handed on."), fix)
    to = [user for user in people if str(user.pk) in request.POST.getlist("to")]
    chosen = request.POST.getlist("topic")
    topics = list(campaign.topics.filter(number__in=chosen)) if chosen else None
    moved = reassign_work(actor=request.user, plan=plan, assessor=giver, to=to, topics=topics)
    messages.success(request, " ".join(iter_reassignment_messages(moved)))
    return redirect("judging", campaign.slug)


def iter_reassignment_messages(moved: Mapping[str, int]) -> Iterator[str]:
    """What handing on came to, in sentences."""
    count = moved["topics"]
    yield ngettext("%(n)s topic handed on.", "%(n)s topics handed on.", count) % {"n": count}
    if count := moved["moved"]:
        yield ngettext(
            "%(n)s reserved judgment dealt out.", "%(n)s reserved judgments dealt out.", count
        ) % {"n": count}
    if count := moved["stayed"]:
        yield _("%(n)s stayed, since the others have their part in them.") % {"n": count}
    if count := moved["returned"]:
        yield ngettext("%(n)s document taken back.", "%(n)s documents taken back.", count) % {
            "n": count
        }


def list_plan_topics(plan: Plan) -> list[Topic]:
    """Those with slots, and those to which the pool may still bring documents."""
    wanted = Q(pk__in=plan.slots.order_by().values("topic"))
    growing = Q(pk__in=plan.pool.growing.filter(ended=False).order_by().values("topic"))
    return list(Topic.objects.filter(wanted | growing))


def get_plan(campaign: Campaign, pk: int) -> Plan:
    plans = campaign.plans.filter(kind=Plan.Kind.JUDGE).select_related("pool", "campaign")
    return get_object_or_404(plans, pk=pk)
