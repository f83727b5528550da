"""Counts of all slots of a campaign, read from an index alone (``slot_tally``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable
from typing import NamedTuple

from django.db.models import Count, Max

from campaigns.models import Campaign
from judging.models import Plan, PropagatedPair, Purpose, Slot
from poolbench.cache import Cache
from poolbench.shared_reads import read_once
from pooling.models import Pool, PoolItem

_planned: Cache[tuple[Hashable, ...], list[PlannedTopic]] = Cache(64)
_without_plan: Cache[tuple[Hashable, ...], dict[int, int]] = Cache(64)
"""Both by the slots of a campaign, see ``identify_slots``; the second also by pool."""


class PlannedTopic(NamedTuple):
    """The slots to judge of a pool and topic, by ID, and the documents that they are for."""

    pool: int
    topic: int
    slots: int
    documents: int


class SlotCount(NamedTuple):
    """The number of slots of a plan and topic with this purpose, state and assessor, by ID."""

    plan: int
    purpose: str
    topic: int
    state: str
    assessor: int | None
    size: int


def count_slots(plans: Collection[int]) -> list[SlotCount]:
    """All slots of ``plans`` (ids)."""

    def read() -> list[SlotCount]:
        # No other column and no join, in the order of the index: nothing is sorted.
        rows = Slot.objects.filter(plan__in=plans).order_by()
        columns = ("plan", "purpose", "topic", "state", "assessor")
        return [SlotCount(*row) for row in rows.values_list(*columns).annotate(n=Count("*"))]

    return read_once(("slots", *sorted(plans)), read)


def count_campaign_slots(campaign: Campaign) -> list[SlotCount]:
    """All slots of the campaign's judging plans."""
    return count_slots(list_plans(campaign))


def list_plans(campaign: Campaign) -> list[int]:
    """The IDs of the judging plans."""
    plans = campaign.plans.filter(kind=Plan.Kind.JUDGE).order_by("pk")
    return read_once(("plans", campaign.pk), lambda: list(plans.values_list("pk", flat=True)))


def identify_slots(campaign: Campaign) -> tuple[Hashable, ...]:
    """Changes when a slot to judge is added or removed, not with the state of one.

    Which document a slot is for never changes, and numbers only rise: after a removal the count
    differs, and after an addition the highest number.
    """
    counts = count_campaign_slots(campaign)
    by_plan = {row.plan: 0 for row in counts}
    for row in counts:
        by_plan[row.plan] += row.size if row.purpose == Purpose.JUDGE else 0
    last = Slot.objects.order_by().aggregate(last=Max("pk"))["last"]
    return campaign.pk, campaign.created_at, tuple(sorted(by_plan.items())), last


def list_shared_topics(campaign: Campaign) -> frozenset[int]:
    """The topics (ids) in which any document has several slots to judge; in all others each has
    one at most.
    """
    planned = list_planned_topics(campaign)
    return frozenset(row.topic for row in planned if row.slots > row.documents)


def list_planned_topics(campaign: Campaign) -> list[PlannedTopic]:
    def read() -> list[PlannedTopic]:
        slots = Slot.objects.filter(plan__in=list_plans(campaign), purpose=Purpose.JUDGE).order_by()
        rows = slots.values_list("plan__pool", "topic")
        counts = rows.annotate(slots=Count("*"), documents=Count("item", distinct=True))
        return [PlannedTopic(*row) for row in counts]

    return _planned.get_or_compute(identify_slots(campaign), read)


def count_pairs_without_plan(pool: Pool) -> dict[int, int]:
    """By topic (ids): pairs of ``pool`` that are in no plan of the campaign, of whichever pool."""
    size = pool.items.count() if pool.is_adaptive else pool.size
    planned = sum(
        row.documents for row in list_planned_topics(pool.campaign) if row.pool == pool.pk
    )
    if planned == size:
        return {}
    key = (*identify_slots(pool.campaign), pool.pk, size)
    return _without_plan.get_or_compute(key, lambda: _count_pairs_without_plan(pool))


def _count_pairs_without_plan(pool: Pool) -> dict[int, int]:
    planned = Slot.objects.filter(plan__campaign=pool.campaign_id, purpose=Purpose.JUDGE)
    # Not slot by slot for each item: a topic has thousands of both.
    own = planned.filter(plan__pool=pool).order_by().values("item")
    free = PoolItem.objects.filter(pool=pool).exclude(pk__in=own).order_by()
    others = planned.exclude(plan__pool=pool).order_by()
    elsewhere = set(others.values_list("topic", "item__docno").distinct())
    propagated = PropagatedPair.objects.filter(topic__campaign=pool.campaign_id).order_by()
    elsewhere.update(propagated.values_list("topic", "docno"))
    if elsewhere:
        pairs = free.values_list("topic", "docno")
        return dict(Counter(topic for topic, docno in pairs if (topic, docno) not in elsewhere))
    return dict(free.values_list("topic").annotate(Count("pk")))
