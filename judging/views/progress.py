"""The organizer's judging page, and the pages of one assessor and of what was marked."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Role, User
from campaigns.queries import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from judging.models import Assignment, Slot
from judging.queries.overview import (
    list_checked_out,
    list_checked_out_by_assessor,
    list_flagged,
    list_skipped,
    unplanned_counts,
)
from judging.queries.progress import (
    PlanProgress,
    add_to_tally,
    assessor_progress,
    mean_pace,
    plan_progress,
)
from judging.queries.training_results import list_training_progress
from judging.services.slots import reopen_slot, return_all_slots

SHOWN, PAGE = 50, 100


@require_safe
def judging_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """How the judging goes: by plan, topic and assessor; what is out, skipped, marked, open."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plans = plan_progress(campaign)
    people = assessor_progress(campaign, plans)
    pace = mean_pace(row.pace for row in people)
    total, found = add_to_tally(plan.tally for plan in plans), unplanned_counts(campaign)
    holes = found.unjudged + found.unplanned
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), None)],
        "plans": plans,
        "total": total,
        "people": people,
        "pace": pace,
        "hours_left": total.left / pace if pace else None,
        "found": found,
        "holes": holes,
        "hours_holes": holes / pace if pace else None,
        "holders": list_checked_out_by_assessor(campaign),
        "skipped": list_skipped(campaign, limit=SHOWN),
        "flagged": list_flagged(campaign).count(),
        "training": campaign.training.count(),
        "has_pool": campaign.pools.exists(),
    }
    return render(request, "judging/judging.html", context)


@require_safe
def flagged_documents_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Documents that assessors marked: broken, in another language, a duplicate."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), "../"), (_("Marked documents"), None)],
        "page": Paginator(list_flagged(campaign), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "judging/flags.html", context)


@require_safe
def judging_assessor_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """One assessor: what they hold, have judged, skipped and marked, and what is left to them."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    user = get_assessor(campaign, username)
    plans = plan_progress(campaign)
    rows = {row.user.pk: row for row in assessor_progress(campaign, plans)}
    seats = Assignment.objects.filter(plan__campaign=campaign, plan__kind="judge", assessor=user)
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), "../../"), (user.shown_name, None)],
        "person": user,
        "row": rows.get(user.pk),
        "seats": seats.select_related("topic", "plan__pool").order_by("-plan", "topic__position"),
        "leases": list_checked_out(campaign, user),
        "skipped": list_skipped(campaign, user, SHOWN),
        "flagged": list_flagged(campaign, user)[:SHOWN],
        "trained": next(
            (t for t in list_training_progress(campaign) if t.user == user and t.total), None
        ),
        "own_plans": plans_of_user(plans, user),
        "now": timezone.now(),
    }
    return render(request, "judging/assessor.html", context)


def plans_of_user(plans: list[PlanProgress], user: User) -> list[tuple[PlanProgress, bool]]:
    """The plans in which ``user`` has topics, and whether all of these are paused."""
    found = []
    for plan in plans:
        seats = [seat for row in plan.topics for seat in row.assessors if seat.user == user]
        if seats:
            found.append((plan, all(seat.paused for seat in seats)))
    return found


@require_POST
def slots_return_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """Take back all that one assessor has out."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    user = get_assessor(campaign, username)
    given = return_all_slots(actor=request.user, campaign=campaign, assessor=user)
    told = ngettext("%(n)s document came back.", "%(n)s documents came back.", given)
    messages.success(request, told % {"n": given})
    return redirect("judging", campaign.slug)


@require_POST
def slot_reopen_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    slots = Slot.objects.filter(plan__campaign=campaign)
    slot = get_object_or_404(slots.select_related("plan__campaign", "topic", "item"), pk=pk)
    try:
        reopen_slot(actor=request.user, slot=slot)
        messages.success(request, _("The document goes to the next assessor of its topic."))
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("judging", campaign.slug)


def get_assessor(campaign: Campaign, username: str) -> User:
    """An assessor or adjudicator of the campaign, or whoever has or had a slot in it."""
    roles = campaign.members.filter(role__in=(Role.ASSESSOR, Role.ADJUDICATOR)).values("user")
    taken = Slot.objects.filter(plan__campaign=campaign, assessor__username=username)
    known = User.objects.filter(pk__in=roles)
    if taken.exists():
        known = User.objects.all()
    return get_object_or_404(known, username=username)
