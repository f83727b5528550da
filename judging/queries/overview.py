"""The organizer's overview: checked out, skipped, flagged, extra and unjudged documents."""

from collections import Counter
from collections.abc import Hashable
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max, Min, Q, QuerySet
from django.utils import timezone

from campaigns.models import Campaign, User
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ON_SCREEN, later_revisions, mark_counting_rows
from judging.queries.slot_counts import (
    count_campaign_slots,
    count_pairs_without_plan,
    identify_slots,
    list_planned_topics,
    list_plans,
    list_shared_topics,
)
from judging.rules import THIRD_K
from poolbench.cache import Cache
from pooling.queries.judgment_log import NONE, identify_log, read_judgment_log

State = Slot.State
_unjudged: Cache[tuple[Hashable, ...], int] = Cache(64)
"""By the slots of a campaign, those that are judged, and the log."""
_has_thirds: Cache[tuple[Hashable, ...], bool] = Cache(64)
"""By the slots of a campaign."""


def list_checked_out_by_assessor(campaign: Campaign) -> list[dict[str, Any]]:
    """Assessors and adjudicators with checked-out documents, earliest check-out first: their count,
    first check-out, last expiry, and how many have expired.
    """
    now = timezone.now()
    # With the purposes, all of them, the few slots are found in an index.
    plans = list(campaign.plans.order_by().values_list("pk", flat=True))
    rows = list(
        Slot.objects.filter(plan__in=plans, purpose__in=[*Purpose], state=State.LEASED)
        .order_by()
        .values("assessor")
        .annotate(
            count=Count("pk"),
            since=Min("leased_at"),
            until=Max("expires_at"),
            lapsed=Count("pk", filter=Q(expires_at__lte=now)),
        )
        .order_by("since")
    )
    users = User.objects.in_bulk([row["assessor"] or 0 for row in rows])
    return [{**row, "user": users[row["assessor"] or 0]} for row in rows]


def list_checked_out(campaign: Campaign, assessor: User) -> QuerySet[Slot]:
    """The documents checked out to ``assessor``, earliest first."""
    out = Slot.objects.filter(plan__campaign=campaign, state=State.LEASED, assessor=assessor)
    return out.select_related("topic", "item").order_by("leased_at")


def list_skipped(
    campaign: Campaign, assessor: User | None = None, limit: int | None = None
) -> list[tuple[Slot, Judgment | None]]:
    """Skipped slots, each with its skip and reason."""
    slots = Slot.objects.filter(plan__campaign=campaign, state=State.SKIPPED, purpose=Purpose.JUDGE)
    if assessor is not None:
        slots = slots.filter(assessor=assessor)
    slots = slots.select_related("topic", "assessor", "item").order_by("topic__position", "pk")
    listed = list(slots[:limit])
    skips = Judgment.objects.filter(kind=Judgment.Kind.SKIP, slot__in=[s.pk for s in listed])
    skip_by_slot = {row.slot_id: row for row in skips.order_by("pk")}
    return [(slot, skip_by_slot.get(slot.pk)) for slot in listed]


def list_flagged(campaign: Campaign, assessor: User | None = None) -> QuerySet[Judgment]:
    """Current judgments and skips with flags, by topic and docno."""
    # Few judgments have any, and only theirs are worth a look for later ones.
    flagged = read_judgment_log(campaign).flagged
    rows = Judgment.objects.filter(campaign=campaign, pk__in=flagged, purpose__in=ON_SCREEN)
    if assessor is not None:
        rows = rows.filter(assessor=assessor)
    rows = rows.exclude(kind=Judgment.Kind.WITHDRAWN)
    rows = rows.filter(~Exists(later_revisions()))
    return rows.select_related("topic", "assessor").order_by("topic__position", "docno", "pk")


def unplanned_counts(campaign: Campaign) -> dict[str, int]:
    """Counts outside a plan's tally. ``thirds`` are third judgments after a disagreement, open or
    given; ``unjudged`` pairs have a plan and no judgment; ``unplanned`` pairs of the newest pool
    have no plan; ``extra`` judgments fill no slot.
    """
    thirds, repeats = count_thirds(campaign), Counter[str]()
    for row in count_campaign_slots(campaign):
        if row.purpose == Purpose.REPEAT:
            repeats[row.state] += row.size
    pool, log = campaign.pools.first(), read_judgment_log(campaign)
    loose = log.select_rows(Purpose.JUDGE, Judgment.Kind.GRADE) & (log.numbers["slot_id"] == NONE)
    loose &= mark_counting_rows(campaign, log)
    return {
        "thirds_open": thirds[State.OPEN] + thirds[State.LEASED],
        "thirds_given": thirds[State.JUDGED],
        "repeats_open": repeats[State.OPEN] + repeats[State.LEASED],
        "repeats_given": repeats[State.JUDGED],
        "unjudged": count_unjudged_pairs(campaign),
        "unplanned": sum(count_pairs_without_plan(pool).values()) if pool else 0,
        "extra": int(np.count_nonzero(loose)),
    }


def count_unjudged_pairs(campaign: Campaign) -> int:
    """The number of pairs with slots of which none is judged."""
    shared = list_shared_topics(campaign)
    rows = [row for row in count_campaign_slots(campaign) if row.purpose == Purpose.JUDGE]
    single = (row.size for row in rows if row.state != State.JUDGED and row.topic not in shared)

    def count_in_shared_topics() -> int:
        # In the order of an index, without a look at the other slots of each document.
        judged = Slot.objects.filter(
            plan__in=list_plans(campaign), purpose=Purpose.JUDGE, topic__in=shared,
            state=State.JUDGED,
        ).order_by()  # fmt: skip
        by_topic = judged.values_list("topic").annotate(n=Count("item", distinct=True))
        planned = sum(row.documents for row in list_planned_topics(campaign) if row.topic in shared)
        judged_pairs: int = sum(count for _topic, count in by_topic)
        return planned - judged_pairs

    # Which slots are judged changes with a row of the log only, and so do their counts.
    judged = (row for row in rows if row.state == State.JUDGED)
    key = (*identify_slots(campaign), *judged, *identify_log(campaign))
    return sum(single) + _unjudged.get_or_compute(key, count_in_shared_topics)


def count_thirds(campaign: Campaign) -> Counter[str]:
    """The slots of third judgments by state."""
    thirds = Slot.objects.filter(
        plan__campaign=campaign, plan__kind=Plan.Kind.JUDGE, k=THIRD_K, purpose=Purpose.JUDGE
    ).order_by()
    if not _has_thirds.get_or_compute(identify_slots(campaign), thirds.exists):
        return Counter()
    return Counter(dict(thirds.values_list("state").annotate(Count("pk"))))
