"""Pages of judging plans: create, assign, pause, reassign, close."""

from collections.abc import Iterator, Mapping
from functools import partial

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, Translation, User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.plans import AssignmentMatrix, PlanForm
from judging.models import Plan
from judging.queries.confirmations import describe_plan_closing
from judging.queries.progress import mean_pace, pace_by_user
from judging.queries.slots import list_assessors
from judging.queries.tallies import assignments_by_topic
from judging.services.assignments import assign_topics
from judging.services.plans import PlanPreview, close_plan, create_plan, pause_plan, preview_plan
from judging.services.slots import pause_work, reassign_work
from poolbench.files.faults import format_count
from poolbench.judging.designs.registry import DESIGNS


@require_http_methods(["GET", "POST"])
def plan_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose a pool, a design and who judges which topic; preview; create."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    matrix = AssignmentMatrix(campaign, list(campaign.topics.all()))
    if request.method == "GET":
        return render_plan_form(request, campaign, PlanForm(campaign), matrix.fill("turn", 1))
    form = PlanForm(campaign, request.POST)
    matrix.read_post(request.POST)
    valid, fill = form.is_valid(), request.POST.get("fill")
    if not valid or fill:
        return render_plan_form(
            request, campaign, form, matrix.fill(fill, form.count_assessors()) if fill else matrix
        )
    matrix.widen(form.count_assessors())
    people = {number: users for number, users in matrix.assigned.items() if users}
    arguments = {"actor": request.user, "pool": form.cleaned_data["pool"], "assessors": people}
    try:
        matrix.check_names()
        if "preview" in request.POST:
            preview = preview_plan(scheme=form.scheme(), **arguments)
            return render_plan_form(request, campaign, form, matrix, preview)
        plan = create_plan(scheme=form.scheme(), **arguments)
    except ActionRefused as refused:
        form.add_error(None, str(refused))
        return render_plan_form(request, campaign, form, matrix)
    messages.success(request, f"Plan created: {format_count(plan.slots.count(), 'judgment')}.")
    return redirect("judging", campaign.slug)


def render_plan_form(
    request: SignedInRequest,
    campaign: Campaign,
    form: PlanForm,
    matrix: AssignmentMatrix,
    preview: PlanPreview | None = None,
) -> HttpResponse:
    page = {
        "campaign": campaign,
        "form": form,
        "matrix": matrix,
        "designs": [design.card for design in DESIGNS.values()],
        "has_pool": campaign.pools.exists(),
        "has_translations": Translation.objects.filter(document__campaign=campaign).exists(),
        "preview": preview,
        **(estimate_hours(campaign, preview) if preview else {}),
    }
    return render_page(request, "judging/plan_new.html", page)


def estimate_hours(campaign: Campaign, preview: PlanPreview) -> dict[str, object]:
    """The hours of each assessor at their own pace or the mean pace, and of all."""
    paces = pace_by_user(campaign)
    mean = mean_pace(paces.values())
    rows = []
    for user, load in preview.loads:
        pace = (user.pk in paces and paces[user.pk].per_hour) or mean
        rows.append((user, load, load / pace if pace else None))
    hours = preview.forecast.judgments / mean if mean else None
    return {"rows": rows, "hours": hours, "repeats": round(preview.repeats)}


@require_http_methods(["GET", "POST"])
def plan_assign_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Assessors by topic under one plan."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)
    topics = list_plan_topics(plan)
    assignments = assignments_by_topic([campaign.pk])
    assigned = {t.number: [seat.assessor for seat in assignments[plan.pk, t.pk]] for t in topics}
    matrix = AssignmentMatrix(campaign, topics).assign(assigned)
    if request.method == "GET":
        return render_assignment_form(request, campaign, plan, matrix)
    matrix.read_post(request.POST)
    needed = plan.overlap + bool(plan.third_from)
    if fill := request.POST.get("fill"):
        return render_assignment_form(request, campaign, plan, matrix.fill(fill, needed))
    try:
        matrix.check_names()
        changed = assign_topics(actor=request.user, plan=plan, assessors=matrix.assigned)
    except ActionRefused as refused:
        return render_assignment_form(request, campaign, plan, matrix, refused)
    changes = format_count(changed, "topic")
    messages.success(request, f"Assignments saved: {changes} changed.")
    return redirect("judging", campaign.slug)


def render_assignment_form(
    request: SignedInRequest,
    campaign: Campaign,
    plan: Plan,
    matrix: AssignmentMatrix,
    refused: ActionRefused | None = None,
) -> HttpResponse:
    page = {
        "campaign": campaign,
        "plan": plan,
        "design": DESIGNS.get(plan.design),
        "matrix": matrix,
        "refused": refused,
    }
    return render_page(request, "judging/plan_assign.html", page)


