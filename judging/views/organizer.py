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

from campaigns.errors import Refused
from campaigns.models import Campaign, Role, User
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.models import Assignment, Slot
from judging.queries.overview import flagged, holders, leases, skipped, standing
from judging.queries.progress import (
    PlanProgress,
    add,
    assessor_progress,
    mean_pace,
    plan_progress,
)
from judging.queries.training_results import trained
from judging.services.slots import reopen, return_slots

SHOWN, PAGE = 50, 100


@require_safe
def judging(request: SignedIn, slug: str) -> HttpResponse:
    """How the judging goes: by plan, topic and assessor; what is out, skipped, marked, open."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    plans = plan_progress(campaign)
    people = assessor_progress(campaign, plans)
    pace = mean_pace(row.pace for row in people)
    total, found = add(plan.tally for plan in plans), standing(campaign)
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
        "holders": holders(campaign),
        "skipped": skipped(campaign, limit=SHOWN),
        "flagged": flagged(campaign).count(),
        "training": campaign.training.count(),
        "has_pool": campaign.pools.exists(),
    }
    return render(request, "judging/judging.html", context)


@require_safe
def flags(request: SignedIn, slug: str) -> HttpResponse:
    """Documents that assessors marked: broken, in another language, a duplicate."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), "../"), (_("Marked documents"), None)],
        "page": Paginator(flagged(campaign), PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "judging/flags.html", context)


@require_safe
def assessor(request: SignedIn, slug: str, username: str) -> HttpResponse:
    """One assessor: what they hold, have judged, skipped and marked, and what is left to them."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    user = assessor_named(campaign, username)
    plans = plan_progress(campaign)
    rows = {row.user.pk: row for row in assessor_progress(campaign, plans)}
    seats = Assignment.objects.filter(plan__campaign=campaign, plan__kind="judge", assessor=user)
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judging"), "../../"), (user.shown_name, None)],
        "person": user,
        "row": rows.get(user.pk),
        "seats": seats.select_related("topic", "plan__pool").order_by("-plan", "topic__position"),
        "leases": leases(campaign, user),
        "skipped": skipped(campaign, user, SHOWN),
        "flagged": flagged(campaign, user)[:SHOWN],
        "trained": next((t for t in trained(campaign) if t.user == user and t.of), None),
        "own_plans": own_plans(plans, user),
        "now": timezone.now(),
    }
    return render(request, "judging/assessor.html", context)


def own_plans(plans: list[PlanProgress], user: User) -> list[tuple[PlanProgress, bool]]:
    """The plans in which ``user`` has topics, and whether all of these are paused."""
    found = []
    for plan in plans:
        seats = [seat for row in plan.topics for seat in row.seats if seat.user == user]
        if seats:
            found.append((plan, all(seat.paused for seat in seats)))
    return found


@require_POST
def slots_return(request: SignedIn, slug: str, username: str) -> HttpResponse:
    """Take back all that one assessor has out."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    user = assessor_named(campaign, username)
    given = return_slots(actor=request.user, campaign=campaign, assessor=user)
    told = ngettext("%(n)s document came back.", "%(n)s documents came back.", given)
    messages.success(request, told % {"n": given})
    return redirect("judging", campaign.slug)


@require_POST
def slot_reopen(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    slots = Slot.objects.filter(plan__campaign=campaign)
    slot = get_object_or_404(slots.select_related("plan__campaign", "topic", "item"), pk=pk)
    try:
        reopen(actor=request.user, slot=slot)
        messages.success(request, _("The document goes to the next assessor of its topic."))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("judging", campaign.slug)


def assessor_named(campaign: Campaign, username: str) -> User:
    """An assessor or adjudicator of the campaign, or whoever has or had a slot in it."""
    roles = campaign.members.filter(role__in=(Role.ASSESSOR, Role.ADJUDICATOR)).values("user")
    taken = Slot.objects.filter(plan__campaign=campaign, assessor__username=username)
    known = User.objects.filter(pk__in=roles)
    if taken.exists():
        known = User.objects.all()
    return get_object_or_404(known, username=username)
