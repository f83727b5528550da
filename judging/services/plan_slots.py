"""The slots of a plan: which pairs are free, in which order they come, and writing them fast."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

from django.db import connection
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, Topic, User
from judging.core.designs.allocation import NOBODY, Allocation, Workload
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.judgments import SAID, latest_judgments, log_until
from judging.services.followups import add_third_slot
from pooling.models import Pool, PoolItem

BATCH = 500
COLUMNS = (
    "plan_id", "item_id", "topic_id", "purpose", "k", "position", "reserved_for_id", "state",
    "token",
)  # fmt: skip


Row = tuple[int | str | None, ...]
Standing = dict[tuple[int, str], list[Judgment]]


@dataclass(frozen=True, slots=True)
class UnplannedPair:
    """A pair of a pool that has no slot yet."""

    item: int
    topic: int
    docno: str
    priority: int
    position: int


def list_unplanned_pairs(pool: Pool) -> list[UnplannedPair]:
    """The pool's pairs that no plan of the campaign has, by topic and seeded position."""
    slots = Slot.objects.filter(plan__campaign=pool.campaign, purpose=Purpose.JUDGE).order_by()
    planned = set(slots.values_list("topic", "item__docno").distinct())
    rows = pool.items.order_by("topic", "position")
    # Pools of version 1 have no order of their own: the best rank is theirs.
    place = Coalesce("priority", "min_rank")
    found = rows.values_list("pk", "topic", "docno", place, "position").iterator()
    pairs = (UnplannedPair(*row) for row in found)
    return [pair for pair in pairs if (pair.topic, pair.docno) not in planned]


def build_workload(
    pairs: Sequence[UnplannedPair],
    topics: dict[int, Topic],
    people: dict[int, list[User]],
    crew: list[User],
) -> Workload:
    """``pairs`` as a design sees them; ``people`` by topic, numbered as they stand in ``crew``."""
    sizes: dict[int, int] = defaultdict(int)
    for pair in pairs:
        sizes[pair.topic] += 1
    at = {user.pk: index for index, user in enumerate(crew)}
    return Workload(
        topics=tuple(topics[topic].number for topic in sizes),
        sizes=tuple(sizes.values()),
        people=tuple(
            tuple(sorted({at[user.pk] for user in people.get(topic, [])})) for topic in sizes
        ),
        crew=len(crew),
    )


def item_positions(pairs: Sequence[UnplannedPair], order: str) -> dict[int, int]:
    """By item where it comes within its topic. Docnos are compared by code point."""
    if order == Plan.Order.RANDOM:
        return {pair.item: pair.position for pair in pairs}
    if order == Plan.Order.DOCNO:
        ordered = sorted(pairs, key=lambda pair: pair.docno)
    else:
        ordered = sorted(pairs, key=lambda pair: (pair.priority, pair.position))
    place: dict[int, int] = defaultdict(int)
    positions = {}
    for pair in ordered:
        positions[pair.item] = place[pair.topic]
        place[pair.topic] += 1
    return positions


def write_slots(
    plan: Plan, pairs: Sequence[UnplannedPair], layout: Allocation, crew: Sequence[User]
) -> None:
    """One open slot for each judgment of ``layout``."""
    position = item_positions(pairs, plan.order)
    insert_slot_rows(iter_slot_rows(plan, pairs, layout, position, [user.pk for user in crew]))


def iter_slot_rows(
    plan: Plan,
    pairs: Sequence[UnplannedPair],
    layout: Allocation,
    position: dict[int, int],
    crew: Sequence[int],
) -> Iterator[Row]:
    purpose, state = Purpose.JUDGE.value, Slot.State.OPEN.value
    columns = zip(layout.pair.tolist(), layout.k.tolist(), layout.person.tolist(), strict=True)
    for index, k, person in columns:
        pair = pairs[index]
        whose = None if person == NOBODY else crew[person]
        yield (
            plan.pk, pair.item, pair.topic, purpose, k, position[pair.item], whose, state,
            uuid4().hex,
        )  # fmt: skip


