"""Plans of adaptive pools: which designs fit, and how many judgments may still come."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from campaigns.errors import ActionRefused
from judging.models import Plan, Slot
from judging.services.plan_slots import UnplannedPair
from pooling.models import Pool, PoolTopic
from pooling.queries import future_documents

ADAPTIVE_DESIGNS = ("overlap",)
"""Designs that treat all documents alike, and so also those still to come."""


def check_design(pool: Pool, design: str) -> None:
    if pool.grows and design not in ADAPTIVE_DESIGNS:
        fix = "Use overlap: other designs must know all documents in advance."
        raise ActionRefused("pool-grows", f"{design} does not support adaptive pools.", fix)


def max_future_judgments(pool: Pool, topics: Collection[str], overlap: int) -> int:
    """The most judgments that ``topics`` may still need as ``pool`` grows; 0 for complete ones."""
    going_on = pool.campaign.topics.filter(number__in=topics, stopped=None)
    named = going_on.values_list("pk", flat=True)
    left = future_documents([pool.pk])
    return overlap * sum(left.get((pool.pk, topic), 0) for topic in named)


def check_not_grown(plan: Plan, pairs: Sequence[UnplannedPair]) -> None:
    """Refuse if an adaptive pool has added one of ``pairs`` to a plan in the meantime."""
    growing = PoolTopic.objects.filter(pool__campaign=plan.campaign).values("pool")
    others = plan.campaign.plans.exclude(pk=plan.pk).filter(pool__in=growing).order_by()
    slots = Slot.objects.filter(plan__in=others)
    planned = set(slots.order_by().values_list("topic", "item__docno"))
    if any((pair.topic, pair.docno) in planned for pair in pairs):
        message = "An adaptive pool has planned some of these documents in the meantime."
        raise ActionRefused("planned-meanwhile", message, "Create this plan again.")
