"""The slots of a plan: pairs without a slot, their order, fast insertion, existing judgments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple
from uuid import uuid4

from django.db.models.functions import Coalesce, Length

from campaigns.errors import ActionRefused
from campaigns.models import Topic, User
from campaigns.services.rows import Row, Value, insert_rows
from campaigns.services.statistics import refresh_statistics
from judging.models import Audience, Judgment, Plan, PropagatedPair, Purpose, Slot
from judging.queries.judgments import ANSWERS, latest_judgments, log_until
from judging.queries.slots import ROUND
from judging.services.followups import add_third_slot
from judging.services.log_rows import append_copies, make_random_uuids
from poolbench.judging.designs.allocation import UNASSIGNED, Allocation, Workload
from poolbench.judging.designs.lengths import order_in_length_blocks
from pooling.models import Pool, PoolItem, PoolTopic
from pooling.queries.adaptive_pools import future_documents
from pooling.queries.frozen_pools import is_drawn_by_influence, load_sample_plan

BATCH = 500
ROUNDS = 50
"""In how many rounds a sample would be judged that is the whole frame."""
COLUMNS = ("item_id", "topic_id", "k", "position", "reserved_for_id", "token")
JudgmentsByPair = dict[tuple[int, str], list[Judgment]]


class UnplannedPair(NamedTuple):
    """A pair of a pool without a slot."""

    item: int
    topic: int
    docno: str
    priority: int
    position: int


def list_unplanned_pairs(pool: Pool, topics: Collection[int] | None = None) -> list[UnplannedPair]:
    """The pool's pairs that are in no plan of the campaign, by topic and seeded position; those of
    ``topics`` (ids) alone unless None. A pair that another is judged for is in a plan.
    """
    slots = Slot.objects.filter(plan__campaign=pool.campaign, purpose=Purpose.JUDGE).order_by()
    rows = pool.items.order_by("topic", "position")
    if topics is not None:
        slots, rows = slots.filter(topic__in=topics), rows.filter(topic__in=topics)
    planned = set(slots.values_list("topic", "item__docno").distinct())
    propagated = PropagatedPair.objects.filter(topic__campaign=pool.campaign)
    planned |= set(propagated.order_by().values_list("topic", "docno"))
    # Pools of format version 1 have no priority: use the best rank.
    priority = Coalesce("priority", "min_rank")
    values = rows.values_list("pk", "topic", "docno", priority, "position").iterator()
    return [UnplannedPair._make(row) for row in values if row[1:3] not in planned]


def build_workload(
    pairs: Sequence[UnplannedPair],
    topics: dict[int, Topic],
    assessors_by_topic: dict[int, list[User]],
    assessors: list[User],
) -> Workload:
    """``pairs`` as input for a design, which knows assessors as indices in ``assessors``."""
    sizes: dict[int, int] = defaultdict(int)
    for pair in pairs:
        sizes[pair.topic] += 1
    index_by_user = {user.pk: index for index, user in enumerate(assessors)}
    return Workload(
        topics=tuple(topics[topic].number for topic in sizes),
        sizes=tuple(sizes.values()),
        assessors=tuple(
            tuple(sorted({index_by_user[user.pk] for user in assessors_by_topic.get(topic, [])}))
            for topic in sizes
        ),
        assessor_count=len(assessors),
    )


def choose_order(pool: Pool, order: str) -> str:
    """``order``, or without one that which fits ``pool``."""
    return order or (Plan.Order.POOL if is_drawn_by_influence(pool) else Plan.Order.RANDOM)


def positions_by_item(pool: Pool, pairs: Sequence[UnplannedPair], order: str) -> dict[int, int]:
    """The position of each item within its topic, or in a sample by influence in the order of the
    pool within all topics. Docnos are compared by code point.
    """
    if order == Plan.Order.POOL and is_drawn_by_influence(pool):
        return positions_in_rounds(pool, pairs)
    if order == Plan.Order.RANDOM:
        return {pair.item: pair.position for pair in pairs}
    if order == Plan.Order.DOCNO:
        ordered = sorted(pairs, key=lambda pair: pair.docno)
    elif order == Plan.Order.LENGTH:
        ordered = arrange_by_length(pool, pairs)
    else:
        ordered = sorted(pairs, key=lambda pair: (pair.priority, pair.position))
    next_position: dict[int, int] = defaultdict(int)
    positions = {}
    for pair in ordered:
        positions[pair.item] = next_position[pair.topic]
        next_position[pair.topic] += 1
    return positions


def arrange_by_length(pool: Pool, pairs: Sequence[UnplannedPair]) -> list[UnplannedPair]:
    """``pairs``, of each topic in blocks by the length of the documents' text, at random within
    them. A document without a text, such as a picture, is short.
    """
    texts = pool.campaign.documents.filter(docno__in=pool.items.values("docno"))
    lengths = dict(texts.order_by().values_list("docno", Length("body")))
    by_topic: dict[int, list[UnplannedPair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: pair.position):
        by_topic[pair.topic].append(pair)
    return [
        rows[at]
        for rows in by_topic.values()
        for at in order_in_length_blocks([lengths.get(row.docno, 0) for row in rows])
    ]


def positions_in_rounds(pool: Pool, pairs: Sequence[UnplannedPair]) -> dict[int, int]:
    """Rounds in the order of drawing, ``ROUND`` apart, topic by topic within each: the part of the
    order that is judged completely, from which scores are estimated, grows with each round.

    Rounds depend on the frame alone, so that those of a larger sample go on from there.
    """
    plan, number = load_sample_plan(pool)
    frame, size = plan.frame, max(len(plan.order) // ROUNDS, 1)
    places = {
        (frame.topics[topic], docno): place
        for place, (topic, docno) in enumerate(
            (int(frame.topic_index[pair]), frame.docnos[int(pair)]) for pair in plan.order[:number]
        )
    }
    numbers = dict(pool.campaign.topics.values_list("pk", "number"))
    rank = {pk: at for at, pk in enumerate(numbers)}
    rows = sorted(
        (place // size, rank[pair.topic], place, pair.item)
        for pair in pairs
        for place in [places[numbers[pair.topic], pair.docno]]
    )
    return {item: turn * ROUND + at for at, (turn, _topic, _place, item) in enumerate(rows)}


def build_slot_rows(
    pool: Pool,
    pairs: Sequence[UnplannedPair],
    slots: Allocation,
    order: str,
    assessors: Sequence[User],
) -> list[Row]:
    """A slot per entry of ``slots``, as a row of ``COLUMNS``."""
    position = positions_by_item(pool, pairs, order)
    keys = [user.pk for user in assessors]
    columns = (slots.pair.tolist(), slots.k.tolist(), slots.assessor.tolist())
    tokens = make_random_uuids(len(slots.pair))
    return [
        (
            pairs[index].item, pairs[index].topic, k, position[pairs[index].item],
            None if assessor == UNASSIGNED else keys[assessor], token,
        )
        for index, k, assessor, token in zip(*columns, tokens, strict=True)
    ]  # fmt: skip


def insert_slot_rows(plan: Plan, rows: Iterable[Row]) -> None:
    """Insert all slots of a new plan."""
    insert_open_slots(plan, rows)
    # Without statistics PostgreSQL reads all slots of a topic to find the next one, which takes
    # seconds instead of a millisecond.
    refresh_statistics(Slot, PoolItem)


def insert_open_slots(plan: Plan, rows: Iterable[Row]) -> None:
    """Insert open slots of ``plan`` to judge, as rows of ``COLUMNS``. They are built before: on
    SQLite all other writers wait.
    """
    same: dict[str, Value] = {"plan_id": plan.pk, "purpose": "judge", "state": "open"}
    insert_rows(Slot, COLUMNS, rows, same)


def fill_with_existing_judgments(plan: Plan, existing: JudgmentsByPair) -> int:
    """Fill slots of ``plan`` with existing judgments; return the number filled.

    Each is appended again, with its slot: that it counts in the plan is itself part of the
    log, so that qrels as of an earlier time do not change. It fills the slot reserved for its
    assessor; otherwise a grade fills an unreserved one, the earliest judgment first.
    """
    slots = open_slots_by_pair(plan, existing)
    filled: list[tuple[Judgment, Slot]] = []
    for pair, judgments in existing.items():
        for judgment in judgments:
            slot = find_fitting_slot(judgment, slots[pair])
            if slot is not None:
                slots[pair].remove(slot)
                filled.append((judgment, slot))
    record_filled_slots(filled)
    if plan.third_from:
        for slot in {slot.item_id: slot for _, slot in filled}.values():
            add_third_slot(slot)
    return len(filled)


def find_fitting_slot(judgment: Judgment, slots: Sequence[Slot]) -> Slot | None:
    """The slot that ``judgment`` may fill: its assessor's own, or for a grade from 0 up any
    unreserved one.
    """
    own = next((slot for slot in slots if slot.reserved_for_id == judgment.assessor_id), None)
    if own is not None or judgment.grade is None or judgment.grade < 0:
        return own
    return next((slot for slot in slots if slot.reserved_for_id is None), None)


def current_judgments_by_pair(plan: Plan, topic: Topic | None = None) -> JudgmentsByPair:
    """By pair, the current judgments without a slot in the campaign or topic, earliest first.

    For a plan with assessors without those of crowd workers.
    """
    log = log_until(plan.campaign)
    if plan.audience == Audience.MEMBERS:
        log = log.filter(unit=None)
    log = log if topic is None else log.filter(topic=topic)
    if not log.filter(slot=None).exists():
        return {}
    unslotted = latest_judgments(log).filter(slot=None, kind__in=ANSWERS)
    by_pair: dict[tuple[int, str], list[Judgment]] = defaultdict(list)
    for judgment in unslotted.order_by("pk"):
        by_pair[judgment.topic_id, judgment.docno].append(judgment)
    return by_pair


def open_slots_by_pair(plan: Plan, existing: JudgmentsByPair) -> dict[tuple[int, str], list[Slot]]:
    """The plan's open slots of pairs with existing judgments, by pair."""
    by_pair: dict[tuple[int, str], list[Slot]] = defaultdict(list)
    if not existing:
        return by_pair
    topics = {topic for topic, _ in existing}
    slots = plan.slots.filter(state=Slot.State.OPEN, topic__in=topics).select_related("item")
    for slot in slots.order_by("k", "pk"):
        slot.plan = plan
        if (slot.topic_id, slot.docno) in existing:
            by_pair[slot.topic_id, slot.docno].append(slot)
    return by_pair


