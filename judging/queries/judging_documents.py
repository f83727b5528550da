"""One document in an assessor's hand: where it stands, and what they said of it before."""

from __future__ import annotations

from collections.abc import Collection

from campaigns.models import Campaign, Topic, User
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import ON_SCREEN, SAID
from judging.queries.progress import measure_pace

LATELY = 60


def former_judgments(actor: User, slots: Collection[Slot]) -> dict[int, Judgment]:
    """By slot what ``actor`` said last under it and took back: it comes up marked.

    Never what another said under the same slot, nor what was said of the pair elsewhere:
    a repeat comes up unmarked.
    """
    log = Judgment.objects.filter(slot__in=slots, assessor=actor, kind__in=SAID)
    return {row.slot_id: row for row in log.order_by("pk") if row.slot_id is not None}


def get_checked_out_slot(
    actor: User, campaign: Campaign, topic: Topic, *, docno: str = "", token: str = ""
) -> Slot | None:
    """The document of ``docno`` or ``token`` that ``actor`` was handed and has not judged."""
    own = Slot.objects.filter(
        plan__campaign=campaign,
        topic=topic,
        assessor=actor,
        state=Slot.State.LEASED,
        purpose__in=ON_SCREEN,
    )
    slots = own.filter(token=token) if token else own.filter(item__docno=docno)
    return slots.select_related("item", "plan").order_by("-leased_at").first()


def last_two_judgments(
    actor: User, campaign: Campaign, topic: Topic, docno: str, token: str = ""
) -> list[Judgment]:
    """The actor's last two words on a pair, the last first.

    With the ``token`` of a lease those for the purpose it was for: a document that came
    twice has two judgments, and each is changed apart.
    """
    own = Judgment.objects.filter(campaign=campaign, topic=topic, docno=docno, assessor=actor)
    own = own.filter(purpose__in=ON_SCREEN)
    under = own.filter(lease=token).first() if token else None
    purpose = under.purpose if under is not None else Purpose.JUDGE
    return list(own.filter(purpose=purpose).order_by("-pk")[:2])


def get_own_pace(campaign: Campaign, actor: User) -> float | None:
    """Judgments an active hour over the actor's last ``LATELY``, None while there are few."""
    own = Judgment.objects.filter(campaign=campaign, assessor=actor, purpose__in=ON_SCREEN)
    own = own.exclude(source=Judgment.Source.IMPORT).order_by("-judged_at")
    return measure_pace(sorted(own.values_list("judged_at", flat=True)[:LATELY])).per_hour
