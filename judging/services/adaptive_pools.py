"""Adaptive pools: slots for the documents that are added while assessors judge."""

from functools import partial

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from judging.models import Plan, Purpose, Slot, StoppedTopic
from judging.queries.slots import assignments_in_adaptive_pools
from judging.services.judgment_log import lock_judging, run_with_retries
from judging.services.plan_slots import (
    JudgmentsByPair,
    current_judgments_by_pair,
    fill_with_existing_judgments,
)
from poolbench.pooling.session import LogMismatch
from pooling.queries.adaptive_pools import first_relevance
from pooling.services import adaptive_pools


def extend_adaptive_pools(actor: User, campaign: Campaign, topic: Topic | None, count: int) -> int:
    """Extend the pools that ``actor`` judges by at most ``count``; return how many were added.

    The topics assigned to the actor are tried in order, or ``topic`` only.
    """
    count_added = 0
    for assignment in assignments_in_adaptive_pools(actor, campaign, topic):
        try:
            adaptive_pools.prepare_session(assignment.plan.pool, assignment.topic)
            count_added += run_with_retries(
                partial(
                    extend_adaptive_topic,
                    actor,
                    assignment.plan,
                    assignment.topic,
                    count - count_added,
                )
            )
        except LogMismatch as mismatch:
            fix = "Contact an organizer: `manage.py check_pool` shows the fault."
            raise ActionRefused("pool-diverged", f"{mismatch}.", fix) from mismatch
        if count_added >= count:
            break
    return count_added


def extend_adaptive_topic(actor: User, plan: Plan, topic: Topic, count: int) -> int:
    """Create slots for the next documents of ``topic``, within the caller's transaction; return
    how many of them ``actor`` may judge, at most ``count``.

    None if the plan was closed or the topic completed in the meantime. Existing judgments
    outside any plan fill the slots, as in a new plan.
    """
    # Creating or closing a plan locks exclusively: before or after, never at the same time.
    lock_judging(plan.campaign)
    adaptive_pools.lock_topic(topic)
    stopped = StoppedTopic.objects.filter(topic=topic)
    if not Plan.objects.filter(pk=plan.pk, state=Plan.State.OPEN).exists() or stopped.exists():
        return 0
    first = first_relevance(plan.campaign, topic)
    # In a plan of the campaign, of whichever pool.
    slots = Slot.objects.filter(plan__campaign=plan.campaign, topic=topic, purpose=Purpose.JUDGE)
    before = set(slots.order_by().values_list("item__docno", flat=True))
    current = current_judgments_by_pair(plan, topic)
    passed = before | docnos_closed_to(actor, plan, current)
    added = adaptive_pools.extend_pool_topic(
        pool=plan.pool,
        topic=topic,
        outcomes={docno: good for (_, docno), good in first.items()},
        passed=passed,
        limit=count,
    )
    new_items = [item for item in added if item.docno not in before]
    Slot.objects.bulk_create(
        Slot(plan=plan, item=item, topic=topic, k=k, position=item.position)
        for item in new_items
        for k in range(plan.overlap)
    )
    pairs = {(topic.pk, item.docno) for item in new_items}
    fill_with_existing_judgments(plan, {pair: current[pair] for pair in pairs & current.keys()})
    return sum(item.docno not in passed for item in new_items)


def docnos_closed_to(actor: User, plan: Plan, current: JudgmentsByPair) -> set[str]:
    """Docnos of ``current`` that the actor, or as many assessors as planned, have judged."""
    docnos = set()
    for (_, docno), judgments in current.items():
        grades = [judgment.grade for judgment in judgments if judgment.grade is not None]
        is_full = sum(grade >= 0 for grade in grades) >= plan.overlap
        if is_full or any(judgment.assessor_id == actor.pk for judgment in judgments):
            docnos.add(docno)
    return docnos
