"""Plans of pools that grow: who may share them out, and what may still come."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from campaigns.errors import ActionRefused
from judging.models import Plan, Slot
from judging.services.plan_slots import UnplannedPair
from pooling.models import Pool, PoolTopic
from pooling.queries import future_documents

FOR_GROWING = ("overlap",)
"""Designs that treat every document alike, and so also those still to come."""


def check_design(pool: Pool, design: str) -> None:
    if pool.is_adaptive and design not in FOR_GROWING:
        fix = "Use overlap: the others must know all documents beforehand."
        raise ActionRefused("pool-grows", f"This pool grows; {design} cannot share it out.", fix)


def max_future_judgments(pool: Pool, topics: Collection[str], overlap: int) -> int:
    """How many judgments may come of ``topics`` as ``pool`` grows; none of those that ended."""
    going_on = pool.campaign.topics.filter(number__in=topics, stopped=None)
    named = going_on.values_list("pk", flat=True)
    left = future_documents([pool.pk])
    return overlap * sum(left.get((pool.pk, topic), 0) for topic in named)


def check_not_grown(plan: Plan, pairs: Sequence[UnplannedPair]) -> None:
    """Refuse if a growing pool has asked for one of ``pairs`` since they were laid out."""
    growing = PoolTopic.objects.filter(pool__campaign=plan.campaign).values("pool")
    others = plan.campaign.plans.exclude(pk=plan.pk).filter(pool__in=growing).order_by()
    slots = Slot.objects.filter(plan__in=others)
    asked = set(slots.order_by().values_list("topic", "item__docno"))
    if any((pair.topic, pair.docno) in asked for pair in pairs):
        told = "A pool that grows has asked for some of these documents meanwhile."
        raise ActionRefused("planned-meanwhile", told, "Make this plan again.")
