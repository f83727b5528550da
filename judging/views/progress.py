"""The organizer's judging overview, and the pages of one assessor and of flagged documents."""

from collections import Counter
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Role, User
from campaigns.queries.lists import get_campaign_for
from campaigns.services.campaigns import get_grade_scale
from campaigns.views.helpers import MOST_ROWS, SignedInRequest, paginate
from campaigns.views.pages import render_page
from campaigns.views.row_filters import build_row_filter, filter_rows
from judging.models import Assignment, Plan, Slot
from judging.queries.overview import (
    list_checked_out,
    list_checked_out_by_assessor,
    list_flagged,
    list_skipped,
    unplanned_counts,
)
from judging.queries.progress import (
    AssessorProgress,
    PlanProgress,
    TopicProgress,
    assessor_progress,
    mean_pace,
    plan_progress,
)
from judging.queries.tallies import add_to_tally
from judging.queries.training import list_training_progress
from judging.rules import FLAGS, SKIP_REASONS
from judging.services.slots import reopen_slot, return_all_slots
from poolbench.files.faults import format_count
from poolbench.judging.scale import list_taken_keys
from poolbench.shared_reads import share_reads

MAX_LISTED = 50
TABLE_ROWS = 100
"""Topics of a plan, or assessors, on one page of the overview: a row is over 1 kB of HTML."""
ORDERS = {"": "as in the campaign", "left": "most remaining first"}


@require_safe
@share_reads
def judging_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Progress by plan, topic and assessor; checked-out, skipped, flagged and unjudged pairs. Long
    tables have pages; ``q`` finds their rows, and ``order`` sorts topics.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    plans = plan_progress(campaign)
    people = assessor_progress(campaign, plans)
    workers = set(User.objects.filter(crowd_worker__campaign=campaign).values_list("pk", flat=True))
    crowd = [row for row in people if row.user.pk in workers]
    pace = mean_pace(row.pace for row in people)
    total, counts = add_to_tally(plan.tally for plan in plans), unplanned_counts(campaign)
    unjudged = counts["unjudged"] + counts["unplanned"]
    skipped, reasons = filter_rows(
        request, list_skipped(campaign), lambda row: row[1].reason if row[1] else "",
        parameter="reason", label="Reason", labels={k: str(v) for k, v in SKIP_REASONS.items()},
    )  # fmt: skip
    assessors = [row for row in people if row.user.pk not in workers]
    page = {
        "campaign": campaign,
        **build_progress_tables(request, plans, assessors),
        "total": total,
        "people_total": total_counts(people),
        "crowd": crowd,
        "crowd_total": total_counts(crowd),
        "pace": pace,
        "hours_left": total.left / pace if pace else None,
        "counts": counts,
        "unjudged": unjudged,
        "hours_unjudged": unjudged / pace if pace else None,
        "checked_out": list_checked_out_by_assessor(campaign),
        "skipped": skipped[:MAX_LISTED],
        "reasons": reasons,
        "flagged": list_flagged(campaign).count(),
        "has_duplicates": campaign.duplicates.exists(),
        "has_pool": campaign.pools.exists(),
        "taken_keys": " ".join(list_taken_keys(get_grade_scale(campaign))),
    }
    return render_page(request, "judging/judging.html", page)


def build_progress_tables(
    request: SignedInRequest, plans: Sequence[PlanProgress], people: Sequence[AssessorProgress]
) -> dict[str, object]:
    """Of each plan the page of topics, and that of assessors; ``is_long``: a table has several."""
    query, order = request.GET.get("q", "").strip(), request.GET.get("order", "")
    words = query.lower().split()
    topics = [select_topic_rows(plan.topics, words, order) for plan in plans]
    rows = [row for row in people if has_words(row.user.shown_name, words)]
    longest = max([len(people), *(len(plan.topics) for plan in plans)])
    return {
        "plans": [
            (plan, paginate(request, selected, TABLE_ROWS, plan.table_id))
            for plan, selected in zip(plans, topics, strict=True)
        ],
        "people": paginate(request, rows, TABLE_ROWS, "assessors"),
        "assessors": len(people),
        "is_long": longest > TABLE_ROWS,
        "rows_a_page": TABLE_ROWS,
        "q": query,
        "order": order,
        "orders": ORDERS.items(),
    }


