"""The assessor's acts: claim the next document, judge it, skip it, take the last one back.

A slot changes hands by compare-and-swap on its token, which every change renews; nothing
here depends on a worker that reaps. See ``docs/decisions`` on slots and assignments.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from campaigns.errors import Refused, utc
from campaigns.models import Campaign, Topic, User
from campaigns.rules import require
from judging.models import Assignment, Judgment, Slot
from judging.queries.judgments import last_said
from judging.queries.slots import claimable, free_slots, held
from judging.rules import SKIP_REASONS
from judging.services.log import LostRaceError, Said, append, lock, repeated, retried, uuid_used

Kind, State = Judgment.Kind, Slot.State
CLAIMS = 200


def claim(*, actor: User, campaign: Campaign, topic: Topic) -> Slot | None:
    """Lease the next document of ``topic`` to ``actor``, or None when nothing is left.

    Whoever holds a document already gets that one again. Of the rest, in the seeded order:
    open slots and those whose lease has run out, in plans that assign the topic to the
    actor, never of a pair that the actor has or has had a say in.
    """
    require(actor, "campaigns.judge", campaign)
    require_open(campaign)
    for _ in range(CLAIMS):
        slot = (
            held(actor, campaign, topic) or claimable(actor, campaign).filter(topic=topic).first()
        )
        if slot is None or lease(slot, actor):
            return slot
    raise Refused("busy", "Too many assessors are asking for this topic.", "Try again in a moment.")


def judge(
    *,
    actor: User,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    grade: int,
    client_uuid: UUID,
    token: UUID | None = None,
    comment: str = "",
    active_seconds: float | None = None,
    served_at: datetime | None = None,
    source: str = Judgment.Source.SCREEN,
) -> Judgment:
    """Write down a grade; on a pair judged before it is a new revision.

    The same ``client_uuid`` again returns what it made the first time. ``token`` is the
    lease under which the document was shown; work is kept also when that lease has passed
    to another (see ``slot_for``).
    """
    require(actor, "campaigns.judge", campaign)
    said = Said(
        actor, campaign, topic, docno, Kind.GRADE, client_uuid, grade=grade, comment=comment,
        source=source, served_at=served_at, active_seconds=active_seconds,
    )  # fmt: skip
    return retried(partial(submit, said, State.JUDGED, token))


def skip(
    *,
    actor: User,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    reason: str,
    client_uuid: UUID,
    token: UUID | None = None,
    comment: str = "",
    source: str = Judgment.Source.SCREEN,
) -> Judgment:
    """Pass over a document, saying why. It stays the assessor's, who may judge it later."""
    require(actor, "campaigns.judge", campaign)
    if reason not in SKIP_REASONS:
        told = ", ".join(SKIP_REASONS)
        raise Refused("no-reason", "A skip needs a reason.", f"Choose one of: {told}.")
    said = Said(
        actor, campaign, topic, docno, Kind.SKIP, client_uuid, reason=reason, comment=comment,
        source=source,
    )  # fmt: skip
    return retried(partial(submit, said, State.SKIPPED, token))


def undo(
    *,
    actor: User,
    campaign: Campaign,
    client_uuid: UUID | None = None,
    source: str = Judgment.Source.SCREEN,
) -> Judgment:
    """Take back the actor's last judgment or skip and lease its document to them again.

    Returns the withdrawal. Once more goes one further back; with the same ``client_uuid``
    it does not. The pair is unjudged until it is judged again.
    """
    require(actor, "campaigns.judge", campaign)
    return retried(partial(take_back, actor, campaign, client_uuid or uuid4(), source))


def submit(said: Said, state: str, token: UUID | None) -> Judgment:
    lock(said.campaign)
    known = repeated(said)
    if known is not None:
        return known
    require_open(said.campaign)
    check_grade(said)
    slot = slot_for(said)
    if slot is None:
        return append(said, None)
    if slot.assessor_id == said.actor.pk and slot.token == token:
        # The lease under which it was shown still stands: the server's own clock is better.
        said = replace(said, served_at=slot.leased_at or said.served_at)
    move(slot, said.actor, state)
    return append(said, slot)


