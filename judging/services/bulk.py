"""Appending many judgments to the log: the new ones, and the slots that they fill."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import transaction

from campaigns.models import Campaign, User
from campaigns.services.rows import Value, iter_batches
from campaigns.services.statistics import MIN_ROWS, refresh_old_statistics, refresh_statistics
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments, log_until
from judging.rules import THIRD_K
from judging.services.followups import add_third_slots
from judging.services.judgment_log import Passage
from judging.services.log_rows import insert_log_rows, make_ordered_uuids, spell_list
from judging.services.slot_table import NONE, Ints, Pair, SlotTable

BATCH = 500
ROWS_AT_ONCE = 20_000
"""Judgments of one assessor in memory at a time."""
LOG_COLUMNS = (
    "topic_id", "docno", "revision", "kind", "grade", "reason", "comment", "flags", "duplicate_of",
    "passages", "chances", "active_seconds", "slot_id", "third", "client_uuid",
)  # fmt: skip


class ImportRow(NamedTuple):
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
    chances: tuple[float, ...] = ()


class FilledSlots(NamedTuple):
    """By row of an import, the slot that it fills: its key and ``k``, ``NONE`` if there is none;
    and the number of the row's pair.
    """

    pk: Ints
    k: Ints
    pair: Ints

    @classmethod
    def none(cls, pairs: Ints) -> "FilledSlots":
        return cls(np.full(len(pairs), NONE), np.full(len(pairs), NONE), pairs)


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

    def __add__(self, other: "ImportCounts") -> "ImportCounts":
        theirs = asdict(other)
        return ImportCounts(**{name: count + theirs[name] for name, count in asdict(self).items()})


def map_latest_revisions(campaign: Campaign, assessor: User, purpose: str) -> dict[Pair, Any]:
    """The assessor's last revision of each pair."""
    own = latest_judgments(
        log_until(campaign, purpose=purpose).filter(assessor=assessor)
    ).order_by()
    rows = own.values_list(
        "topic", "docno", "revision", "kind", "grade", "reason", "comment", "flags",
        "duplicate_of", "passages", "chances", "third", named=True,
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
        and (not row.chances or list(row.chances) == current.chances)
    )


def select_new_rows(
    rows: Iterable[ImportRow], current_by_pair: Mapping[Pair, Any]
) -> tuple[list[tuple[ImportRow, int]], ImportCounts]:
    """The new or changed rows, each with its revision; and the counts."""
    if not current_by_pair:
        new_rows = [(row, 1) for row in rows]
        return new_rows, ImportCounts(new=len(new_rows))
    counts, new_rows = ImportCounts(), []
    for row in rows:
        current = current_by_pair.get((row.topic, row.docno))
        if current is None:
            counts.new += 1
            new_rows.append((row, 1))
        elif is_unchanged(row, current):
            counts.unchanged += 1
        else:
            counts.revised += 1
            third = row.third or current.third
            new_rows.append((row._replace(third=third), current.revision + 1))
    return new_rows, counts


def append_judgments(
    campaign: Campaign,
    assessor: User,
    rows: Iterable[ImportRow],
    *,
    purpose: str = Purpose.JUDGE,
    source: str = Judgment.Source.IMPORT,
    slots: SlotTable | None = None,
) -> ImportCounts:
    """Append the new or changed ``rows``, within the caller's transaction.

    Human judgments fill ``slots`` of the plan; automatic ones never do. The caller applies the
    stopping rule afterwards.
    """
    current = map_latest_revisions(campaign, assessor, purpose)
    counts = ImportCounts()
    parts = (select_new_rows(part, current) for part in iter_batches(rows, ROWS_AT_ONCE))
    for new_rows, added in parts:
        filled = FilledSlots.none(np.zeros(len(new_rows), np.int64))
        if slots is not None:
            filled = fill_slots(slots, assessor, [row for row, _ in new_rows])
            added.without_slot = int(np.count_nonzero(filled.pk == NONE))
        insert_judgments(campaign, assessor, new_rows, filled, purpose=purpose, source=source)
        if slots is not None:
            add_import_thirds(slots, filled)
        counts += added
    return counts


