"""Leasing slots to assessors: the candidates, and the compare-and-swap that decides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, When
from django.utils import timezone

from campaigns.models import Campaign, Topic, User
from judging.models import Judgment, LeasedSlot, Plan, Purpose, Slot
from judging.queries.judgments import ANSWERS, ON_SCREEN
from judging.queries.slots import (
    PURPOSES,
    ROUND,
    due_repeats,
    members_slots,
    new_pair_filter,
    offered_slots,
    open_topic_filter,
)
from judging.services.judgment_log import LostRaceError
from poolbench.judging import repeats

State = Slot.State
MAX_LEASES = 40
"""Documents that may be checked out to an assessor at once."""
WINDOWS = (64, 512, 4096)
"""Numbers of open slots to search; the next window only if all are the actor's own pairs."""
NEARBY = 200
"""Number of expired leases and repeats to search."""


def priority_slots(actor: User, campaign: Campaign, topic: Topic | None, kind: str) -> list[Slot]:
    """The slots to try before any open one, which are few: the actor's own leases, their
    repeats, and expired leases; of each kind the oldest lease first.
    """
    main, *others = PURPOSES[Plan.Kind(kind)]
    own = Q(assessor=actor, purpose__in=(main, *others))
    expired = Q(expires_at__lte=timezone.now(), purpose=main)
    again = Q(state=State.OPEN, reserved_for=actor, purpose__in=others)
    slots = Slot.objects.filter(
        Q(Q(state=State.LEASED) & (own | expired)) | again,
        members_slots(),
        plan__campaign=campaign,
        **topic_order_filter(topic),
    )
    # The actor's own first: expired leases of others can exceed the limit.
    theirs = Case(When(assessor=actor, then=0), When(again, then=1), default=2)
    slots = slots.select_related("item", "topic").order_by(theirs, "leased_at", "pk")
    return list(slots[:NEARBY])


def topic_order_filter(topic: Topic | None) -> dict[str, Topic]:
    return {} if topic is None else {"topic": topic}


def candidate_slots(
    actor: User, campaign: Campaign, topic: Topic | None, kind: str, count: int, near: list[Slot]
) -> list[Slot]:
    """At most ``count`` slots to try, of different pairs, in the order of judging.

    The actor's right to a slot is checked for a few slots by primary key, in windows of the
    open ones that grow only while all of their pairs are the actor's own. So no query plan of
    the database can scan a whole topic.
    """
    back = [slot.pk for slot in near if slot.assessor_id != actor.pk]
    everything = Slot.objects.filter(
        members_slots(),
        purpose=PURPOSES[Plan.Kind(kind)][0],
        state=State.OPEN,
        **topic_order_filter(topic),
    )
    if kind == Plan.Kind.JUDGE:
        everything = everything.filter(open_topic_filter())
    if topic is None:
        everything = everything.filter(plan__campaign=campaign)
    for size in WINDOWS:
        window = list(everything.order_by("position").values_list("pk", flat=True)[:size])
        most = 4 * count + len(back)
        slots = choose_free_slots(actor, campaign, kind, count, Q(pk__in=[*window, *back]), most)
        if slots or len(window) < size:
            return slots if topic is None else select_current_round(actor, kind, slots)
    everywhere = Q(state=State.OPEN, **topic_order_filter(topic))
    return choose_free_slots(actor, campaign, kind, count, everywhere, 4 * count + NEARBY)


