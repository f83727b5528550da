"""Counts of all slots of a campaign, read from an index alone (``slot_tally``)."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import NamedTuple

from django.db.models import Count, F, Max

from campaigns.models import Campaign
from judging.models import Plan, Purpose, Slot
from poolbench.cache import Cache
from poolbench.shared_reads import read_once

_shared: Cache[tuple[Hashable, ...], frozenset[int]] = Cache(64)
"""By the slots of a campaign, see ``identify_slots``."""


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

    def read() -> frozenset[int]:
        slots = Slot.objects.filter(plan__in=list_plans(campaign), purpose=Purpose.JUDGE).order_by()
        counts = slots.values("topic").annotate(
            slots=Count("*"), documents=Count("item", distinct=True)
        )
        several = counts.filter(slots__gt=F("documents"))
        return frozenset(several.values_list("topic", flat=True))

    return _shared.get_or_compute(identify_slots(campaign), read)
