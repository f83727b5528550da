"""Reading work units: their documents and answers, what a worker knows, what is free."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.models import CrowdWorker, GoldPair, Judgment, Plan, Purpose, Slot, WorkUnit
from judging.queries.judgments import ANSWERS, SHOWN, latest_judgments
from judging.queries.slots import free_slots
from judging.queries.stopping import open_topic_filter

Pair = tuple[int, str]
"""Topic, by its id, and docno."""
FreeSlot = tuple[int, int, str]
"""Slot and topic, by their ids, and docno."""
State = Slot.State
NEARBY = 200
"""Number of expired leases to search."""


def list_unit_slots(unit: WorkUnit) -> QuerySet[Slot]:
    """The documents of ``unit`` that wait for its worker or have their grade, in its order.

    Without skipped ones, of whatever purpose: those of the pool go on to other workers.
    """
    own = Slot.objects.filter(
        unit=unit, assessor=unit.worker.user_id, state__in=(State.LEASED, State.JUDGED)
    )
    return own.select_related("item", "gold", "topic").order_by("unit_position")


def current_unit_judgments(unit: WorkUnit) -> QuerySet[Judgment]:
    """The worker's current answers of ``unit``, skips included, in the order given; without
    practice.
    """
    log = Judgment.objects.filter(unit=unit, purpose__in=SHOWN)
    current = latest_judgments(log).filter(kind__in=ANSWERS)
    return current.select_related("topic", "slot__gold").order_by("pk")


def list_known_pairs(worker: CrowdWorker) -> set[Pair]:
    """All pairs of the campaign that ``worker`` has checked out or answered, for any purpose."""
    answered = Judgment.objects.filter(campaign=worker.campaign_id, assessor=worker.user_id)
    docno = Coalesce("item__docno", "gold__docno")
    held = Slot.objects.filter(plan__campaign=worker.campaign_id, assessor=worker.user_id)
    return {
        *answered.order_by().values_list("topic", "docno"),
        *held.order_by().values_list("topic", docno),
    }


def list_free_topics(plan: Plan) -> list[int]:
    """The topics of ``plan`` with free slots, most of them first."""
    free = plan.slots.filter(free_slots(), open_topic_filter(), purpose=Purpose.JUDGE)
    counts = free.order_by().values_list("topic").annotate(count=Count("pk"))
    return [topic for topic, _ in counts.order_by("-count", "topic")]


def iter_free_slots(
    plan: Plan, topic: int | None, windows: Iterable[int | None]
) -> Iterator[list[FreeSlot]]:
    """Free slots of ``plan`` in the order of judging: expired leases, and as many open ones as
    each of ``windows`` says (None: all).
    """
    slots = plan.slots.filter(open_topic_filter(), purpose=Purpose.JUDGE)
    slots = slots if topic is None else slots.filter(topic=topic)
    expired = slots.filter(state=State.LEASED, expires_at__lte=timezone.now())
    columns = ("pk", "topic", "item__docno")
    for size in windows:
        lapsed = list(expired.order_by("pk").values_list(*columns)[:NEARBY])
        opened = slots.filter(state=State.OPEN).order_by("position", "k")
        listed = list(opened.values_list(*columns)[:size])
        yield lapsed + listed
        if size is None or len(listed) < size:
            return


def list_unseen_gold(worker: CrowdWorker, known_pairs: Collection[Pair]) -> list[GoldPair]:
    """The gold pairs that may still test ``worker``, who knows ``known_pairs``."""
    pairs = GoldPair.objects.filter(campaign=worker.campaign_id, retired=False).order_by("pk")
    return [gold for gold in pairs if (gold.topic_id, gold.docno) not in known_pairs]


def count_seen_gold(worker: CrowdWorker) -> dict[int, int]:
    """By grade, the gold pairs that ``worker`` was tested with."""
    slots = Slot.objects.filter(assessor=worker.user_id, purpose=Purpose.GOLD).order_by()
    return dict(slots.values_list("gold__grade").annotate(Count("pk")))


def list_repeatable_slots(unit: WorkUnit) -> list[Slot]:
    """Slots that the worker judged in earlier units of the plan and that were never repeated."""
    own = unit.plan.slots.filter(assessor=unit.worker.user_id).exclude(unit=unit).order_by("pk")
    repeated = Slot.objects.filter(purpose=Purpose.REPEAT, assessor=unit.worker.user_id)
    judged = own.filter(purpose=Purpose.JUDGE, state=State.JUDGED)
    return list(judged.exclude(item__in=repeated.order_by().values("item")))


def count_next_repeats(items: Collection[int | None]) -> dict[int | None, int]:
    """By pool item, the ``k`` of its next repeat."""
    again = Slot.objects.filter(purpose=Purpose.REPEAT, item__in=items).order_by()
    return dict(again.values_list("item").annotate(following=Max("k") + 1))