def insert_slot_rows(rows: Iterable[Row]) -> None:
    """Write rows of ``COLUMNS`` past the ORM, which takes four times as long.

    On SQLite nobody else writes meanwhile, so the time counts.
    """
    # Made first: the rows, too, would be made while others wait.
    listed = list(rows)
    quote = connection.ops.quote_name
    table = quote(Slot._meta.db_table)  # noqa: SLF001 (public, whatever its name says)
    names = ", ".join(map(quote, COLUMNS))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in listed:
                    copy.write_row(row)
            # Now and not at the end, when writers of judgments already wait for us.
            connection.check_constraints()
            # Before it knows how many slots there are PostgreSQL reads a topic's all to
            # find the next, and takes seconds where it should take a millisecond.
            cursor.execute(f"ANALYZE {table}, {quote(PoolItem._meta.db_table)}")  # noqa: SLF001
        else:
            marks = ", ".join(["%s"] * len(COLUMNS))
            sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 (our own names)
            cursor.executemany(sql, listed)


def fill_with_existing_judgments(plan: Plan, existing: Standing) -> int:
    """Let what is said already fill the slots of ``plan``; return how many it did.

    It is written once more, with its slot: that it counts in the plan is itself a fact of
    the log, so that a qrels release as of an earlier moment does not change. The slot
    reserved for its assessor is taken, who is not asked again; else a grade takes one that
    is for anybody, the earliest first.
    """
    slots = open_slots(plan, existing)
    filled: list[tuple[Judgment, Slot]] = []
    for pair, judgments in existing.items():
        for judgment in judgments:
            slot = find_fitting_slot(judgment, slots[pair])
            if slot is not None:
                slots[pair].remove(slot)
                filled.append((judgment, slot))
    take_slot(filled)
    if plan.third_from:
        for slot in {slot.item_id: slot for _, slot in filled}.values():
            add_third_slot(slot)
    return len(filled)


def find_fitting_slot(judgment: Judgment, slots: Sequence[Slot]) -> Slot | None:
    """The slot that ``judgment`` may fill; a skip or a grade below 0 only its assessor's own."""
    own = next((slot for slot in slots if slot.reserved_for_id == judgment.assessor_id), None)
    if own is not None or judgment.grade is None or judgment.grade < 0:
        return own
    return next((slot for slot in slots if slot.reserved_for_id is None), None)


def current_judgments_by_pair(campaign: Campaign, topic: Topic | None = None) -> Standing:
    """By pair what stands in the campaign, or of one topic, and no plan wanted, earliest first."""
    log = log_until(campaign)
    log = log if topic is None else log.filter(topic=topic)
    if not log.filter(slot=None).exists():
        return {}
    loose = latest_judgments(log).filter(slot=None, kind__in=SAID)
    by_pair: dict[tuple[int, str], list[Judgment]] = defaultdict(list)
    for judgment in loose.order_by("pk"):
        by_pair[judgment.topic_id, judgment.docno].append(judgment)
    return by_pair


def open_slots(plan: Plan, existing: Standing) -> dict[tuple[int, str], list[Slot]]:
    by_pair: dict[tuple[int, str], list[Slot]] = defaultdict(list)
    if not existing:
        return by_pair
    topics = {topic for topic, _ in existing}
    slots = plan.slots.filter(state=Slot.State.OPEN, topic__in=topics).select_related("item")
    for slot in slots.order_by("k", "pk"):
        slot.plan = plan
        if (slot.topic_id, slot.item.docno) in existing:
            by_pair[slot.topic_id, slot.item.docno].append(slot)
    return by_pair


def take_slot(filled: Sequence[tuple[Judgment, Slot]]) -> None:
    for judgment, slot in filled:
        graded = judgment.kind == Judgment.Kind.GRADE
        slot.state = Slot.State.JUDGED if graded else Slot.State.SKIPPED
        slot.assessor_id, slot.token = judgment.assessor_id, uuid4()
    changed = [slot for _, slot in filled]
    Slot.objects.bulk_update(changed, ["state", "assessor", "token"], batch_size=BATCH)
    Judgment.objects.bulk_create(
        (copy_with_slot(judgment, slot) for judgment, slot in filled), batch_size=BATCH
    )


def copy_with_slot(judgment: Judgment, slot: Slot) -> Judgment:
    """The same word again, now with the slot that it fills; it took no time and no reading."""
    return Judgment(
        campaign_id=judgment.campaign_id,
        topic_id=judgment.topic_id,
        docno=judgment.docno,
        assessor_id=judgment.assessor_id,
        purpose=judgment.purpose,
        revision=judgment.revision + 1,
        kind=judgment.kind,
        grade=judgment.grade,
        reason=judgment.reason,
        comment=judgment.comment,
        flags=judgment.flags,
        duplicate_of=judgment.duplicate_of,
        passages=judgment.passages,
        guideline_version=judgment.guideline_version,
        document_sha256=judgment.document_sha256,
        slot=slot,
        source=Judgment.Source.IMPORT,
    )
