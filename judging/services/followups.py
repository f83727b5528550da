"""Follow-ups of a judgment: a third judgment after a disagreement, a blind repeat later."""

from __future__ import annotations

from hashlib import blake2b

from django.db.models import Max

from campaigns.models import User
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import current_judgments
from judging.rules import THIRD_K
from pooling.models import PoolItem

SOONEST, LATEST = 12, 30
"""A repeat comes this many documents of the topic later, or when no other remains."""


def lock_pair(slot: Slot, kind: str) -> None:
    """Serialize the judgments of a pair if its plan has third judgments, and its skips.

    Without it, two concurrent judgments that disagree would not see each other, and two
    concurrent skips would both go on to the same last assessor.
    """
    skipped = kind == Judgment.Kind.SKIP
    if (slot.plan.third_from or skipped) and slot.purpose == Purpose.JUDGE:
        PoolItem.objects.select_for_update(no_key=True).get(pk=slot.item_id)


def add_follow_up_slots(judgment: Judgment, slot: Slot | None) -> None:
    """Add the slots that follow from ``judgment``, within the transaction that saved it."""
    if slot is None or judgment.kind != Judgment.Kind.GRADE or slot.purpose != Purpose.JUDGE:
        return
    if slot.plan.third_from:
        add_third_slot(slot)
    if slot.plan.repeat_share and judgment.revision == 1:
        add_repeat_slot(judgment, slot)


def add_third_slot(slot: Slot) -> None:
    """Add a third slot if all planned judgments exist and differ by the plan's threshold."""
    pair = Slot.objects.filter(item=slot.item_id, purpose=Purpose.JUDGE).order_by()
    states = dict(pair.values_list("k", "state"))
    if THIRD_K in states or len(states) < 2 or set(states.values()) != {Slot.State.JUDGED}:
        return
    current = current_judgments(slot.plan.campaign).filter(slot__in=pair)
    grades = [grade or 0 for grade in current.order_by().values_list("grade", flat=True)]
    if len(grades) > 1 and max(grades) - min(grades) >= slot.plan.third_from:
        Slot.objects.create(
            plan=slot.plan,
            item_id=slot.item_id,
            topic_id=slot.topic_id,
            k=THIRD_K,
            position=slot.position,
        )


def add_repeat_slot(judgment: Judgment, slot: Slot) -> None:
    """Add a blind repeat for the same assessor, if the pair is drawn."""
    seed = slot.plan.campaign.seed
    draw = seeded_fraction(seed, "repeat", slot.item_id, judgment.assessor)
    if draw >= slot.plan.repeat_share:
        return
    again = Slot.objects.filter(item=slot.item_id, purpose=Purpose.REPEAT)
    last = again.aggregate(last=Max("k"))["last"]
    gap = SOONEST + int(
        (LATEST - SOONEST + 1) * seeded_fraction(seed, "gap", slot.item_id, judgment.assessor)
    )
    Slot.objects.create(
        plan=slot.plan,
        item_id=slot.item_id,
        topic_id=slot.topic_id,
        purpose=Purpose.REPEAT,
        k=0 if last is None else last + 1,
        position=(judgment.rank_shown or 0) + gap,
        reserved_for=judgment.assessor,
    )


def seeded_fraction(seed: int, label: str, item: int, assessor: User) -> float:
    """A number in [0, 1) that is reproducible for a pair and an assessor."""
    key = f"{seed}:{label}:{item}:{assessor.pk}".encode()
    return int.from_bytes(blake2b(key, digest_size=8).digest()) / 2**64
