"""How a slot comes to an assessor: what to try, and the compare-and-swap that decides."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Case, Q, QuerySet, When
from django.utils import timezone

from campaigns.models import Campaign, Topic, User
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ON_SCREEN
from judging.queries.slots import PURPOSES, due_repeats, new_pair_filter, offered_slots
from judging.queries.stopping import open_topic_filter
from judging.services.judgment_log import LostRaceError

State = Slot.State
AHEAD = 10
"""How many documents somebody may hold at once."""
WINDOWS = (64, 512, 4096)
"""So many open slots are looked through, and more if these are all the actor's own pairs."""
NEARBY = 200
"""Leases that have run out and repeats are looked at up to so many."""


def priority_slots(actor: User, campaign: Campaign, topic: Topic | None, kind: str) -> list[Slot]:
    """What is looked at before any open slot, all of it little: the actor's own leases,
    documents that the actor is to judge once more, and leases that have run out; of each the
    oldest lease first.
    """
    main, *others = PURPOSES[Plan.Kind(kind)]
    own = Q(assessor=actor, purpose__in=(main, *others))
    lapsed = Q(expires_at__lte=timezone.now(), purpose=main)
    again = Q(state=State.OPEN, reserved_for=actor, purpose__in=others)
    slots = Slot.objects.filter(
        Q(Q(state=State.LEASED) & (own | lapsed)) | again,
        plan__campaign=campaign,
        **topic_order_filter(topic),
    )
    # Theirs first: the leases of others that have run out can be more than are looked at.
    theirs = Case(When(assessor=actor, then=0), When(again, then=1), default=2)
    slots = slots.select_related("item", "topic").order_by(theirs, "leased_at", "pk")
    return list(slots[:NEARBY])


def topic_order_filter(topic: Topic | None) -> dict[str, Topic]:
    return {} if topic is None else {"topic": topic}


def candidate_slots(
    actor: User, campaign: Campaign, topic: Topic | None, kind: str, count: int, near: list[Slot]
) -> list[Slot]:
    """At most ``count`` slots to try, of different pairs, in the order of handing out.

    The actor's right to a slot is asked of a few slots by number, in windows of the open
    ones that grow only while all in them are pairs of the actor's own: so no plan that the
    database makes can have it look at a whole topic.
    """
    back = [slot.pk for slot in near if slot.assessor_id != actor.pk]
    everything = Slot.objects.filter(
        purpose=PURPOSES[Plan.Kind(kind)][0], state=State.OPEN, **topic_order_filter(topic)
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
            return slots
    everywhere = Q(state=State.OPEN, **topic_order_filter(topic))
    return choose_free_slots(actor, campaign, kind, count, everywhere, 4 * count + NEARBY)


def choose_free_slots(
    actor: User, campaign: Campaign, kind: str, count: int, among: Q, most: int
) -> list[Slot]:
    """Of ``among`` the first slots that ``actor`` may take; a repeat that is due alone."""
    theirs = Q(offered_slots(actor, kind), new_pair_filter(actor, kind))
    if kind == Plan.Kind.JUDGE:
        theirs |= due_repeats(actor)
    slots = Slot.objects.filter(among, theirs, plan__campaign=campaign)
    # Repeats before all, by when they are due. The slots of a pair stand one after another:
    # a few more rows hold enough pairs.
    ordered = slots.select_related("item", "topic").order_by("-purpose", "position", "k")
    rows = list(ordered[:most])
    again = [slot for slot in rows if slot.purpose == Purpose.REPEAT]
    if again and is_repeat_due(again[0], actor, campaign):
        return again[:1]
    first = {slot.item_id: slot for slot in reversed(rows) if slot.purpose != Purpose.REPEAT}
    listed = sorted(first.values(), key=lambda slot: (slot.position, slot.k))
    return listed[:count] or again[:1]


def is_repeat_due(slot: Slot, actor: User, campaign: Campaign) -> bool:
    """Have enough documents of the topic come up since the first judgment?"""
    own = Judgment.objects.filter(campaign=campaign, assessor=actor, topic=slot.topic_id)
    return own.filter(revision=1, purpose__in=ON_SCREEN).count() >= slot.position


def count_leases(actor: User, campaign: Campaign, tokens: Collection[UUID]) -> QuerySet[Slot]:
    own = Slot.objects.filter(plan__campaign=campaign, assessor=actor, state=State.LEASED)
    return own.filter(token__in=list(tokens)[: 2 * AHEAD])


def lease_is_active(slot: Slot) -> bool:
    return slot.expires_at is not None and slot.expires_at > timezone.now()


def lease_end() -> datetime:
    return timezone.now() + timedelta(minutes=settings.POOLBENCH_LEASE_MINUTES)


def lease_slot(slot: Slot, actor: User, state: str) -> None:
    """Hand the slot to ``actor`` in ``state``, unless someone was quicker (``LostRaceError``)."""
    leased = state == State.LEASED
    change = {
        "state": state,
        "assessor": actor,
        "token": uuid4(),
        "leased_at": timezone.now() if leased else None,
        "expires_at": lease_end() if leased else None,
    }
    if not Slot.objects.filter(pk=slot.pk, token=slot.token).update(**change):
        raise LostRaceError
    for name, value in change.items():
        setattr(slot, name, value)


def try_lease(slot: Slot, actor: User) -> bool:
    """Try to lease; False if another, or the actor's own other window, was first."""
    try:
        with transaction.atomic():
            lease_slot(slot, actor, State.LEASED)
    except (LostRaceError, IntegrityError):
        return False
    return True


def move_to_front(slot: Slot, before: Slot | None) -> None:
    """Have what was taken back come up before what was fetched ahead."""
    if before is not None and before.leased_at is not None:
        slot.leased_at = before.leased_at - timedelta(microseconds=1)
        Slot.objects.filter(pk=slot.pk, token=slot.token).update(leased_at=slot.leased_at)