def record_filled_slots(filled: Sequence[tuple[Judgment, Slot]]) -> None:
    """Save the slots as judged or skipped, and each judgment again with its slot."""
    for judgment, slot in filled:
        graded = judgment.kind == Judgment.Kind.GRADE
        slot.state = Slot.State.JUDGED if graded else Slot.State.SKIPPED
        slot.assessor_id, slot.token = judgment.assessor_id, uuid4()
        slot.unit_id, slot.unit_position = judgment.unit_id, None
    changed = [slot for _, slot in filled]
    Slot.objects.bulk_update(
        changed, ["state", "assessor", "token", "unit", "unit_position"], batch_size=BATCH
    )
    append_copies(filled, source=Judgment.Source.IMPORT)


ADAPTIVE_DESIGNS = ("overlap",)
"""Designs that treat all documents alike, and so also those still to come."""


def check_design(pool: Pool, design: str) -> None:
    if pool.is_adaptive and design not in ADAPTIVE_DESIGNS:
        fix = "Use overlap: other designs must know all documents in advance."
        raise ActionRefused("pool-grows", f"{design} does not support adaptive pools.", fix)


def max_future_judgments(pool: Pool, topics: Collection[str], overlap: int) -> int:
    """The most judgments that ``topics`` may still need as ``pool`` grows; 0 for complete ones."""
    going_on = pool.campaign.topics.filter(number__in=topics, stopped=None)
    named = going_on.values_list("pk", flat=True)
    left = future_documents([pool.pk])
    return overlap * sum(left.get((pool.pk, topic), 0) for topic in named)


def check_not_grown(plan: Plan, pairs: Sequence[UnplannedPair]) -> None:
    """Refuse if an adaptive pool has added one of ``pairs`` to a plan in the meantime."""
    growing = PoolTopic.objects.filter(pool__campaign=plan.campaign).values("pool")
    others = plan.campaign.plans.exclude(pk=plan.pk).filter(pool__in=growing).order_by()
    slots = Slot.objects.filter(plan__in=others)
    planned = set(slots.order_by().values_list("topic", "item__docno"))
    if any((pair.topic, pair.docno) in planned for pair in pairs):
        message = "An adaptive pool has planned some of these documents in the meantime."
        raise ActionRefused("planned-meanwhile", message, "Create this plan again.")