@require_POST
def plan_pause_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Pause or resume a plan, or within it an ``assessor``, a ``topic``, or one assignment."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)
    paused = request.POST.get("paused") == "1"
    name, number = request.POST.get("assessor"), request.POST.get("topic")
    if not name and not number:
        pause_plan(actor=request.user, plan=plan, paused=paused)
        return redirect("judging", campaign.slug)
    assigned = User.objects.filter(assignments__plan=plan, assignments__left=False).distinct()
    assessor = get_object_or_404(assigned, username=name) if name else None
    topic = get_object_or_404(campaign.topics, number=number) if number else None
    changed = pause_work(
        actor=request.user, plan=plan, assessor=assessor, topic=topic, paused=paused
    )
    done = "paused" if paused else "resumed"
    messages.success(request, f"{format_count(changed, 'assignment')} {done}.")
    if name:
        return redirect("judging-assessor", campaign.slug, name)
    return redirect("judging", campaign.slug)


@require_http_methods(["GET", "POST"])
def plan_close_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before a plan is closed; its form closes it."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)

    def act(decision: Decision) -> HttpResponse:
        was_closed = plan.is_closed
        count = close_plan(actor=request.user, plan=plan, decision=decision)
        message = (
            f"{format_count(count, 'expired lease')} canceled."
            if was_closed
            else f"Plan closed; {format_count(count, 'judgment')} canceled."
        )
        messages.success(request, message)
        return redirect("judging", campaign.slug)

    describe = partial(describe_plan_closing, plan)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def plan_reassign_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Reassign an assessor's remaining work to others: all topics, or some."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plan = get_plan(campaign, pk)
    people = list(list_assessors(campaign))
    name = request.POST.get("assessor") or request.GET.get("assessor", "")
    rows = plan.assignments.select_related("topic", "assessor")
    page: dict[str, object] = {
        "campaign": campaign,
        "plan": plan,
        "assigned": list(dict.fromkeys(row.assessor for row in rows)),
        "people": people,
        "selected": name,
        "topics": [row.topic for row in rows if row.assessor.username == name],
        "refused": None,
    }
    if request.method == "POST" and "show" not in request.POST:
        try:
            return reassign_and_redirect(request, campaign, plan, name, people)
        except ActionRefused as refused:
            page["refused"] = refused
    return render_page(request, "judging/plan_reassign.html", page)


def reassign_and_redirect(
    request: SignedInRequest, campaign: Campaign, plan: Plan, name: str, people: list[User]
) -> HttpResponse:
    assessor = User.objects.filter(
        username=name, assignments__plan=plan, assignments__left=False
    ).first()
    if assessor is None:
        fix = "Choose an assessor with topics in this plan."
        raise ActionRefused("whose", "Choose the assessor whose documents are reassigned.", fix)
    to = [user for user in people if str(user.pk) in request.POST.getlist("to")]
    numbers = request.POST.getlist("topic")
    topics = list(campaign.topics.filter(number__in=numbers)) if numbers else None
    moved = reassign_work(actor=request.user, plan=plan, assessor=assessor, to=to, topics=topics)
    messages.success(request, " ".join(iter_reassignment_messages(moved)))
    return redirect("judging", campaign.slug)


def iter_reassignment_messages(moved: Mapping[str, int]) -> Iterator[str]:
    """The result of a reassignment, in sentences."""
    yield f"{format_count(moved['topics'], 'topic')} reassigned."
    if count := moved["moved"]:
        yield f"{format_count(count, 'reserved judgment')} reassigned."
    if count := moved["stayed"]:
        pairs = "pair" if count == 1 else "pairs"
        yield f"{count} not reassigned: the new assessors are already involved in the {pairs}."
    if count := moved["returned"]:
        yield f"{format_count(count, 'document')} returned."


def list_plan_topics(plan: Plan) -> list[Topic]:
    """Topics with slots, and topics that an adaptive pool may still extend."""
    planned = Q(pk__in=plan.slots.order_by().values("topic"))
    growing = Q(pk__in=plan.pool.growing.filter(ended=False).order_by().values("topic"))
    return list(Topic.objects.filter(planned | growing))


def get_plan(campaign: Campaign, pk: int) -> Plan:
    plans = campaign.plans.filter(kind=Plan.Kind.JUDGE).select_related("pool", "campaign")
    return get_object_or_404(plans, pk=pk)
