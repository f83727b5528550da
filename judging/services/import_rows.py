"""The rows of an import that come from a file, made only when they are written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from judging.models import Judgment
from judging.rules import MAX_PASSAGE, MAX_PASSAGES
from judging.services.bulk import ImportRow
from judging.services.slot_table import Pair
from poolbench.judging.exchange.duplicates import ImportedBallot, ImportedBallots

Ints = np.ndarray[Any, np.dtype[np.int64]]
AT_ONCE = 20_000
GRADE = Judgment.Kind.GRADE.value
PLAIN = ImportRow(0, "", GRADE, 0)[4:]
"""What a row has besides a grade if the file says no more."""


@dataclass(frozen=True)
class ImportRows(Sequence[ImportRow]):
    """The judgments of one assessor: ``ballots`` at ``places``; ``topics`` are keys by number."""

    ballots: ImportedBallots
    places: Ints
    topics: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[ImportRow]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.read(self.places[first : first + AT_ONCE])

    def read(self, places: Ints) -> Iterator[ImportRow]:
        """The rows of some ballots: those that are a grade and nothing else from their columns."""
        ballots, table = self.ballots, self.ballots.entries
        rows = ballots.rows[places]
        topics = [self.topics.get(number, 0) for number in table.values("topic")]
        docnos = table.values("docno")
        is_plain = table.codes("rest")[rows] == 0
        columns = (places, is_plain, *(table.codes(name)[rows] for name in ("topic", "docno")))
        grades, make = ballots.grades[places], ImportRow._make
        for place, plain, topic, docno, grade in zip(
            *(column.tolist() for column in (*columns, grades)), strict=True
        ):
            if plain and place not in ballots.odd:
                yield make((topics[topic], docnos[docno], GRADE, grade, *PLAIN))
            else:
                yield import_row(next(ballots.read(np.array([place]))), self.topics)

    @overload
    def __getitem__(self, index: int) -> ImportRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[ImportRow]: ...
    def __getitem__(self, index: int | slice) -> ImportRow | list[ImportRow]:
        if isinstance(index, slice):
            return list(self.read(self.places[index]))
        return next(self.read(self.places[[index]]))

    def collect_pairs(self) -> set[Pair]:
        """The pairs of all rows, without making these."""
        table, rows = self.ballots.entries, self.ballots.rows[self.places]
        topics = [self.topics.get(number, 0) for number in table.values("topic")]
        docnos = table.values("docno")
        codes = (table.codes(name)[rows].tolist() for name in ("topic", "docno"))
        return {(topics[topic], docnos[docno]) for topic, docno in zip(*codes, strict=True)}


def collect_pairs(rows: Iterable[Sequence[ImportRow]]) -> set[Pair]:
    """The pairs of the judgments of several assessors."""
    return set().union(
        *(
            each.collect_pairs() if isinstance(each, ImportRows) else {row[:2] for row in each}
            for each in rows
        )
    )


def import_row(ballot: ImportedBallot, topics: Mapping[str, int]) -> ImportRow:
    entry = ballot.entry
    return ImportRow(
        topic=topics[entry.topic],
        docno=entry.docno,
        kind=ballot.kind,
        grade=ballot.grade,
        reason=(entry.reason or "other") if ballot.kind == Judgment.Kind.SKIP else "",
        comment=entry.comment,
        flags=entry.flags,
        original_docno=entry.original_docno,
        passages=tuple(
            (start, end, text[:MAX_PASSAGE]) for start, end, text in entry.passages[:MAX_PASSAGES]
        ),
        active_seconds=entry.active_seconds,
        third=entry.third,
    )


def group_ballots(ballots: ImportedBallots) -> Iterator[tuple[str, Ints]]:
    """The assessors in the order of their first ballots, each with the places of theirs."""
    codes, first = np.unique(ballots.assessors, return_index=True)
    for code in codes[np.argsort(first)].tolist():
        yield ballots.people[code], np.flatnonzero(ballots.assessors == code)


def has_third(rows: Sequence[ImportRow]) -> bool:
    """Whether any of ``rows`` is a third judgment; those of a file mostly have no such field."""
    if isinstance(rows, ImportRows) and len(rows.ballots.entries.values("rest")) == 1:
        return False
    return any(row.third for row in rows)
