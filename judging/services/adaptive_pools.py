"""Pools that grow while people judge: slots for the documents that come next."""

from __future__ import annotations

from functools import partial

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from judging.models import Plan, Purpose, Slot
from judging.queries.slots import assignments_in_adaptive_pools
from judging.queries.stopping import is_stopped
from judging.services.judgment_log import lock_judging, run_with_retries
from judging.services.plan_slots import (
    Standing,
    current_judgments_by_pair,
    fill_with_existing_judgments,
)
from pooling.core.session import LogMismatch
from pooling.queries import first_relevance
from pooling.services import adaptive_pools


def extend_adaptive_pools(actor: User, campaign: Campaign, topic: Topic | None, wanted: int) -> int:
    """Have the pools that ``actor`` judges bring at most ``wanted`` more; return how many came.

    The topics assigned to the actor are asked one after the other, or ``topic`` alone.
    """
    came = 0
    for seat in assignments_in_adaptive_pools(actor, campaign, topic):
        try:
            adaptive_pools.prepare_session(seat.plan.pool, seat.topic)
            came += run_with_retries(
                partial(extend_adaptive_topic, actor, seat.plan, seat.topic, wanted - came)
            )
        except LogMismatch as wrong:
            fix = "Tell an organizer: `manage.py check_pool` shows what is wrong."
            raise ActionRefused("pool-diverged", f"{wrong}.", fix) from wrong
        if came >= wanted:
            break
    return came


def extend_adaptive_topic(actor: User, plan: Plan, topic: Topic, wanted: int) -> int:
    """Make slots for the next documents of ``topic``, in a transaction of the caller's; return
    of how many ``actor`` may be asked, at most ``wanted``.

    None when the plan was closed or the topic ended meanwhile: nobody would get its slots. What
    others, or the actor, have said of a document without any plan fills its slots as in a new plan.
    """
    # Who makes or closes a plan, alone, sees these slots or is seen.
    lock_judging(plan.campaign)
    adaptive_pools.lock_topic(topic)
    if Plan.objects.filter(pk=plan.pk, paused=True).exists() or is_stopped(topic):
        return 0
    first = first_relevance(plan.campaign, topic)
    before, known = planned_docnos(plan, topic), current_judgments_by_pair(plan.campaign, topic)
    passed = before | docnos_closed_to(actor, plan, known)
    came = adaptive_pools.extend_pool_topic(
        pool=plan.pool,
        topic=topic,
        outcomes={docno: good for (_, docno), good in first.items()},
        passed=passed,
        limit=wanted,
    )
    fresh = [item for item in came if item.docno not in before]
    Slot.objects.bulk_create(
        Slot(plan=plan, item=item, topic=topic, k=k, position=item.position)
        for item in fresh
        for k in range(plan.overlap)
    )
    pairs = {(topic.pk, item.docno) for item in fresh}
    fill_with_existing_judgments(plan, {pair: known[pair] for pair in pairs & known.keys()})
    return sum(item.docno not in passed for item in fresh)


def docnos_closed_to(actor: User, plan: Plan, known: Standing) -> set[str]:
    """Docnos of ``known`` that the actor, or as many as the plan wants, have judged."""
    found = set()
    for (_, docno), said in known.items():
        grades = [judgment.grade for judgment in said if judgment.grade is not None]
        is_full = sum(grade >= 0 for grade in grades) >= plan.overlap
        if is_full or any(judgment.assessor_id == actor.pk for judgment in said):
            found.add(docno)
    return found


def planned_docnos(plan: Plan, topic: Topic) -> set[str]:
    """Docnos of the topic that a plan of the campaign has asked for, whatever the pool."""
    slots = Slot.objects.filter(plan__campaign=plan.campaign, topic=topic, purpose=Purpose.JUDGE)
    return set(slots.order_by().values_list("item__docno", flat=True))
