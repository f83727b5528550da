"""Work units of the crowd: their documents are leased together, answered one by one, returned."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
from django.db import transaction
from django.utils import timezone

from campaigns.errors import ActionRefused
from crowd.models import CrowdWorker, GoldPair, WorkUnit
from crowd.queries.unit_work import (
    Pair,
    count_next_repeats,
    count_seen_gold,
    iter_free_slots,
    list_free_topics,
    list_known_pairs,
    list_repeatable_slots,
    list_unit_slots,
    list_unseen_gold,
)
from judging.models import Plan, Purpose, Slot
from judging.queries.slots import free_slots
from judging.services.crowd_acts import lease_documents, return_documents
from judging.services.judgment_log import lock_judging, run_with_retries
from judging.services.judgments import require_judging_open
from poolbench.crowd.units import arrange_unit, choose_balanced, group_topics

State = Slot.State
WINDOWS = (512, 4096, None)
"""Numbers of open slots to search after the first window, while the worker knows all of them."""
TOPICS = 20
"""Topics to search for one that fills a unit."""


@dataclass(frozen=True)
class UnitRequest:
    """What a unit is to hold: ``size`` documents of its plan, of one topic or any, ``gold`` ones
    and ``repeats``; ``until`` is the end of its leases.
    """

    size: int
    one_topic: bool
    gold: int
    repeats: int
    until: datetime
    seed: int


def start_unit(*, unit: WorkUnit, request: UnitRequest) -> list[Slot]:
    """Check what ``request`` says out to the unit's worker: documents of the plan, of known grade
    and of their own, in random order by its seed; return them in order.

    Never a pair that the worker has had in this campaign. Less where less remains; refused with
    ``no-work`` if nothing does. The unit becomes started: ``size`` is the number of its documents,
    ``closes_at`` is the end of the leases. Starting it again returns the same documents.
    """
    return run_with_retries(partial(lease_unit, unit, request))


def lease_unit(unit: WorkUnit, request: UnitRequest) -> list[Slot]:
    lock_judging(unit.plan.campaign)
    here = lock_unit(unit)
    if here.state == WorkUnit.State.STARTED:
        return list(list_unit_slots(here))
    require_startable(here)
    known_pairs = list_known_pairs(here.worker)
    slots = take_slots(here, request, known_pairs)
    if not slots:
        raise make_no_work_error()
    tests = draw_gold(here, request, slots, known_pairs)
    again, firsts = draw_repeats(here, request, slots)
    # Those of this unit first: positions are those of documents, then of repeats.
    documents = [*slots, *(build_gold_slot(here.plan, pair) for pair in tests)]
    positions = arrange_unit(len(documents), firsts, request.seed)
    everything = [*documents, *build_repeat_slots(again)]
    # What comes twice in this unit stays apart; else one question after the other.
    twice = {n for n in firsts if n is not None}
    twice |= {len(documents) + at for at, n in enumerate(firsts) if n is not None}
    topics = [slot.topic_id for slot in everything]
    positions = group_topics(positions, topics, twice, request.seed)
    slots_at = [
        (slot, at) for slot, at in zip(everything, positions, strict=True) if at is not None
    ]
    lease_documents(
        slots_at, unit=here.pk, assessor=here.worker.user, until=request.until,
        guidelines=here.plan.campaign.guideline_version,
    )  # fmt: skip
    start = {
        "state": WorkUnit.State.STARTED,
        "size": len(slots_at),
        "started_at": timezone.now(),
        "closes_at": request.until,
    }
    WorkUnit.objects.filter(pk=unit.pk).update(**start)
    for name, value in start.items():
        setattr(unit, name, value)
    return list(list_unit_slots(here))


def lock_unit(unit: WorkUnit) -> WorkUnit:
    """The unit as it is now, locked until the end of the transaction."""
    units = WorkUnit.objects.select_for_update(no_key=True, of=("self",))
    return units.select_related("plan__campaign", "worker__user").get(pk=unit.pk)


def require_startable(unit: WorkUnit) -> None:
    if unit.is_over:
        raise ActionRefused("unit-over", "This unit has ended.")
    if unit.worker.state != CrowdWorker.State.ACTIVE:
        raise ActionRefused("worker-inactive", "This worker takes no more documents.")
    if unit.plan.state != Plan.State.OPEN:
        raise make_no_work_error()
    require_judging_open(unit.plan.campaign, Plan.Kind.JUDGE)


def make_no_work_error() -> ActionRefused:
    return ActionRefused("no-work", "No documents are left for this worker.")


def take_slots(unit: WorkUnit, request: UnitRequest, known_pairs: Collection[Pair]) -> list[Slot]:
    """Free slots of pairs that the worker does not know, locked for this transaction."""
    if not request.one_topic:
        return lock_new_slots(unit, request, known_pairs, None)
    best: list[Slot] = []
    for topic in list_free_topics(unit.plan)[:TOPICS]:
        new = count_new_pairs(unit, request, known_pairs, topic)
        if new > len(best):
            best = lock_new_slots(unit, request, known_pairs, topic) or best
        if len(best) >= request.size:
            break
    return best


def first_window_size(unit: WorkUnit, request: UnitRequest) -> int:
    return max(64, 6 * request.size * unit.plan.overlap)


def count_new_pairs(
    unit: WorkUnit, request: UnitRequest, known_pairs: Collection[Pair], topic: int
) -> int:
    """Up to the size of the unit, the free pairs of ``topic`` that are new to the worker."""
    count = 0
    for listed in iter_free_slots(unit.plan, topic, (first_window_size(unit, request), *WINDOWS)):
        count = len({row[1:] for row in listed} - set(known_pairs))
        if count >= request.size:
            break
    return min(count, request.size)


def lock_new_slots(
    unit: WorkUnit, request: UnitRequest, known_pairs: Collection[Pair], topic: int | None
) -> list[Slot]:
    """At most ``size`` free slots of different new pairs, drawn at random from the first ones.

    Slots that another transaction has locked are left to it, so none waits for another.
    """
    generator = np.random.default_rng(request.seed)
    taken: list[Slot] = []
    mine, tried = set(known_pairs), set[int]()
    for listed in iter_free_slots(unit.plan, topic, (first_window_size(unit, request), *WINDOWS)):
        while len(taken) < request.size:
            # Of each pair its first slot that was not tried.
            new = {row[1:]: row[0] for row in reversed(listed) if row[0] not in tried}
            left = sorted(pk for pair, pk in new.items() if pair not in mine)
            if not left:
                break
            count = min(request.size - len(taken), len(left))
            drawn = [left[at] for at in generator.choice(len(left), count, replace=False)]
            tried.update(drawn)
            got = lock_free_slots(drawn)
            taken += got
            mine |= {(slot.topic_id, slot.docno) for slot in got}
        if len(taken) >= request.size:
            break
    return taken


def lock_free_slots(numbers: Collection[int]) -> list[Slot]:
    slots = Slot.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
    free = slots.filter(free_slots(), pk__in=numbers).select_related("item", "plan", "topic")
    return list(free.order_by("pk"))


def draw_gold(
    unit: WorkUnit, request: UnitRequest, slots: Sequence[Slot], known_pairs: Collection[Pair]
) -> list[GoldPair]:
    """Gold pairs for the unit, balanced over grades; of its own topics first, so that a topic
    does not tell them apart, and of no other if the unit has one topic.
    """
    if not request.gold:
        return []
    topics = {slot.topic_id for slot in slots}
    inside = {*known_pairs, *((slot.topic_id, slot.docno) for slot in slots)}
    pairs = list_unseen_gold(unit.worker, inside)
    np.random.default_rng(request.seed).shuffle(pairs)
    by_grade: dict[int, list[GoldPair]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: pair.topic_id not in topics):
        if pair.topic_id in topics or not request.one_topic:
            by_grade[pair.grade].append(pair)
    return choose_balanced(by_grade, count_seen_gold(unit.worker), request.gold, request.seed)


def draw_repeats(
    unit: WorkUnit, request: UnitRequest, slots: Sequence[Slot]
) -> tuple[list[Slot], list[int | None]]:
    """Slots whose pairs the worker sees again, and which of ``slots`` they are (None: they were
    judged in an earlier unit). Earlier ones first.
    """
    if not request.repeats:
        return [], []
    generator = np.random.default_rng(request.seed)
    topics = {slot.topic_id for slot in slots}
    earlier = list_repeatable_slots(unit)
    generator.shuffle(earlier)
    earlier.sort(key=lambda slot: slot.topic_id not in topics)
    if request.one_topic:
        earlier = [slot for slot in earlier if slot.topic_id in topics]
    earlier = earlier[: request.repeats]
    missing = min(request.repeats - len(earlier), len(slots))
    own = [int(at) for at in generator.choice(len(slots), missing, replace=False)]
    return [*earlier, *(slots[at] for at in own)], [*([None] * len(earlier)), *own]


def build_gold_slot(plan: Plan, pair: GoldPair) -> Slot:
    return Slot(plan=plan, gold=pair, topic_id=pair.topic_id, purpose=Purpose.GOLD, k=0, position=0)


def build_repeat_slots(firsts: Sequence[Slot]) -> list[Slot]:
    following = count_next_repeats([slot.item_id for slot in firsts]) if firsts else {}
    return [
        Slot(
            plan_id=slot.plan_id,
            item_id=slot.item_id,
            topic_id=slot.topic_id,
            purpose=Purpose.REPEAT,
            k=following.get(slot.item_id, 0),
            position=slot.position,
        )
        for slot in firsts
    ]


def release_unit(*, unit: WorkUnit) -> int:
    """Return the documents of ``unit`` that have no answer, of a trial all documents of the pool;
    return the number (``return_documents``).
    """
    with transaction.atomic():
        plan, worker = lock_unit(unit).plan, unit.worker.user_id
        return return_documents(plan=plan, unit=unit.pk, assessor=worker, judged=unit.trial)
