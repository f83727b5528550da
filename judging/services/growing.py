"""Pools that grow while people judge: slots for the documents that come next."""

from __future__ import annotations

from functools import partial

from campaigns.errors import Refused
from campaigns.models import Campaign, Topic, User
from judging.models import Plan, Purpose, Slot
from judging.queries.slots import open_seats
from judging.queries.stopping import is_stopped
from judging.services.log import lock, retried
from judging.services.plan_slots import Standing, fill_known, standing
from pooling.core.session import Diverged
from pooling.queries import first_grades
from pooling.services import growing


def grow(actor: User, campaign: Campaign, topic: Topic | None, wanted: int) -> int:
    """Have the pools that ``actor`` judges bring at most ``wanted`` more; return how many came.

    The topics assigned to the actor are asked one after the other, or ``topic`` alone.
    """
    came = 0
    for seat in open_seats(actor, campaign, topic):
        try:
            growing.prepare(seat.plan.pool, seat.topic)
            came += retried(partial(grow_topic, actor, seat.plan, seat.topic, wanted - came))
        except Diverged as wrong:
            cure = "Tell an organizer: `manage.py check_pool` shows what is wrong."
            raise Refused("pool-diverged", f"{wrong}.", cure) from wrong
        if came >= wanted:
            break
    return came


def grow_topic(actor: User, plan: Plan, topic: Topic, wanted: int) -> int:
    """Make slots for the next documents of ``topic``, in a transaction of the caller's; return
    of how many ``actor`` may be asked, at most ``wanted``.

    None when the plan was closed or the topic ended meanwhile: nobody would get its slots. What
    others, or the actor, have said of a document without any plan fills its slots as in a new plan.
    """
    # Who makes or closes a plan, alone, sees these slots or is seen.
    lock(plan.campaign)
    growing.hold(topic)
    if Plan.objects.filter(pk=plan.pk, paused=True).exists() or is_stopped(topic):
        return 0
    first = first_grades(plan.campaign, topic)
    before, known = planned(plan, topic), standing(plan.campaign, topic)
    passed = before | not_for(actor, plan, known)
    came = growing.grow(
        pool=plan.pool,
        topic=topic,
        outcomes={docno: good for (_, docno), good in first.items()},
        passed=passed,
        wanted=wanted,
    )
    fresh = [item for item in came if item.docno not in before]
    Slot.objects.bulk_create(
        Slot(plan=plan, item=item, topic=topic, k=k, position=item.position)
        for item in fresh
        for k in range(plan.overlap)
    )
    pairs = {(topic.pk, item.docno) for item in fresh}
    fill_known(plan, {pair: known[pair] for pair in pairs & known.keys()})
    return sum(item.docno not in passed for item in fresh)


def not_for(actor: User, plan: Plan, known: Standing) -> set[str]:
    """Docnos of ``known`` that the actor, or as many as the plan wants, have judged."""
    found = set()
    for (_, docno), said in known.items():
        grades = [judgment.grade for judgment in said if judgment.grade is not None]
        is_full = sum(grade >= 0 for grade in grades) >= plan.overlap
        if is_full or any(judgment.assessor_id == actor.pk for judgment in said):
            found.add(docno)
    return found


def planned(plan: Plan, topic: Topic) -> set[str]:
    """Docnos of the topic that a plan of the campaign has asked for, whatever the pool."""
    slots = Slot.objects.filter(plan__campaign=plan.campaign, topic=topic, purpose=Purpose.JUDGE)
    return set(slots.order_by().values_list("item__docno", flat=True))