def take_back(actor: User, campaign: Campaign, client_uuid: UUID, source: str) -> Judgment:
    lock(campaign)
    known = Judgment.objects.filter(client_uuid=client_uuid).first()
    if known is not None:
        if (known.assessor_id, known.campaign_id) != (actor.pk, campaign.pk):
            raise uuid_used()
        return known
    require_open(campaign)
    last = last_said(campaign, actor).first()
    if last is None:
        raise Refused("nothing-to-undo", "There is nothing to take back.")
    said = Said(actor, campaign, last.topic, last.docno, Kind.WITHDRAWN, client_uuid, source=source)
    slot = slots_of(said).filter(assessor=actor).first()
    if slot is not None:
        move(slot, actor, State.LEASED)
    return append(said, slot)


def slot_for(said: Said) -> Slot | None:
    """The slot that this judgment fills, or None: then it is kept as an extra judgment.

    The actor's own slot; else, when the lease has passed on, any free slot of the pair;
    else none, because others have filled what the plan wanted.
    """
    assigned = Assignment.objects.filter(
        plan=OuterRef("plan"), topic=OuterRef("topic"), assessor=said.actor
    )
    slots = list(slots_of(said).annotate(assigned=Exists(assigned), free=free_slots()))
    own = next((slot for slot in slots if slot.assessor_id == said.actor.pk), None)
    if own is not None:
        return own
    if not any(slot.assigned for slot in slots) and not has_said(said):
        raise Refused(
            "not-yours",
            f"Document {said.docno} of topic {said.topic.number} is not among those you judge.",
            "Go back to your topics and ask for the next document.",
        )
    return next((slot for slot in slots if slot.free), None)


def slots_of(said: Said) -> QuerySet[Slot]:
    """All slots of the pair, through the pools of the campaign."""
    pair = {"item__topic": said.topic, "item__docno": said.docno}
    return Slot.objects.filter(item__pool__campaign=said.campaign, **pair).order_by("k")


def has_said(said: Said) -> bool:
    own = Judgment.objects.filter(campaign=said.campaign, topic=said.topic, docno=said.docno)
    return own.filter(assessor=said.actor).exists()


def move(slot: Slot, actor: User, state: str) -> None:
    """Hand the slot to ``actor`` in ``state``, unless someone was quicker (``LostRaceError``)."""
    held = state == State.LEASED
    now = timezone.now()
    until = now + timedelta(minutes=settings.POOLBENCH_LEASE_MINUTES)
    change = {
        "state": state,
        "assessor": actor,
        "token": uuid4(),
        "leased_at": now if held else None,
        "expires_at": until if held else None,
    }
    if not Slot.objects.filter(pk=slot.pk, token=slot.token).update(**change):
        raise LostRaceError
    for name, value in change.items():
        setattr(slot, name, value)


def lease(slot: Slot, actor: User) -> bool:
    """Try to lease; False if another, or the actor's own other window, was first."""
    try:
        with transaction.atomic():
            move(slot, actor, State.LEASED)
    except (LostRaceError, IntegrityError):
        return False
    return True


def require_open(campaign: Campaign) -> None:
    until = campaign.judging_deadline
    if until is not None and not campaign.takes_judgments():
        raise Refused(
            "judging-closed",
            f"Judging was open until {utc(until)}.",
            "Ask an organizer to move the deadline.",
        )


def check_grade(said: Said) -> None:
    if said.kind != Kind.GRADE:
        return
    scale = list(said.campaign.grades.values_list("value", flat=True))
    if said.grade not in scale:
        told = ", ".join(map(str, scale))
        raise Refused("off-scale", f"{said.grade} is not on the grade scale.", f"Use {told}.")
