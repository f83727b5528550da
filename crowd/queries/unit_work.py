"""Reading work units: documents and answers, gold, what a worker knows, what is free."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from crowd.models import CrowdWorker, GoldPair, Study, WorkUnit
from judging.models import Exclusion, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ANSWERS, SHOWN
from judging.queries.slots import free_slots, open_topic_filter
from poolbench.crowd.quality.gold import compute_wilson_interval
from poolbench.statistics.estimate import Estimate

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


def find_last_unit_answer(unit: WorkUnit) -> Judgment | None:
    """The worker's latest answer of ``unit``, or change of one, skips included; not practice."""
    answers = Judgment.objects.filter(unit=unit, purpose__in=SHOWN, kind__in=ANSWERS)
    return answers.select_related("topic").order_by("pk").last()


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


@dataclass(frozen=True)
class UnitAnswers:
    """Documents of a unit that were answered; those with a known grade, and those skipped, among
    them.
    """

    judged: int
    gold_shown: int
    gold_right: int
    skipped: int = 0


def load_unit_answers(unit: WorkUnit) -> UnitAnswers:
    """What counts for the pay of ``unit``: of each document the latest answer or skip."""
    rows = (
        Judgment.objects.filter(unit=unit)
        .exclude(purpose=Purpose.TRAINING)
        .order_by("pk")
        .values_list("topic", "docno", "purpose", "kind", "grade", "slot__gold__grade")
    )
    latest = {(topic, docno, purpose): rest for topic, docno, purpose, *rest in rows}
    answers = [
        (purpose, grade, gold)
        for (_, _, purpose), (kind, grade, gold) in latest.items()
        if kind != Judgment.Kind.WITHDRAWN
    ]
    gold = [(grade, known) for purpose, grade, known in answers if purpose == Purpose.GOLD]
    return UnitAnswers(
        judged=len(answers),
        gold_shown=len(gold),
        gold_right=sum(grade is not None and grade == known for grade, known in gold),
        skipped=sum(grade is None for _, grade, _ in answers),
    )


def list_places(study: Study) -> QuerySet[WorkUnit]:
    """The units that count for the limits of ``study``: started, or offered for no longer than a
    unit may take.
    """
    since = timezone.now() - timedelta(minutes=study.unit_minutes)
    waiting = Q(state=WorkUnit.State.OFFERED, offered_at__gt=since)
    units = WorkUnit.objects.filter(plan=study.plan_id, trial=False)
    return units.filter(Q(started_at__isnull=False) | waiting)


def load_gold_interval(unit: WorkUnit) -> Estimate:
    """The accuracy on gold of the unit's worker in its study: one query, whatever was answered.

    Documents first answered before an organizer undid an exclusion of the worker are forgiven. Of
    a trial, only its own answers count.
    """
    own = Judgment.objects.filter(unit__worker=unit.worker_id, unit__plan=unit.plan_id)
    own = own.filter(unit=unit) if unit.trial else own.filter(unit__trial=False)
    undone_later = Exclusion.objects.filter(
        worker=unit.worker_id, undoes__isnull=False, set_at__gte=OuterRef("judged_at")
    )
    rows = (
        own.filter(purpose=Purpose.GOLD)
        .annotate(forgiven=Exists(undone_later))
        .order_by("pk")
        .values_list("topic", "docno", "grade", "slot__gold__grade", "forgiven")
    )
    forgiven, latest = set(), {}
    for topic, docno, grade, known, early in rows:
        latest[topic, docno] = (grade, known)
        if early:
            forgiven.add((topic, docno))
    answered = [
        (grade, known)
        for pair, (grade, known) in latest.items()
        if pair not in forgiven and grade is not None
    ]
    right = sum(grade == known for grade, known in answered)
    return compute_wilson_interval(right, len(answered))
