"""Appending many judgments to the log: the new ones, and the slots that they fill."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from campaigns.models import Campaign, User
from campaigns.services.statistics import MIN_ROWS, refresh_old_statistics, refresh_statistics
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments, log_until
from judging.queries.slots import free_slots
from judging.rules import THIRD_K
from judging.services.followups import add_third_slot
from judging.services.judgment_log import Passage

BATCH = 500
Pair = tuple[int, str]
STATES = {Judgment.Kind.GRADE: Slot.State.JUDGED, Judgment.Kind.SKIP: Slot.State.SKIPPED}


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One judgment to write, with the primary key of its topic; at most one per pair.

    ``third``: it exists because others disagreed.
    """

    topic: int
    docno: str
    kind: str
    grade: int | None
    reason: str = ""
    comment: str = ""
    flags: tuple[str, ...] = ()
    original_docno: str = ""
    passages: tuple[Passage, ...] = ()
    active_seconds: float | None = None
    uuid: UUID | None = None
    third: bool = False

    @property
    def pair(self) -> Pair:
        return self.topic, self.docno


@dataclass
class ImportCounts:
    """Judgments of an import: new pairs, new revisions, unchanged ones."""

    new: int = 0
    revised: int = 0
    unchanged: int = 0
    without_slot: int = 0

    @property
    def appended(self) -> int:
        return self.new + self.revised

    def __add__(self, other: ImportCounts) -> ImportCounts:
        theirs = asdict(other)
        return ImportCounts(**{name: count + theirs[name] for name, count in asdict(self).items()})


def map_latest_revisions(campaign: Campaign, assessor: User, purpose: str) -> dict[Pair, Any]:
    """The assessor's last revision of each pair."""
    own = latest_judgments(
        log_until(campaign, purpose=purpose).filter(assessor=assessor)
    ).order_by()
    rows = own.values_list(
        "topic", "docno", "revision", "kind", "grade", "reason", "comment", "flags",
        "duplicate_of", "passages", "third", named=True,
    )  # fmt: skip
    return {(row.topic, row.docno): row for row in rows.iterator()}


def is_unchanged(row: ImportRow, current: Any) -> bool:
    """Whether ``row`` equals the current judgment; its empty fields match any value."""
    return (
        (row.kind, row.grade) == (current.kind, current.grade)
        and row.reason in ("", current.reason)
        and row.comment in ("", current.comment)
        and (not row.flags or list(row.flags) == current.flags)
        and row.original_docno in ("", current.duplicate_of)
        and (not row.passages or [list(one) for one in row.passages] == current.passages)
    )


def select_new_rows(
    rows: Sequence[ImportRow], current_by_pair: Mapping[Pair, Any]
) -> tuple[list[tuple[ImportRow, int]], ImportCounts]:
    """The new or changed rows, each with its revision; and the counts."""
    counts = ImportCounts()
    new_rows = []
    for row in rows:
        current = current_by_pair.get(row.pair)
        if current is None:
            counts.new += 1
        elif is_unchanged(row, current):
            counts.unchanged += 1
            continue
        else:
            counts.revised += 1
        revision, third = (current.revision + 1, current.third) if current else (1, False)
        new_rows.append((replace(row, third=row.third or third), revision))
    return new_rows, counts


def append_judgments(
    campaign: Campaign,
    assessor: User,
    rows: Sequence[ImportRow],
    *,
    purpose: str = Purpose.JUDGE,
    source: str = Judgment.Source.IMPORT,
) -> ImportCounts:
    """Append the new or changed ``rows``, within the caller's transaction.

    Human judgments fill slots of the plan; automatic ones never do. The caller applies the
    stopping rule afterwards.
    """
    new_rows, counts = select_new_rows(rows, map_latest_revisions(campaign, assessor, purpose))
    slots: dict[Pair, tuple[int, int]] = {}
    if purpose == Purpose.JUDGE:
        slots = fill_slots(campaign, assessor, {row.pair: row for row, _ in new_rows})
        counts.without_slot = len(new_rows) - len(slots)
    Judgment.objects.bulk_create(
        (
            Judgment(
                campaign=campaign,
                topic_id=row.topic,
                docno=row.docno,
                assessor=assessor,
                purpose=purpose,
                revision=revision,
                kind=row.kind,
                grade=row.grade,
                reason=row.reason,
                comment=row.comment,
                flags=list(row.flags),
                duplicate_of=row.original_docno,
                passages=[list(passage) for passage in row.passages],
                active_seconds=row.active_seconds,
                slot_id=slots[row.pair][0] if row.pair in slots else None,
                third=row.third or (row.pair in slots and slots[row.pair][1] == THIRD_K),
                source=source,
                client_uuid=row.uuid or uuid4(),
            )
            for row, revision in new_rows
        ),
        batch_size=BATCH,
    )
    add_third_slots([pk for pk, _ in slots.values()])
    if len(new_rows) >= MIN_ROWS:
        # Without statistics an assessor's home page takes minutes. After the commit, so that no
        # two imports wait for each other.
        transaction.on_commit(partial(refresh_statistics, Judgment, Slot))
    return counts


def refresh_judging_statistics() -> int:
    """A chore of the tick: what is judged one by one adds up, too, where autovacuum is off."""
    return refresh_old_statistics(Judgment, Slot)


def fill_slots(
    campaign: Campaign, assessor: User, rows: Mapping[Pair, ImportRow]
) -> dict[Pair, tuple[int, int]]:
    """Fill a slot for each pair that has one for ``assessor``; return ``(pk, k)`` by pair.

    A third judgment fills the slot of one if there is any, all others a planned one.
    """
    # Lock only the slots, in one order: locking topics and pairs could deadlock with judging.
    slots = Slot.objects.select_for_update(of=("self",)).filter(
        plan__campaign=campaign, purpose=Purpose.JUDGE
    )
    choices: dict[Pair, list[tuple[bool, bool, int, int]]] = defaultdict(list)
    known = slots.annotate(free=free_slots()).order_by("pk")
    for topic, docno, holder, reserved, free, k, pk in known.values_list(
        "topic", "item__docno", "assessor", "reserved_for", "free", "k", "pk"
    ).iterator():
        theirs = holder == assessor.pk or (free and reserved in (None, assessor.pk))
        row = rows.get((topic, docno)) if theirs else None
        if row is not None:
            is_other = row.third != (k == THIRD_K)
            choices[row.pair].append((holder != assessor.pk, is_other, k, pk))
    best = {pair: min(options) for pair, options in choices.items()}
    filled = {pair: (pk, k) for pair, (_, _, k, pk) in best.items()}
    for kind, state in STATES.items():
        numbers = [pk for pair, (pk, _) in filled.items() if rows[pair].kind == kind]
        for start in range(0, len(numbers), BATCH):
            Slot.objects.filter(pk__in=numbers[start : start + BATCH]).update(
                state=state,
                assessor=assessor,
                token=uuid4(),
                leased_at=None,
                expires_at=None,
                unit=None,
                unit_position=None,
            )
    return filled


def add_third_slots(numbers: Sequence[int]) -> None:
    """Add third slots to pairs on which these judgments disagree, if their plan has thirds."""
    for start in range(0, len(numbers), BATCH):
        judged = Slot.objects.filter(
            pk__in=numbers[start : start + BATCH], plan__third_from__gt=0, state=Slot.State.JUDGED
        )
        for slot in judged.select_related("plan__campaign"):
            add_third_slot(slot)
