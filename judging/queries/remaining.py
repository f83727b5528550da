"""What remains for each assessor: one forecast for their own pages, the organizer's and the API."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from campaigns.models import Campaign, Role, User
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ANSWERS, ON_SCREEN
from judging.queries.repeats import count_undrawn_repeats
from judging.queries.slot_counts import count_campaign_slots, list_shared_topics
from judging.queries.slots import (
    PEOPLE,
    active_assignments,
    free_slots,
    open_topic_filter,
    withdrawn_judgments,
)
from poolbench.cache import Cache
from poolbench.judging.designs.allocation import divide_open_judgments
from poolbench.shared_reads import read_once
from pooling.queries.adaptive_pools import future_documents
from pooling.queries.judgment_log import NONE, JudgmentLog, read_judgment_log

At = tuple[int, int]
"""Plan and topic, by their ids."""
Seat = tuple[int, int, int]
"""Plan, topic and assessor, by their ids."""
_elsewhere: Cache[tuple[Any, ...], frozenset[int]] = Cache(64)
"""By the version of the log."""
TINY = 1e-9
"""Less than a rounding error of sums of shares: not one document more."""


@dataclass(frozen=True)
class Remaining:
    """Documents that wait for an assessor, without those checked out to them.

    ``expected``: those reserved for them, and their share of those that others may judge as well
    (``divide_open_judgments``). ``most``: all that they would get if no other assessor judged.
    """

    expected: float = 0.0
    most: int = 0

    def __add__(self, other: "Remaining") -> "Remaining":
        return Remaining(self.expected + other.expected, self.most + other.most)

    @property
    def count(self) -> int:
        """Rounded up: 0 only if nothing remains."""
        return ceil(self.expected - TINY)


def add_remaining(parts: Iterable[Remaining]) -> Remaining:
    return sum(parts, Remaining())


def remaining_by_topic(
    assessor: User, campaign: Campaign, topics: Collection[int] | None = None
) -> dict[int, Remaining]:
    """By topic id, what remains for ``assessor``; topics without any are omitted."""
    if topics is None:
        key = "remaining", campaign.pk, assessor.pk
        return read_once(key, lambda: _list_remaining(assessor, campaign, None))
    return _list_remaining(assessor, campaign, topics)


def _list_remaining(
    assessor: User, campaign: Campaign, topics: Collection[int] | None
) -> dict[int, Remaining]:
    # Repeats come also from topics that the assessor has left.
    own = Assignment.ever.filter(plan__campaign=campaign, assessor=assessor).order_by()
    assigned = set(own.values_list("topic", flat=True)) if topics is None else set(topics)
    return remaining_by_assessor(campaign, assigned)[assessor.pk]


def remaining_by_assessor(
    campaign: Campaign, topics: Collection[int] | None = None
) -> dict[int, dict[int, Remaining]]:
    """By assessor's and topic's id, what remains, also of blind repeats.

    Nothing for paused assignments and plans, and in topics that are complete by the stopping
    rule, except repeats. ``topics`` restricts the result.
    """
    here = {} if topics is None else {"topic__in": list(topics)}
    seats = list_seats(campaign, here)
    documents = remaining_documents(campaign, seats, here)
    remaining: dict[int, dict[int, Remaining]] = defaultdict(dict)

    def add(user: int, topic: int, part: Remaining) -> None:
        if part.most:
            remaining[user][topic] = remaining[user].get(topic, Remaining()) + part

    for parts in (documents, repeats_to_come(campaign, seats, documents)):
        for (user, topic), part in parts.items():
            add(user, topic, part)
    repeats = open_repeats(campaign).filter(**here).values_list("reserved_for", "topic")
    for user, topic, count in repeats.annotate(Count("pk")):
        add(user or 0, topic, Remaining(count, count))
    return remaining


def remaining_documents(
    campaign: Campaign, seats: list[tuple[int, int, int, int, int]], here: dict[str, list[int]]
) -> dict[tuple[int, int], Remaining]:
    """By assessor and topic, the documents that remain under these assignments, without
    repeats.
    """
    documents: dict[tuple[int, int], Remaining] = defaultdict(Remaining)
    if seats:
        for (_plan, topic, user), part in planned_documents(campaign, seats, here).items():
            documents[user, topic] += part
        for (topic, user), part in documents_to_come(seats).items():
            documents[user, topic] += part
    return documents


def remaining_documents_in_topic(assessor: User, campaign: Campaign, topic: int) -> int:
    """The documents of a topic that remain for ``assessor``, without repeats."""
    here = {"topic__in": [topic]}
    seats = list_seats(campaign, here)
    documents = remaining_documents(campaign, seats, here)
    return documents.get((assessor.pk, topic), Remaining()).count


def repeats_to_come(
    campaign: Campaign,
    seats: list[tuple[int, int, int, int, int]],
    documents: dict[tuple[int, int], Remaining],
) -> dict[tuple[int, int], Remaining]:
    """By assessor and topic, the blind repeats that are still to be drawn: so a total does not
    grow when one comes.
    """
    places = [seat[:3] for seat in seats]
    expected = {at: part.expected for at, part in documents.items()}
    most = {at: float(part.most) for at, part in documents.items()}
    undrawn = count_undrawn_repeats(campaign, places, expected, most)
    return {at: Remaining(*counts) for at, counts in undrawn.items()}


def list_seats(
    campaign: Campaign, here: dict[str, list[int]]
) -> list[tuple[int, int, int, int, int]]:
    """Plan, topic, assessor, pool and overlap of the active assignments of those who are still
    assessors, oldest plan first.
    """
    able = campaign.members.filter(role=Role.ASSESSOR).values("user")
    active = active_assignments(campaign).filter(assessor__in=able, **here)
    columns = ("plan", "topic", "assessor", "plan__pool", "plan__overlap")
    return list(active.order_by("plan", "topic", "assessor").values_list(*columns))


def planned_documents(
    campaign: Campaign, seats: list[tuple[int, int, int, int, int]], here: dict[str, list[int]]
) -> dict[Seat, Remaining]:
    """The documents with a slot, by plan, topic and assessor."""
    open_plans = campaign.plans.filter(state=Plan.State.OPEN).order_by()
    offered = list_free_slots(list(open_plans.values_list("pk", flat=True)), here).filter(
        open_topic_filter()
    )
    # The desk asks about one topic after every judgment.
    is_one = len(here.get("topic__in", ())) == 1
    shared = None if is_one else list_shared_topics(campaign)
    slots, documents = count_offered(offered, shared)
    reserves = any(whose for counts in slots.values() for whose in counts)
    known = count_known_documents(
        campaign, offered, {seat[2] for seat in seats}, here, shared, reserves=reserves
    )
    people: dict[At, list[int]] = defaultdict(list)
    for plan, topic, user, *_ in seats:
        if (plan, topic) in slots:
            people[plan, topic].append(user)
    result: dict[Seat, Remaining] = {}
    for at, users in people.items():
        may_judge = [max(documents[at][0] - known[*at, user, False], 0) for user in users]
        parts = divide_open_judgments(slots[at][0], may_judge)
        for user, part, most in zip(users, parts, may_judge, strict=True):
            own = max(documents[at][user] - known[*at, user, True], 0)
            result[*at, user] = Remaining(own + part, own + most)
    return result


def count_offered(
    offered: QuerySet[Slot], shared: Collection[int] | None
) -> tuple[dict[At, Counter[int]], dict[At, Counter[int]]]:
    """By plan and topic, and by whom they are reserved for (0: anybody), the free slots and their
    documents. ``shared``: the topics in which a document may have several slots, None: any.
    """
    slots: dict[At, Counter[int]] = defaultdict(Counter)
    documents: dict[At, Counter[int]] = defaultdict(Counter)
    columns = ("plan", "topic", "reserved_for")
    if shared is not None:
        single = offered.exclude(topic__in=shared)
        for plan, topic, whose, count in single.values_list(*columns).annotate(Count("pk")):
            slots[plan, topic][whose or 0] = documents[plan, topic][whose or 0] = count
        offered = offered.filter(topic__in=shared)
    rows = offered.values_list(*columns).annotate(Count("pk"), Count("item", distinct=True))
    for plan, topic, whose, slot_count, item_count in rows:
        slots[plan, topic][whose or 0] = slot_count
        documents[plan, topic][whose or 0] = item_count
    return slots, documents


def list_free_slots(plans: Collection[int], here: dict[str, list[int]]) -> QuerySet[Slot]:
    """The free slots of judgments of ``plans``."""
    # The states say nothing new, but lead to an index where free slots are few among many.
    states = (Slot.State.OPEN, Slot.State.LEASED)
    return Slot.objects.filter(
        free_slots(), plan__in=plans, purpose=Purpose.JUDGE, state__in=states, **here
    ).order_by()


def count_known_documents(
    campaign: Campaign,
    offered: QuerySet[Slot],
    users: Collection[int],
    here: dict[str, list[int]],
    shared: Collection[int] | None,
    *,
    reserves: bool,
) -> Counter[tuple[int, int, int, bool]]:
    """By plan, topic, assessor, and whether the slot is reserved for them: the offered documents
    that the assessor has checked out, judged or skipped. ``shared`` as in ``count_offered``.
    """
    # Looked up from the free slots, which are the fewer ones for most of a campaign.
    plans = list(campaign.plans.order_by().values_list("pk", flat=True))
    same = list_free_slots(plans, here)
    own_slots = Slot.objects.filter(
        plan__in=plans, purpose=Purpose.JUDGE, assessor__in=list(users), **here
    ).order_by()
    known = Counter[tuple[int, int, int, bool]]()
    held = own_slots
    if shared is not None:
        known.update(count_own_free_slots(campaign, same.exclude(topic__in=shared), users))
        same = same.filter(topic__in=shared)
        held = own_slots.filter(topic__in=shared)
    # Not by state besides: SQLite would look for all combinations of state, topic and item.
    sources: list[tuple[bool, Q]] = [
        (False, Q(item__in=same.filter(reserved_for=None).values("item")))
    ]
    if reserves:
        reserved_slots = same.filter(item=OuterRef("item"), reserved_for=OuterRef("assessor"))
        sources.append((True, Q(Exists(reserved_slots))))
    for reserved, match in sources:
        # An assessor has one slot of a document at most.
        rows = held.filter(match).values_list("plan", "topic", "assessor")
        for plan, topic, user, count in rows.annotate(size=Count("*")):
            known[plan, topic, user or 0, reserved] += count
    known.update(count_answers_elsewhere(campaign, offered, own_slots, users, here))
    return known


def count_own_free_slots(
    campaign: Campaign, free: QuerySet[Slot], users: Collection[int]
) -> Counter[tuple[int, int, int, bool]]:
    """The same where a document has one slot: that of an assessor is the free one itself, such as
    an expired lease.
    """
    known = Counter[tuple[int, int, int, bool]]()
    leased = count_campaign_slots(campaign, state=Slot.State.LEASED)
    if not any(row.assessor in users for row in leased):
        return known
    rows = free.filter(state=Slot.State.LEASED, assessor__in=list(users))
    for plan, topic, user, whose in rows.values_list("plan", "topic", "assessor", "reserved_for"):
        if whose in (None, user):
            known[plan, topic, user or 0, whose is not None] += 1
    return known


def count_answers_elsewhere(
    campaign: Campaign,
    offered: QuerySet[Slot],
    own_slots: QuerySet[Slot],
    users: Collection[int],
    here: dict[str, list[int]],
) -> Counter[tuple[int, int, int, bool]]:
    """The same for offered documents that an assessor knows without holding a slot of theirs:
    imported and late judgments, adjudications, and skips that were passed on.
    """
    known = Counter[tuple[int, int, int, bool]]()
    # The desk asks about one topic after every judgment: that is in the index of the database.
    if len(here.get("topic__in", ())) != 1 and not has_answers_elsewhere(campaign, users):
        return known
    elsewhere = Q(slot=None) | Q(kind=Judgment.Kind.SKIP) | Q(purpose=Purpose.ADJUDICATE)
    judgments = Judgment.objects.filter(
        elsewhere,
        campaign=campaign,
        assessor__in=list(users),
        kind__in=ANSWERS,
        purpose__in=PEOPLE,
        **here,
    ).exclude(withdrawn_judgments())
    answers = set(judgments.order_by().values_list("assessor", "topic", "docno"))
    if not answers:
        return known
    by_pair: dict[tuple[int, str], set[int]] = defaultdict(set)
    for user, topic, docno in answers:
        by_pair[topic, docno].add(user)
    topics = {topic for topic, _ in by_pair}
    pairs = offered.filter(topic__in=topics).values_list(
        "plan", "topic", "item__docno", "reserved_for"
    )
    matches = [row for row in pairs.distinct() if row[1:3] in by_pair]
    if not matches:
        return known
    held = set(own_slots.filter(topic__in=topics).values_list("assessor", "topic", "item__docno"))
    for plan, topic, docno, whose in matches:
        for user in by_pair[topic, docno]:
            if (user, topic, docno) not in held and whose in (None, user):
                known[plan, topic, user, whose is not None] += 1
    return known


def has_answers_elsewhere(campaign: Campaign, users: Collection[int]) -> bool:
    """Whether the log has any answer of ``users`` that may stand for no slot of theirs."""
    log = read_judgment_log(campaign)
    return not _elsewhere.get_or_compute(log.version, lambda: list_rare_assessors(log)).isdisjoint(
        users
    )


def list_rare_assessors(log: JudgmentLog) -> frozenset[int]:
    """The assessors (ids) with any such answer."""
    rare = log.numbers["slot_id"] == NONE
    rare |= log.select_rows(Purpose.ADJUDICATE)
    for purpose in PEOPLE:
        rare |= log.select_rows(purpose, Judgment.Kind.SKIP)
    return frozenset(np.unique(log.numbers["assessor_id"][rare]).tolist())


def documents_to_come(
    seats: list[tuple[int, int, int, int, int]],
) -> dict[tuple[int, int], Remaining]:
    """By topic and assessor, what adaptive pools may still add: at most.

    A document of a pool with two plans comes only once, for the assessors of both.
    """
    people: dict[tuple[int, int], dict[int, None]] = defaultdict(dict)
    overlap: dict[tuple[int, int], int] = {}
    for _plan, topic, user, pool, judgments in seats:
        people[pool, topic][user] = None
        overlap.setdefault((pool, topic), judgments)
    pools, topics = {pool for pool, _ in people}, {topic for _, topic in people}
    result: dict[tuple[int, int], Remaining] = defaultdict(Remaining)
    for at, more in future_documents(pools, topics).items():
        users = list(people.get(at, ()))
        parts = divide_open_judgments(more * overlap.get(at, 1), [more] * len(users))
        for user, part in zip(users, parts, strict=True):
            result[at[1], user] += Remaining(part, more)
    return result


def open_repeats(campaign: Campaign) -> QuerySet[Slot]:
    """Blind repeats that wait for their assessor, who is not paused."""
    paused = Assignment.objects.filter(
        plan=OuterRef("plan"),
        topic=OuterRef("topic"),
        assessor=OuterRef("reserved_for"),
        paused=True,
    )
    return Slot.objects.filter(
        ~Exists(paused),
        plan__campaign=campaign,
        plan__state=Plan.State.OPEN,
        purpose=Purpose.REPEAT,
        state=Slot.State.OPEN,
    ).order_by()


def count_checked_out(campaign: Campaign) -> Counter[int]:
    """By assessor's id, the documents on their screen or fetched ahead, repeats included."""
    counts = Counter[int]()
    for row in count_campaign_slots(campaign, state=Slot.State.LEASED):
        if row.purpose in ON_SCREEN:
            counts[row.assessor or 0] += row.size
    return counts
