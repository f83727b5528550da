"""The entries of a judgment file by column: a few bytes for each, however many there are."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from poolbench.judging.exchange.fields import JudgmentEntry

Ints = np.ndarray[Any, np.dtype[np.int32]]
PLAIN = JudgmentEntry(0, "", "")[5:-1]
"""``JudgmentEntry`` without line, topic, docno, labels, assessor and columns, where the file says
no more.
"""
CODED = ("topic", "docno", "labels", "assessor", "rest")


@dataclass
class CodedValues:
    """A column with each distinct value once: ``codes`` has the number of a value by row."""

    numbers: dict[Any, int] = field(default_factory=dict)
    codes: array[int] = field(default_factory=lambda: array("i"))

    def add(self, value: Hashable) -> None:
        self.codes.append(self.numbers.setdefault(value, len(self.numbers)))

    def extend(self, values: Iterable[Hashable]) -> None:
        number = self.numbers.setdefault
        known = self.numbers
        self.codes.extend([number(value, len(known)) for value in values])


class EntryTable(Sequence[JudgmentEntry]):
    """A list of entries that are stored by column: ``lines``, ``places`` (columns of topic, docno
    and label in the line, 0 if unknown) and for each name of ``CODED`` the codes by row, and the
    values by code. The code 0 of rest is ``PLAIN``.
    """

    def __init__(self, entries: Iterable[JudgmentEntry] = ()) -> None:
        self.lines = array("i")
        self.places = tuple(array("i") for _ in range(3))
        self.columns = {name: CodedValues() for name in CODED}
        self.columns["rest"].numbers[PLAIN] = 0
        for entry in entries:
            self.add(entry)

    def add(self, entry: JudgmentEntry) -> None:
        self.lines.append(entry.line)
        values = (entry.topic, entry.docno, entry.labels, entry.assessor, entry[5:-1])
        for column, value in zip(self.columns.values(), values, strict=True):
            column.add(value)
        for places, place in zip(self.places, entry.columns, strict=True):
            places.append(place or 0)

    def extend_plain(
        self, lines: Ints, values: Sequence[Iterable[Hashable]], places: Sequence[Ints]
    ) -> None:
        """Add entries with ``lines``, topics, docnos, labels and assessors, and ``places``."""
        self.lines.frombytes(lines.tobytes())
        for name, own in zip(CODED, values, strict=False):
            self.columns[name].extend(own)
        self.columns["rest"].codes.frombytes(np.zeros_like(lines).tobytes())
        for known, start in zip(self.places, places, strict=True):
            known.frombytes(start.tobytes())

    def codes(self, name: str) -> Ints:
        """The code of the field ``name`` by row."""
        return np.frombuffer(self.columns[name].codes, np.int32)

    def values(self, name: str) -> list[Any]:
        """The values of the field ``name`` by code, in the order of their first rows."""
        return list(self.columns[name].numbers)

    def read(self, rows: Iterable[int]) -> Iterator[JudgmentEntry]:
        values = [(column.codes, list(column.numbers)) for column in self.columns.values()]
        for row in rows:
            topic, docno, labels, assessor, rest = (known[codes[row]] for codes, known in values)
            places = tuple(place[row] or None for place in self.places)
            fields = (self.lines[row], topic, docno, labels, assessor, *rest, places)
            yield JudgmentEntry._make(fields)

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[JudgmentEntry]:
        return self.read(range(len(self)))

    @overload
    def __getitem__(self, index: int) -> JudgmentEntry: ...
    @overload
    def __getitem__(self, index: slice) -> list[JudgmentEntry]: ...
    def __getitem__(self, index: int | slice) -> JudgmentEntry | list[JudgmentEntry]:
        rows = range(len(self))[index]
        return list(self.read(rows)) if isinstance(rows, range) else next(self.read([rows]))
