"""A document checked out to an assessor: its slot, and their earlier judgments of it."""

from __future__ import annotations

from collections.abc import Collection

from campaigns.models import Campaign, Topic, User
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import ANSWERS, ON_SCREEN, latest_judgments_by_pair
from judging.queries.progress import measure_pace

RECENT_JUDGMENTS = 60


def former_judgments(actor: User, slots: Collection[Slot]) -> dict[int, Judgment]:
    """By slot, the judgment that ``actor`` last submitted for it and undid; shown again.

    Never a judgment by another assessor for the slot, nor one of the pair elsewhere: a repeat
    is shown like a new document.
    """
    log = Judgment.objects.filter(slot__in=slots, assessor=actor, kind__in=ANSWERS)
    return {row.slot_id: row for row in log.order_by("pk") if row.slot_id is not None}


def get_checked_out_slot(
    actor: User, campaign: Campaign, topic: Topic, *, docno: str = "", token: str = ""
) -> Slot | None:
    """The document of ``docno`` or ``token`` that is checked out to ``actor``; by its docno never
    a blind repeat, which only its lease can name.
    """
    own = Slot.objects.filter(
        plan__campaign=campaign,
        topic=topic,
        assessor=actor,
        state=Slot.State.LEASED,
        purpose__in=ON_SCREEN,
    )
    first = {"item__docno": docno, "purpose": Purpose.JUDGE}
    slots = own.filter(token=token) if token else own.filter(**first)
    return slots.select_related("item", "plan").order_by("-leased_at").first()


def last_two_judgments(
    actor: User, campaign: Campaign, topic: Topic, docno: str, token: str = ""
) -> list[Judgment]:
    """The actor's last two revisions of a pair, latest first.

    With a lease ``token``, those for the purpose of that lease: a repeated document has two
    judgments, which are changed separately.
    """
    own = Judgment.objects.filter(campaign=campaign, topic=topic, docno=docno, assessor=actor)
    own = own.filter(purpose__in=ON_SCREEN)
    under = own.filter(lease=token).first() if token else None
    purpose = under.purpose if under is not None else Purpose.JUDGE
    return list(own.filter(purpose=purpose).order_by("-pk")[:2])


def latest_judgment(actor: User, campaign: Campaign, topic: Topic, docno: str) -> Judgment | None:
    """What ``actor`` last said of a pair, in the first judgment or its blind repeat."""
    own = Judgment.objects.filter(campaign=campaign, topic=topic, docno=docno, assessor=actor)
    return latest_judgments_by_pair(own.filter(purpose__in=ON_SCREEN)).first()


def get_own_pace(campaign: Campaign, actor: User) -> float | None:
    """Judgments per hour of work over the last ``RECENT_JUDGMENTS``; None if too few."""
    own = Judgment.objects.filter(campaign=campaign, assessor=actor, purpose__in=ON_SCREEN)
    own = own.exclude(source=Judgment.Source.IMPORT).order_by("-judged_at")
    return measure_pace(sorted(own.values_list("judged_at", flat=True)[:RECENT_JUDGMENTS])).per_hour