def select_current_round(actor: User, kind: str, slots: list[Slot]) -> list[Slot]:
    """``slots`` of a topic without those of a later round of a sample than waits for ``actor`` in
    any topic.
    """
    plans = {slot.plan_id for slot in slots if slot.position >= ROUND}
    first = find_first_in_rounds(actor, kind, plans)
    if first is None:
        return slots
    end = (first.position // ROUND + 1) * ROUND
    return [slot for slot in slots if slot.position < end or slot.plan_id not in plans]


def find_first_in_rounds(actor: User, kind: str, plans: Collection[int]) -> Slot | None:
    """The slot of ``plans`` with which ``actor`` would go on if all topics were one."""
    if not plans:
        return None
    waiting = Slot.objects.filter(plan__in=plans, state=State.OPEN, purpose=Purpose.JUDGE)
    window = list(waiting.order_by("position").values_list("pk", flat=True)[: WINDOWS[-1]])
    theirs = Q(offered_slots(actor, kind), new_pair_filter(actor, kind), pk__in=window)
    return Slot.objects.filter(theirs).select_related("topic").order_by("position", "k").first()


def find_topic_of_round(actor: User, campaign: Campaign) -> Topic | None:
    """The topic with which ``actor`` goes on in the rounds of a sample, if there are any."""
    in_rounds = Slot.objects.filter(plan=OuterRef("pk"), position__gte=ROUND)
    plans = campaign.plans.filter(Exists(in_rounds), order=Plan.Order.POOL).order_by()
    first = find_first_in_rounds(actor, Plan.Kind.JUDGE, {*plans.values_list("pk", flat=True)})
    return first.topic if first is not None else None


def choose_free_slots(
    actor: User, campaign: Campaign, kind: str, count: int, among: Q, most: int
) -> list[Slot]:
    """The first slots of ``among`` that ``actor`` may fill; a due repeat comes alone."""
    theirs = Q(offered_slots(actor, kind), new_pair_filter(actor, kind))
    if kind == Plan.Kind.JUDGE:
        theirs |= due_repeats(actor)
    slots = Slot.objects.filter(among, theirs, plan__campaign=campaign)
    # Repeats first, in the order they are due. The slots of a pair are adjacent: a few more
    # rows contain enough pairs.
    ordered = slots.select_related("item", "topic").order_by("-purpose", "position", "k")
    rows = list(ordered[:most])
    again = [slot for slot in rows if slot.purpose == Purpose.REPEAT]
    due = find_distant_repeat(again, actor, due_only=True)
    if due:
        return due
    first = {slot.item_id: slot for slot in reversed(rows) if slot.purpose != Purpose.REPEAT}
    listed = sorted(first.values(), key=lambda slot: (slot.position, slot.k))
    return listed[:count] or find_distant_repeat(again, actor)


def find_distant_repeat(
    slots: Sequence[Slot], actor: User, *, due_only: bool = False
) -> list[Slot]:
    """The first of these repeats whose pair ``actor`` judged long enough ago, if there is one."""
    ready = (slot for slot in slots if not due_only or is_repeat_due(slot, actor))
    return list(islice((slot for slot in ready if is_distant(slot, actor)), 1))


def is_repeat_due(slot: Slot, actor: User) -> bool:
    """Whether enough documents of the topic were shown since the first judgment."""
    own = Judgment.objects.filter(assessor=actor, topic=slot.topic_id, purpose__in=ON_SCREEN)
    return own.filter(revision=1).count() >= slot.position


def is_distant(slot: Slot, actor: User) -> bool:
    """Whether ``actor`` has judged ``repeats.SOONEST`` documents, of any topic, since they last
    judged this pair. One that was on their screen before comes back in any case.
    """
    if slot.leased_at is not None:
        return True
    own = Judgment.objects.filter(
        assessor=actor, campaign=slot.topic.campaign_id, purpose__in=ON_SCREEN, kind__in=ANSWERS
    )
    pair = own.filter(topic=slot.topic_id, docno=slot.docno)
    last = pair.order_by("-pk").values_list("pk", flat=True).first() or 0
    since = own.filter(pk__gt=last).order_by().values_list("topic", "docno").distinct()
    return len(since[: repeats.SOONEST]) >= repeats.SOONEST


def drop_near_repeats(actor: User, campaign: Campaign, topic: Topic | None) -> int:
    """Drop the repeats that can no longer come late enough: ``actor`` has nothing else left."""
    again = Slot.objects.filter(
        due_repeats(actor), plan__campaign=campaign, leased_at=None, **topic_order_filter(topic)
    )
    return again.delete()[0]


def count_leases(actor: User, campaign: Campaign, tokens: Collection[UUID]) -> QuerySet[Slot]:
    own = Slot.objects.filter(plan__campaign=campaign, assessor=actor, state=State.LEASED)
    return own.filter(token__in=list(tokens)[: 2 * MAX_LEASES])


def lease_is_active(slot: LeasedSlot) -> bool:
    return slot.expires_at is not None and slot.expires_at > timezone.now()


def lease_end() -> datetime:
    return timezone.now() + timedelta(minutes=settings.POOLBENCH_LEASE_MINUTES)


def lease_slot(slot: LeasedSlot, actor: User, state: str, **also: object) -> None:
    """Move the slot to ``actor`` and ``state``, and set the fields ``also``. Raises
    ``LostRaceError`` if it has changed.
    """
    leased = state == State.LEASED
    change: dict[str, Any] = {
        "state": state,
        "assessor": actor,
        "token": uuid4(),
        "leased_at": timezone.now() if leased else None,
        "expires_at": lease_end() if leased else None,
        **also,
    }
    stamp = isinstance(slot, Slot) and leased
    campaign = Plan.objects.filter(pk=OuterRef("plan_id")).values("campaign__guideline_version")
    more = {"guideline_version": Subquery(campaign.order_by()[:1])} if stamp else {}
    same = type(slot)._default_manager.filter(  # noqa: SLF001 (public, whatever its name says)
        pk=slot.pk, token=slot.token
    )
    if not same.update(**change, **more):
        raise LostRaceError
    for name, value in change.items():
        setattr(slot, name, value)


def return_slots(slots: QuerySet[Any]) -> int:
    """Open ``slots`` for others, under a new token; return their number.

    ``leased_at`` is kept: it distinguishes a late judgment of a repeat from a change.
    """
    return slots.update(state=State.OPEN, assessor=None, expires_at=None, token=uuid4())


def return_slots_by_token(slots: QuerySet[Any]) -> int:
    """One by one, by token, so that concurrent judgments are kept."""
    tokens = list(slots.order_by("pk").values_list("pk", "token"))
    return sum(return_slots(slots.filter(pk=pk, token=token)) for pk, token in tokens)


def stamp_guideline_version(slots: Collection[Slot], campaign: Campaign) -> None:
    """Record the current guidelines with documents that are shown again to their assessor."""
    stale = [slot.pk for slot in slots if slot.guideline_version != campaign.guideline_version]
    if stale:
        Slot.objects.filter(pk__in=stale).update(guideline_version=campaign.guideline_version)


def try_lease(slot: LeasedSlot, actor: User) -> bool:
    """Try to lease; False if another assessor, or the actor's other window, was first."""
    try:
        with transaction.atomic():
            lease_slot(slot, actor, State.LEASED)
    except (LostRaceError, IntegrityError):
        return False
    return True


def move_to_front(slot: Slot, before: Slot | None) -> None:
    """Show an undone document before those fetched ahead."""
    if before is not None and before.leased_at is not None:
        slot.leased_at = before.leased_at - timedelta(microseconds=1)
        Slot.objects.filter(pk=slot.pk, token=slot.token).update(leased_at=slot.leased_at)