def select_topic_rows(
    topics: Sequence[TopicProgress], words: Sequence[str], order: str
) -> list[TopicProgress]:
    """Those whose number, title or assessors have all of ``words``."""
    rows = [
        row
        for row in topics
        if not words or has_words(f"{row.topic.number} {row.topic.title} {row.names}", words)
    ]
    return sorted(rows, key=lambda row: -row.tally.open) if order == "left" else rows


def has_words(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)


def total_counts(people: list[AssessorProgress]) -> dict[str, int]:
    names = ("judged", "skipped", "checked_out", "remaining")
    return {name: sum(getattr(row, name) for row in people) for name in names}


@require_safe
@share_reads
def flagged_documents_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Documents that assessors flagged: unreadable, in another language, duplicate, unsure."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    rows = list_flagged(campaign)
    flags_by_row = dict(rows.values_list("pk", "flags"))
    counts = Counter(flag for flags in flags_by_row.values() for flag in flags)
    labels = {name: str(label) for name, label in FLAGS.items()}
    kinds = build_row_filter(request, "flag", "Flag", counts, labels, len(flags_by_row))
    if kinds.value:
        rows = rows.filter(pk__in=[pk for pk, each in flags_by_row.items() if kinds.value in each])
    page = {"campaign": campaign, "kinds": kinds, "page": paginate(request, rows, MOST_ROWS)}
    return render_page(request, "judging/flagged_documents.html", page)


@require_safe
@share_reads
def judging_assessor_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """One assessor: checked-out, judged, skipped, flagged and remaining documents."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    user = get_assessor(campaign, username)
    plans = plan_progress(campaign)
    own = assessor_progress(campaign, plans, user)
    assignments = Assignment.objects.filter(
        plan__campaign=campaign, plan__kind="judge", assessor=user
    ).exclude(plan__state=Plan.State.CLOSED)
    page = {
        "campaign": campaign,
        "person": user,
        "row": next(iter(own), None),
        "assignments": assignments.select_related("topic", "plan__pool").order_by(
            "-plan", "topic__position"
        ),
        "leases": list_checked_out(campaign, user),
        "skipped": list_skipped(campaign, user, MAX_LISTED),
        "flagged": list_flagged(campaign, user)[:MAX_LISTED],
        "trained": next(
            (t for t in list_training_progress(campaign) if t.user == user and t.total), None
        ),
        "own_plans": plans_of_user(plans, user),
        "now": timezone.now(),
    }
    return render_page(request, "judging/assessor.html", page)


def plans_of_user(plans: list[PlanProgress], user: User) -> list[tuple[PlanProgress, bool]]:
    """The plans that are not closed in which ``user`` has topics, and whether all are paused."""
    own_plans = []
    for plan in plans:
        seats = [seat for row in plan.topics for seat in row.assessors]
        own = [seat for seat in seats if seat.assessor == user]
        if own and not plan.plan.is_closed:
            own_plans.append((plan, all(seat.paused for seat in own)))
    return own_plans


@require_POST
def slots_return_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """Return all documents that an assessor has checked out."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    user = get_assessor(campaign, username)
    count = return_all_slots(actor=request.user, campaign=campaign, assessor=user)
    messages.success(request, f"{format_count(count, 'document')} returned.")
    return redirect("judging", campaign.slug)


@require_POST
def slot_reopen_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    slots = Slot.objects.filter(plan__campaign=campaign)
    slot = get_object_or_404(slots.select_related("plan__campaign", "topic", "item"), pk=pk)
    try:
        reopen_slot(actor=request.user, slot=slot)
        messages.success(request, "Document returned: the next assessor of its topic will get it.")
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("judging", campaign.slug)


def get_assessor(campaign: Campaign, username: str) -> User:
    """An assessor or adjudicator of the campaign, or a user with a slot in it."""
    roles = campaign.members.filter(role__in=(Role.ASSESSOR, Role.ADJUDICATOR)).values("user")
    users = User.objects.filter(pk__in=roles)
    if Slot.objects.filter(plan__campaign=campaign, assessor__username=username).exists():
        users = User.objects.all()
    return get_object_or_404(users, username=username)