def refresh_after_commit(count: int) -> None:
    """Tell the planner of ``count`` new judgments, without which an assessor's home page takes
    minutes. After the commit, so that no two imports wait for each other.
    """
    if count >= MIN_ROWS:
        transaction.on_commit(partial(refresh_statistics, Judgment, Slot))


def insert_judgments(
    campaign: Campaign,
    assessor: User,
    new_rows: Sequence[tuple[ImportRow, int]],
    filled: FilledSlots,
    *,
    purpose: str,
    source: str,
) -> None:
    """Append ``(row, revision)`` each with the slot that it fills."""
    same: dict[str, Value] = {
        "campaign_id": campaign.pk,
        "assessor_id": assessor.pk,
        "purpose": str(purpose),
        "source": str(source),
        "guideline_version": 0,
        "erratum": 0,
        "document_sha256": "",
    }
    uuids = make_ordered_uuids(len(new_rows))
    slots = zip(filled.pk.tolist(), filled.k.tolist(), strict=True)
    insert_log_rows(
        LOG_COLUMNS,
        (
            (
                row.topic,
                row.docno,
                revision,
                row.kind,
                row.grade,
                row.reason,
                row.comment,
                spell_list(row.flags),
                row.original_docno,
                spell_list(row.passages),
                json.dumps(row.chances) if row.chances else None,
                row.active_seconds,
                None if slot == NONE else slot,
                row.third or k == THIRD_K,
                row.uuid.hex if row.uuid else uuid,
            )
            for (row, revision), (slot, k), uuid in zip(new_rows, slots, uuids, strict=True)
        ),
        same,
    )


def fill_slots(table: SlotTable, assessor: User, rows: Sequence[ImportRow]) -> FilledSlots:
    """Fill a slot for each of ``rows`` that has one for ``assessor``; return them by row.

    Of a pair whose slot another has taken in the meantime, the slots are read again.
    """
    numbers = np.array([table.pairs[row[:2]] for row in rows], np.int64)
    thirds = np.fromiter((row.third for row in rows), np.bool_, len(rows))
    graded = np.fromiter((row.grade is not None for row in rows), np.bool_, len(rows))
    filled = FilledSlots.none(numbers)
    left = np.arange(len(rows))
    while len(left):
        places = table.choose(assessor.pk, numbers[left], thirds[left])
        left, places = left[places != NONE], places[places != NONE]
        gone = np.isin(
            places,
            np.r_[
                table.take(assessor, places[graded[left]], Slot.State.JUDGED),
                table.take(assessor, places[~graded[left]], Slot.State.SKIPPED),
            ],
        )
        filled.pk[left[~gone]] = table.columns["pk"][places[~gone]]
        filled.k[left[~gone]] = table.columns["k"][places[~gone]]
        left = left[gone]
        if len(left):
            table.reload(numbers[left])
    return filled


def add_import_thirds(table: SlotTable, filled: FilledSlots) -> None:
    """Add third slots to pairs on which these judgments disagree, if their plan has thirds."""
    if not table.campaign.plans.filter(third_from__gt=0).exists():
        return
    has_slot = filled.pk != NONE
    slots = filled.pk[has_slot].tolist()
    for start in range(0, len(slots), BATCH):
        part = slots[start : start + BATCH]
        judged = Slot.objects.filter(pk__in=part, plan__third_from__gt=0, state=Slot.State.JUDGED)
        add_third_slots(list(judged.select_related("plan")))
    table.reload(filled.pair[has_slot])


def refresh_judging_statistics() -> int:
    """A chore of the tick: what is judged one by one adds up, too, where autovacuum is off."""
    return refresh_old_statistics(Judgment, Slot)
