"""Follow-ups of a judgment: a third judgment after a disagreement, a blind repeat later."""

from __future__ import annotations

from django.db.models import Max

from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import current_judgments
from judging.queries.remaining import remaining_documents_in_topic
from judging.queries.repeats import checked_out_unjudged, first_judgments, repeat_key
from judging.rules import THIRD_K
from judging.services.judgment_log import lock_item
from poolbench.judging import repeats


def lock_pair(slot: Slot, kind: str) -> None:
    """Serialize the judgments of a pair if its plan has third judgments, and its skips.

    Without it, two concurrent judgments that disagree would not see each other, and two
    concurrent skips would both go on to the same last assessor.
    """
    skipped = kind == Judgment.Kind.SKIP
    if (slot.plan.third_from or skipped) and slot.purpose == Purpose.JUDGE:
        lock_item(slot)


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
    plan, actor, topic = slot.plan, judgment.assessor, judgment.topic
    here = {"assessor": actor, "topic": topic}
    key = repeat_key(plan.campaign, plan.pk, topic.pk, actor.pk)
    judged = first_judgments(plan.campaign).filter(**here, slot__plan=plan).count()
    if not repeats.is_drawn(judged, plan.repeat_share, key):
        return
    left = remaining_documents_in_topic(actor, plan.campaign, topic.pk)
    left += checked_out_unjudged(plan.campaign).filter(**here).count()
    if left < repeats.SOONEST:
        return
    again = Slot.objects.filter(item=slot.item_id, purpose=Purpose.REPEAT)
    last = again.aggregate(last=Max("k"))["last"]
    Slot.objects.create(
        plan=plan,
        item_id=slot.item_id,
        topic_id=slot.topic_id,
        purpose=Purpose.REPEAT,
        k=0 if last is None else last + 1,
        position=(judgment.rank_shown or 0) + repeats.choose_gap(left, f"{key}:{slot.item_id}"),
        reserved_for=actor,
    )
