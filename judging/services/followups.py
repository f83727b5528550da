"""Follow-ups of a judgment: a third judgment after a disagreement, a blind repeat later."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Max

from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments, log_until
from judging.queries.remaining import remaining_documents_in_topic
from judging.queries.repeats import checked_out_unjudged, first_judgments, repeat_key
from judging.rules import THIRD_K
from judging.services.judgment_log import lock_item
from poolbench.judging import repeats
from pooling.models import PoolItem


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
    add_third_slots([slot])


def add_third_slots(slots: Sequence[Slot]) -> None:
    """For the pair of each of ``slots``, of one campaign, ``add_third_slot``."""
    by_item = {slot.item_id: slot for slot in slots}
    pairs = Slot.objects.filter(item__in=by_item, purpose=Purpose.JUDGE).order_by()
    states: dict[int | None, dict[int, str]] = defaultdict(dict)
    for item, k, state in pairs.values_list("item", "k", "state"):
        states[item][k] = state
    judged = [
        item
        for item, by_k in states.items()
        if item is not None
        and THIRD_K not in by_k
        and len(by_k) > 1
        and set(by_k.values()) == {Slot.State.JUDGED}
    ]
    if not judged:
        return
    # The log of these topics and documents alone: the whole one is too long for each judgment.
    items = PoolItem.objects.filter(pk__in=judged)
    log = log_until(slots[0].plan.campaign).filter(
        topic__in=items.values("topic"), docno__in=items.values("docno")
    )
    current = latest_judgments(log).filter(
        kind=Judgment.Kind.GRADE, slot__item__in=judged, slot__purpose=Purpose.JUDGE
    )
    grades: dict[int | None, list[int]] = defaultdict(list)
    for item, grade in current.order_by().values_list("slot__item", "grade"):
        grades[item].append(grade or 0)
    Slot.objects.bulk_create(
        Slot(
            plan=slot.plan, item_id=item, topic_id=slot.topic_id, k=THIRD_K, position=slot.position
        )
        for item, slot in by_item.items()
        if len(grades[item]) > 1 and max(grades[item]) - min(grades[item]) >= slot.plan.third_from
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
