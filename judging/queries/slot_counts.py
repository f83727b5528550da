"""Counts of the slots of a campaign, read from an index alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable
from typing import Any, NamedTuple

from django.db.models import Count, Func, Max, OuterRef, QuerySet, Subquery, Value

from campaigns.models import Campaign
from judging.models import Plan, PropagatedPair, Purpose, Slot
from poolbench.cache import Cache
from poolbench.shared_reads import find_read, read_once
from pooling.models import Pool, PoolItem
from pooling.queries.frozen_pools import is_drawn_at_random

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


def count_slots(plans: Collection[int], **values: object) -> list[SlotCount]:
    """All slots of ``plans`` (ids), or those with these ``values``, such as an ``assessor``,
    which are few and found in an index.
    """
    key = ("slots", *sorted(plans))
    if values and find_read(key) is None:
        few = Slot.objects.filter(plan__in=plans, purpose__in=[*Purpose], **values)
        return read_once((*key, *values.items()), lambda: _count_slots(few))
    rows = read_once(key, lambda: _count_slots(Slot.objects.filter(plan__in=plans)))
    return [row for row in rows if all(getattr(row, name) == values[name] for name in values)]


def _count_slots(slots: QuerySet[Slot]) -> list[SlotCount]:
    # No other column and no join, in the order of the index: nothing is sorted.
    columns = ("plan", "purpose", "topic", "state", "assessor")
    rows = slots.order_by().values_list(*columns).annotate(n=Count("*"))
    return [SlotCount(*row) for row in rows]


def count_campaign_slots(campaign: Campaign, **values: object) -> list[SlotCount]:
    """All slots of the campaign's judging plans, or those with these ``values``."""
    return count_slots(list_plans(campaign), **values)


def count_slots_to_judge(plans: Collection[int]) -> Counter[tuple[int, str]]:
    """The slots to judge of ``plans`` by plan (id) and state: what every page shows."""
    key = ("slots", *sorted(plans))
    counts = Counter[tuple[int, str]]()
    if find_read(key) is not None:
        for row in count_slots(plans):
            counts[row.plan, row.state] += row.size if row.purpose == Purpose.JUDGE else 0
        return counts

    def read() -> list[tuple[Any, ...]]:
        sizes = {f"slots_{state}": Subquery(_count_in_state(state)) for state in Slot.State}
        rows = Plan.objects.filter(pk__in=plans).order_by()
        return list(rows.annotate(**sizes).values_list("pk", *sizes))

    for pk, *sizes in read_once(("slots to judge", *key), read):
        counts.update({(pk, state): n for state, n in zip(Slot.State, sizes, strict=True)})
    return counts


def _count_in_state(state: str) -> QuerySet[Any, Any]:
    """Within a query of plans. Without GROUP BY, which takes longer than to read the index."""
    slots = Slot.objects.filter(plan=OuterRef("pk"), purpose=Purpose.JUDGE, state=state)
    return slots.order_by().annotate(n=Func(Value(1), function="COUNT")).values("n")


def list_plans(campaign: Campaign) -> list[int]:
    """The IDs of the judging plans."""
    plans = campaign.plans.filter(kind=Plan.Kind.JUDGE).order_by("pk")
    return read_once(("plans", campaign.pk), lambda: list(plans.values_list("pk", flat=True)))


def identify_slots(campaign: Campaign) -> tuple[Hashable, ...]:
    """Changes when a slot to judge is added or removed, not with the state of one.

    Which document a slot is for never changes, and numbers only rise: after a removal the count
    differs, and after an addition the highest number.
    """
    by_plan = Counter[int]()
    for (plan, _state), size in count_slots_to_judge(list_plans(campaign)).items():
        by_plan[plan] += size
    last = read_once("last slot", lambda: Slot.objects.aggregate(last=Max("pk"))["last"])
    return campaign.pk, campaign.created_at, tuple(sorted(by_plan.items())), last


def list_shared_topics(campaign: Campaign) -> frozenset[int]:
    """The topics (ids) in which any document has several slots to judge; in all others each has
    one at most.
    """
    planned = list_planned_topics(campaign)
    return frozenset(row.topic for row in planned if row.slots > row.documents)


def list_planned_topics(campaign: Campaign) -> list[PlannedTopic]:
    return _planned.get_or_compute(
        identify_slots(campaign), lambda: _list_planned_topics(list_plans(campaign))
    )


def _list_planned_topics(plans: Collection[int]) -> list[PlannedTopic]:
    pools = dict(Plan.objects.filter(pk__in=plans).values_list("pk", "pool"))
    slots = Slot.objects.filter(plan__in=plans, purpose=Purpose.JUDGE).order_by()
    sizes = {"slots": Count("*"), "documents": Count("item", distinct=True)}
    planned: dict[tuple[int, int], PlannedTopic] = {}
    several = set[int]()
    # By plan, in the order of the index, and by pool where several plans have a topic of it.
    for plan, topic, *counts in slots.values_list("plan", "topic").annotate(**sizes):
        if (pools[plan], topic) in planned:
            several.add(topic)
        planned[pools[plan], topic] = PlannedTopic(pools[plan], topic, *counts)
    if several:
        again = slots.filter(topic__in=several).values_list("plan__pool", "topic")
        planned |= {row[:2]: PlannedTopic(*row) for row in again.annotate(**sizes)}
    return list(planned.values())


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


def list_pairs_judged_by_others(pool: Pool) -> set[tuple[int, str]]:
    """Pairs of the campaign that ``pool`` need not plan, since duplicates are judged for them. A
    sample needs them: what is drawn has to be measured itself.
    """
    if is_drawn_at_random(pool):
        return set()
    pairs = PropagatedPair.objects.filter(topic__campaign=pool.campaign_id).order_by()
    return set(pairs.values_list("topic", "docno"))


def _count_pairs_without_plan(pool: Pool) -> dict[int, int]:
    planned = Slot.objects.filter(plan__campaign=pool.campaign_id, purpose=Purpose.JUDGE)
    # Not slot by slot for each item: a topic has thousands of both.
    own = planned.filter(plan__pool=pool).order_by().values("item")
    free = PoolItem.objects.filter(pool=pool).exclude(pk__in=own).order_by()
    others = planned.exclude(plan__pool=pool).order_by()
    elsewhere = set(others.values_list("topic", "item__docno").distinct())
    elsewhere |= list_pairs_judged_by_others(pool)
    if elsewhere:
        pairs = free.values_list("topic", "docno")
        return dict(Counter(topic for topic, docno in pairs if (topic, docno) not in elsewhere))
    return dict(free.values_list("topic").annotate(Count("pk")))
