"""A document that an assessor cannot decide goes on to another assessor by itself.

The slot opens again, never for those who skipped: their skip remains in the log, and a claim
leaves out pairs that the actor has skipped. Each assessor skips a pair at most once, so it
goes on at most as often as the topic has assessors. When no other may judge it, the slot stays
skipped, and the organizer sees it as unresolved.
"""

from collections.abc import Collection
from contextlib import suppress
from uuid import uuid4

from django.db.models import Count, Exists, OuterRef, Q

from campaigns.errors import ActionRefused
from campaigns.models import Topic, User
from campaigns.services import events
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.exclusions import counting_judgments
from judging.queries.slots import free_slots, list_eligible_assessors
from judging.rules import PASSED_ON
from judging.services.judgment_log import LostRaceError, lock_item

Kind, State = Judgment.Kind, Slot.State


def pass_on_skip(judgment: Judgment, slot: Slot) -> None:
    """Open ``slot`` for another assessor if its skip asks for that, within the transaction that
    saved the skip and locked the pair (``lock_pair``).
    """
    is_asked = judgment.kind == Kind.SKIP and judgment.reason in PASSED_ON
    is_possible = slot.purpose == Purpose.JUDGE and slot.plan.state != Plan.State.CLOSED
    if is_asked and is_possible and open_for_another(slot):
        log_passed_on(judgment.assessor, slot)


def open_for_another(slot: Slot) -> bool:
    """Open a skipped slot if another assessor may judge its pair; whether one may.

    A slot that the design reserves is reserved for the one with the fewest reserved documents.
    """
    others = list_eligible_assessors(slot)
    # Each of the pair's other open slots needs an assessor as well.
    needed = Slot.objects.filter(
        item=slot.item_id, purpose=Purpose.JUDGE, state=State.OPEN, reserved_for=None
    ).exclude(pk=slot.pk)
    if len(others) <= needed.count():
        return False
    change = {
        "state": State.OPEN,
        "assessor": None,
        "expires_at": None,
        "reserved_for": choose_least_busy(slot, others) if slot.reserved_for_id else None,
        "token": uuid4(),
    }
    if not Slot.objects.filter(pk=slot.pk, token=slot.token, state=State.SKIPPED).update(**change):
        raise LostRaceError
    for name, value in change.items():
        setattr(slot, name, value)
    return True


def log_passed_on(actor: User, slot: Slot) -> None:
    events.log_event(
        campaign=slot.plan.campaign,
        actor=actor,
        code="slot.passed_on",
        subject=f"topic {slot.topic.number}, {slot.docno}",
        slot=slot.pk,
    )


def choose_least_busy(slot: Slot, others: Collection[User]) -> User:
    open_slots = Slot.objects.filter(plan=slot.plan_id, state=State.OPEN, reserved_for__in=others)
    rows = open_slots.order_by().values_list("reserved_for").annotate(Count("pk"))
    loads: dict[int | None, int] = dict(rows)
    return min(others, key=lambda user: (loads.get(user.pk, 0), user.username))


def reopen_skipped(slot: Slot) -> None:
    """Open a skipped slot for another assessor; refused if there is none."""
    # Locked as by a skip: of two slots of the pair, one may need the last assessor.
    lock_item(slot)
    try:
        opened = open_for_another(slot)
    except LostRaceError:
        raise slot_conflict() from None
    if not opened:
        raise ActionRefused(
            "no-other-assessor",
            f"No other assessor of topic {slot.topic.number} may judge document {slot.docno}.",
            "Assign another assessor to the topic, or close the plan to leave it unjudged.",
        )


def slot_conflict() -> ActionRefused:
    return ActionRefused(
        "slot-moved",
        "This document is no longer skipped or checked out.",
        "Reload the judging page.",
    )


def update_skips(*, actor: User, plan: Plan, topics: Collection[Topic | int]) -> None:
    """After a change of assessors, within its transaction: skipped documents of ``topics`` go on
    to new assessors, and documents that no assessor may judge any more are skipped again.
    """
    last = Judgment.objects.filter(slot=OuterRef("pk"), kind=Kind.SKIP, reason__in=PASSED_ON)
    slots = plan.slots.filter(
        Exists(last), Q(state=State.SKIPPED) | Q(state=State.OPEN),
        topic__in=topics, purpose=Purpose.JUDGE,
    ).select_related("plan__campaign", "topic", "item", "reserved_for")  # fmt: skip
    for slot in slots.order_by("pk"):
        lock_item(slot)
        if slot.state == State.OPEN:
            if not list_eligible_assessors(slot):
                mark_slot_skipped(slot)
            continue
        with suppress(LostRaceError):  # another user has just opened or filled it
            if open_for_another(slot):
                log_passed_on(actor, slot)


def mark_slot_skipped(slot: Slot) -> None:
    """Mark a free slot as skipped by the last assessor whose skip still stands."""
    log = Judgment.objects.filter(counting_judgments(), slot=slot, kind=Kind.SKIP)
    skips = log.order_by("-pk")
    for skip in skips.select_related("assessor"):
        later = {"revision__gt": skip.revision, "purpose": skip.purpose, "docno": skip.docno}
        own = Judgment.objects.filter(
            campaign=skip.campaign_id, topic=skip.topic_id, assessor=skip.assessor_id, **later
        )
        if not own.exists():
            reserved = {"reserved_for": skip.assessor} if slot.reserved_for_id else {}
            same = Slot.objects.filter(free_slots(), pk=slot.pk, token=slot.token)
            same.update(
                state=State.SKIPPED, assessor=skip.assessor, expires_at=None, token=uuid4(),
                **reserved,
            )  # fmt: skip
            return


def return_slot_to_skipper(skip: Judgment, actor: User) -> Slot | None:
    """The slot that went on after ``skip``, reserved for ``actor`` again if the design reserves;
    None if another assessor has taken it.
    """
    slots = Slot.objects.select_related("plan__campaign", "topic", "item")
    slot = slots.filter(judgments=skip, state=State.OPEN, purpose=Purpose.JUDGE).first()
    if slot is not None and slot.reserved_for_id not in (None, actor.pk):
        same = Slot.objects.filter(pk=slot.pk, token=slot.token, state=State.OPEN)
        if not same.update(reserved_for=actor):
            raise LostRaceError
    return slot
