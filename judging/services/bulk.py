"""Appending many judgments to the log: the new ones, and the slots that they fill."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from secrets import token_hex
from time import time_ns
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from campaigns.models import Campaign, User
from campaigns.services.rows import insert_rows
from campaigns.services.statistics import MIN_ROWS, refresh_old_statistics, refresh_statistics
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments, log_until
from judging.rules import THIRD_K
from judging.services.followups import add_third_slots
from judging.services.judgment_log import Passage
from judging.services.slot_table import NONE, Pair, SlotTable

BATCH = 500
ROWS_AT_ONCE = 50_000
"""Judgments of one assessor in memory at a time."""
LOG_COLUMNS = (
    "topic_id", "docno", "revision", "kind", "grade", "reason", "comment", "flags", "duplicate_of",
    "passages", "chances", "active_seconds", "slot_id", "third", "client_uuid",
)  # fmt: skip
SAME_COLUMNS = (
    "campaign_id", "assessor_id", "purpose", "source", "order", "guideline_version", "erratum",
    "document_sha256", "judged_at",
)  # fmt: skip
"""What all judgments of an assessor in an import have in common."""


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

    @property
    def pair(self) -> Pair:
        return self.topic, self.docno


class FilledSlot(NamedTuple):
    """A slot that a judgment of an import fills: its key, its ``k``, the number of its pair."""

    pk: int
    k: int
    pair: int


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
    counts = ImportCounts()
    new_rows = []
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
    counts, rest = ImportCounts(), iter(rows)
    while part := list(islice(rest, ROWS_AT_ONCE)):
        new_rows, added = select_new_rows(part, current)
        filled: list[FilledSlot | None] = [None] * len(new_rows)
        if slots is not None:
            filled = fill_slots(slots, assessor, [row for row, _ in new_rows])
            added.without_slot = filled.count(None)
        insert_judgments(campaign, assessor, new_rows, filled, purpose=purpose, source=source)
        if slots is not None:
            add_import_thirds(slots, [slot for slot in filled if slot is not None])
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
    filled: Sequence[FilledSlot | None],
    *,
    purpose: str,
    source: str,
) -> None:
    """Append ``(row, revision)`` each with the slot that it fills."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    same = (campaign.pk, assessor.pk, str(purpose), str(source), "", 0, 0, "", str(now))
    uuids = make_ordered_uuids(len(new_rows))
    insert_rows(
        Judgment,
        (*LOG_COLUMNS, *SAME_COLUMNS),
        (
            (
                row.topic,
                row.docno,
                revision,
                row.kind,
                row.grade,
                row.reason,
                row.comment,
                json.dumps(row.flags) if row.flags else "[]",
                row.original_docno,
                json.dumps(row.passages) if row.passages else "[]",
                json.dumps(row.chances) if row.chances else None,
                row.active_seconds,
                slot and slot.pk,
                row.third or (slot is not None and slot.k == THIRD_K),
                row.uuid.hex if row.uuid else uuid,
                *same,
            )
            for (row, revision), slot, uuid in zip(new_rows, filled, uuids, strict=True)
        ),
    )


def make_ordered_uuids(count: int) -> Iterator[str]:
    """UUIDs of version 7, each greater than the one before: an index takes them one after another,
    instead of each at another place.
    """
    stamp = f"{time_ns() // 1_000_000:012x}"
    random = token_hex(6 * count)
    for number in range(count):
        own = random[12 * number : 12 * number + 12]
        yield f"{stamp}7{number >> 18 & 0xFFF:03x}8{number & 0x3FFFF:05x}{own[:10]}"


def fill_slots(
    table: SlotTable, assessor: User, rows: Sequence[ImportRow]
) -> list[FilledSlot | None]:
    """Fill a slot for each of ``rows`` that has one for ``assessor``; return them by row.

    Of a pair whose slot another has taken in the meantime, the slots are read again.
    """
    numbers = np.fromiter((table.pairs[row.pair] for row in rows), np.int64, len(rows))
    thirds = np.fromiter((row.third for row in rows), np.bool_, len(rows))
    graded = np.fromiter((row.grade is not None for row in rows), np.bool_, len(rows))
    filled: list[FilledSlot | None] = [None] * len(rows)
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
        for row, place in zip(left[~gone].tolist(), places[~gone].tolist(), strict=True):
            filled[row] = FilledSlot(
                int(table.columns["pk"][place]), int(table.columns["k"][place]), int(numbers[row])
            )
        left = left[gone]
        if len(left):
            table.reload(numbers[left])
    return filled


def add_import_thirds(table: SlotTable, filled: Sequence[FilledSlot]) -> None:
    """Add third slots to pairs on which these judgments disagree, if their plan has thirds."""
    if not table.campaign.plans.filter(third_from__gt=0).exists():
        return
    for start in range(0, len(filled), BATCH):
        part = [slot.pk for slot in filled[start : start + BATCH]]
        judged = Slot.objects.filter(pk__in=part, plan__third_from__gt=0, state=Slot.State.JUDGED)
        add_third_slots(list(judged.select_related("plan")))
    table.reload(np.array([slot.pair for slot in filled], np.int64))


def refresh_judging_statistics() -> int:
    """A chore of the tick: what is judged one by one adds up, too, where autovacuum is off."""
    return refresh_old_statistics(Judgment, Slot)
