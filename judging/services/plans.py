"""Who judges what: plans, their slots, and the people assigned to topics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import uuid4

from django.db import transaction

from campaigns.errors import Refused
from campaigns.models import Campaign, Role, Topic, User
from campaigns.rules import require
from campaigns.services import events
from judging.models import Assignment, Plan, Slot
from pooling.models import Pool

BATCH = 5_000
NAMED = 10
"""A refusal names so many topics; of the rest the number."""
Assessors = Mapping[str, Sequence[User]]


def make_plan(
    *,
    actor: User,
    pool: Pool,
    overlap: int,
    assessors: Assessors,
    topics: Collection[str] | None = None,
) -> Plan:
    """Share out ``pool``: ``overlap`` slots for each pair that no earlier plan has.

    ``topics`` are the numbers of the topics to share out, all of the pool if None;
    ``assessors`` says by number who may judge a topic. A topic for which it names nobody
    gets its slots too and waits until ``assign`` does.
    """
    campaign = pool.campaign
    require(actor, "campaigns.manage", campaign)
    if not 1 <= overlap <= 100:
        raise Refused("bad-overlap", "The overlap is a whole number from 1 to 100.")
    known = topics_named(campaign, {*assessors, *(topics or ())})
    planned = None if topics is None else {known[number].pk for number in topics}
    check_people(campaign, overlap, assessors)
    with transaction.atomic():
        # Locked, so that two plans made at once cannot both take a pair.
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        pairs = [row for row in unplanned(pool) if planned is None or row[1] in planned]
        if not pairs:
            cure = "Assign more people to it, or freeze a new pool first."
            raise Refused("nothing-to-plan", "Every pair of this pool is in a plan already.", cure)
        plan = Plan.objects.create(campaign=campaign, pool=pool, overlap=overlap, created_by=actor)
        Slot.objects.bulk_create(
            (
                Slot(plan=plan, item_id=item, topic_id=topic, k=k, position=position)
                for item, topic, position in pairs
                for k in range(overlap)
            ),
            batch_size=BATCH,
        )
        add_assignments(plan, {known[number]: people for number, people in assessors.items()})
        events.record(
            campaign=campaign,
            actor=actor,
            verb="made a judging plan",
            subject=f"{pool}, overlap {overlap}",
            plan=plan.pk,
            pairs=len(pairs),
            planned_before=pool.size - len(pairs),
        )
    return plan


def assign(*, actor: User, plan: Plan, topic: Topic, assessors: Sequence[User]) -> None:
    """From now on exactly ``assessors`` may claim documents of ``topic`` under ``plan``."""
    assign_all(actor=actor, plan=plan, assessors={topic.number: assessors})


def assign_all(*, actor: User, plan: Plan, assessors: Assessors) -> int:
    """Set who judges each topic named in ``assessors``; return how many topics changed.

    What somebody holds or has judged stays theirs; an empty list rests the topic.
    """
    campaign = plan.campaign
    require(actor, "campaigns.manage", campaign)
    topics = topics_named(campaign, assessors)
    check_people(campaign, plan.overlap, assessors)
    with transaction.atomic():
        before: dict[int, set[int]] = {}
        for topic_id, user_id in plan.assignments.order_by().values_list("topic", "assessor"):
            before.setdefault(topic_id, set()).add(user_id)
        changed = {
            number: people
            for number, people in assessors.items()
            if before.get(topics[number].pk, set()) != {user.pk for user in people}
        }
        if not changed:
            return 0
        plan.assignments.filter(topic__in=[topics[number] for number in changed]).delete()
        add_assignments(plan, {topics[number]: people for number, people in changed.items()})
        events.record(
            campaign=campaign,
            actor=actor,
            verb="assigned assessors",
            subject=f"topic {', '.join(changed)}",
            plan=plan.pk,
            topics={n: [u.username for u in people] for n, people in changed.items()},
        )
    return len(changed)


def pause(*, actor: User, plan: Plan, paused: bool = True) -> None:
    """Stop handing out documents of the plan, or go on. What is on a screen may be finished."""
    require(actor, "campaigns.manage", plan.campaign)
    with transaction.atomic():
        if Plan.objects.filter(pk=plan.pk, paused=not paused).update(paused=paused):
            verb = "paused a judging plan" if paused else "resumed a judging plan"
            events.record(campaign=plan.campaign, actor=actor, verb=verb, plan=plan.pk)
    plan.paused = paused


def reopen(*, actor: User, slot: Slot) -> None:
    """Give a skipped slot, or a lease that is stuck, back to whoever is assigned."""
    campaign = slot.plan.campaign
    require(actor, "campaigns.manage", campaign)
    takeable = (Slot.State.SKIPPED, Slot.State.LEASED)
    with transaction.atomic():
        # The token in the condition: what an assessor has done meanwhile is not undone.
        won = Slot.objects.filter(pk=slot.pk, token=slot.token, state__in=takeable).update(
            state=Slot.State.OPEN, assessor=None, token=uuid4(), leased_at=None, expires_at=None
        )
        if not won:
            cure = "Look at the judging page again."
            raise Refused("slot-moved", "This document is no longer skipped or out.", cure)
        events.record(
            campaign=campaign,
            actor=actor,
            verb="reopened a document",
            subject=f"topic {slot.topic.number}, {slot.item.docno}",
            slot=slot.pk,
            was=slot.state,
            held_by=slot.assessor.username if slot.assessor else "",
        )


def unplanned(pool: Pool) -> list[tuple[int, int, int]]:
    """``(item, topic, position)`` of the pool's pairs that have no slot in the campaign yet."""
    slots = Slot.objects.filter(plan__campaign=pool.campaign, k=0).order_by()
    planned = set(slots.values_list("topic", "item__docno"))
    rows = pool.items.order_by("topic", "position").values_list("pk", "topic", "docno", "position")
    return [(item, t, at) for item, t, docno, at in rows if (t, docno) not in planned]


def topics_named(campaign: Campaign, numbers: Iterable[str]) -> dict[str, Topic]:
    known = {topic.number: topic for topic in campaign.topics.all()}
    unknown = sorted(set(numbers) - set(known))
    if unknown:
        raise Refused("unknown-topic", f"The campaign has no topic {', '.join(unknown)}.")
    return known


def check_people(campaign: Campaign, overlap: int, assessors: Assessors) -> None:
    """Refuse people without the role, and topics with fewer people than the overlap asks for."""
    members = campaign.members.filter(role=Role.ASSESSOR)
    allowed = set(members.values_list("user", flat=True))
    others = {u.username for people in assessors.values() for u in people if u.pk not in allowed}
    if others:
        told = ", ".join(sorted(others))
        cure = "Invite them as assessors first."
        raise Refused("not-an-assessor", f"Not an assessor of this campaign: {told}.", cure)
    short = [n for n, people in assessors.items() if 0 < len({u.pk for u in people}) < overlap]
    if short:
        more = len(short) - NAMED
        told = ", ".join(sorted(short)[:NAMED]) + (f" and {more} more" if more > 0 else "")
        raise Refused(
            "too-few-assessors",
            f"Overlap {overlap} needs {overlap} assessors a topic; fewer are named for {told}.",
            "Fill the table again, or assign more people to these topics, or none yet.",
        )


def add_assignments(plan: Plan, people: Mapping[Topic, Sequence[User]]) -> None:
    Assignment.objects.bulk_create(
        Assignment(plan=plan, topic=topic, assessor=user)
        for topic, users in people.items()
        for user in dict.fromkeys(users)
    )
