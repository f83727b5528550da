"""Find the rows of a run in the qrels: the row of each (topic, docno) pair, if it has one.

One hash table per topic, filled and queried for many pairs at once. A hash only says where to
look: a pair matches if its bytes are the same.

A hash chooses among the m slots of its topic: (h >> 32) · m >> 32, which is below m as h >> 32 is
below 2^32, and no product overflows 64 bits while a topic has fewer than 2^32 slots. A pair that
finds its slot taken tries the next one, up to ``_TRIES``: with 4 slots per pair a first choice is
free for more than three in four, and runs of 8 taken slots are so rare that ``crowded``, a dict, is
nearly always empty. The slots of a topic end with ``_TRIES`` spare ones, so no pair reaches into
the next topic. A hash of 0 becomes 1: 0 is a free slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Words
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.tables import PairTable, group_starts, split_topic_ranges

if TYPE_CHECKING:
    from poolbench.runs.pair_segments import CodedPairs

_TRIES = 8
_ROOM = 4
"""Slots per pair: with so many free, hardly any pair needs a second try."""

_STEPS = tuple(np.arange(*tries)[:, np.newaxis] for tries in ((1, 2), (2, _TRIES)))
_FREE, _ONE, _HALF = np.uint64(0), np.uint64(1), np.uint64(32)


@dataclass(frozen=True, eq=False)
class PairIndex:
    """The pairs of one table, usually qrels; built once, queried for many runs.

    The slots of topic ``i`` start at ``firsts[i]``; ``sizes[i]`` of them can be the first
    choice of a pair, ``_TRIES`` more take pairs whose first choice was occupied. ``slots`` have
    rows of the table, whose hashes are ``keys``, by slot; a free one has the row behind the last
    and the key 0. Pairs without a slot are in ``crowded``.
    """

    topics: Mapping[str, int]
    docnos: DocnoArray
    firsts: Ints
    sizes: Words
    slots: NDArray[np.int32]
    keys: Words
    crowded: Mapping[tuple[int, bytes], int]

    @classmethod
    def from_table(cls, table: PairTable) -> PairIndex:
        """The index of the pairs of ``table``, whose topics may occur several times."""
        topics: dict[str, int] = {}
        numbers = [topics.setdefault(topic, len(topics)) for topic in table.topics]
        topic_of = np.repeat(np.array(numbers, np.int64), np.diff(table.starts))
        counts = np.bincount(topic_of, minlength=len(topics))
        sizes = (_ROOM * counts).astype(np.uint64)
        firsts = group_starts(_ROOM * counts + _TRIES)
        hashes = np.maximum(table.docnos.hashes(), _ONE)
        slots = np.full(firsts[-1], len(table.docnos), np.int32)
        left = _fill_slots(slots, _first_slots(hashes, firsts[topic_of], sizes[topic_of]))
        keys = np.append(hashes, _FREE).take(slots)
        crowded = {(int(topic_of[row]), table.docnos.text(row)): row for row in left.tolist()}
        return cls(topics, table.docnos.loaded(), firsts, sizes, slots, keys, crowded)

    def find(self, table: CodedPairs) -> NDArray[np.int32]:
        """By row of ``table``: the row of its pair in the indexed table, or -1."""
        matches = np.full(len(table.docnos), -1, np.int32)
        topics = np.array([self.topics.get(topic, -1) for topic in table.topics], np.int64)
        for first, end in split_topic_ranges(table.starts, BLOCK):
            sizes = np.diff(table.starts[first : end + 1])
            known, start = topics[first:end] >= 0, int(table.starts[first])
            rows: slice | Ints = slice(start, int(table.starts[end]))
            if not known.all():
                rows = start + np.flatnonzero(np.repeat(known, sizes))
            own = topics[first:end][known]
            if len(own):
                matches[rows] = self._find(own, sizes[known], table.docnos.take(rows))
        return matches

    def _find(self, topics: Ints, counts: Ints, docnos: DocnoArray) -> NDArray[np.int32]:
        """``find`` for one block of rows: ``counts`` rows of each of ``topics``, which have
        pairs.

        Most are found, or known to be missing, by the first slots; of the few that are left all
        slots are read that their pair can have, at once.
        """
        hashes = docnos.hashes()
        one_hash = bool(hashes.min() > _ONE)
        hashes = hashes if one_hash else np.maximum(hashes, _ONE)
        firsts: Ints = np.repeat(self.firsts[topics], counts)
        places = _first_slots(hashes, firsts, np.repeat(self.sizes[topics], counts))
        search = _Search(self, docnos, one_hash, np.full(len(docnos), -1, np.int32))
        keys = self.keys.take(places)
        is_same = keys == hashes
        same = np.flatnonzero(is_same)
        others = search.confirm(same, self.slots.take(places[same]))
        # A pair behind a free slot would not be there.
        rows = np.concatenate((np.flatnonzero((keys != _FREE) & ~is_same), others))
        for tries in _STEPS:
            if not len(rows):
                return search.matches
            tried = places[rows] + tries
            keys = self.keys.take(tried)
            same = np.flatnonzero(keys == hashes[rows])
            search.confirm(rows[same % len(rows)], self.slots.take(tried.ravel()[same]))
            is_left = (keys != _FREE).all(axis=0) & (search.matches[rows] < 0)
            rows = rows[is_left]
        ends = np.cumsum(counts)
        for row in rows.tolist() if self.crowded else ():
            topic = int(topics[np.searchsorted(ends, row, side="right")])
            search.matches[row] = self.crowded.get((topic, docnos.text(row)), -1)
        return search.matches


@dataclass(frozen=True, slots=True)
class _Search:
    """``docnos`` that are looked for: ``matches`` has the rows of ``index`` found so far.
    ``have_one_hash``: equal keys are equal hashes.
    """

    index: PairIndex
    docnos: DocnoArray
    have_one_hash: bool
    matches: NDArray[np.int32]

    def confirm(self, rows: Ints, candidates: NDArray[np.int32]) -> Ints:
        """Take ``candidates`` for ``rows`` where they are the same, byte for byte; return the rows
        where they are not.
        """
        are = self.index.docnos.matches(
            candidates, self.docnos, rows, have_one_hash=self.have_one_hash
        )
        others = rows[:0]
        if not are.all():
            rows, candidates, others = rows[are], candidates[are], rows[~are]
        self.matches[rows] = candidates
        return others


def _first_slots(hashes: Words, firsts: Ints, sizes: Words) -> Ints:
    """The first-choice slot of each hash, proportional to the hash within its topic's slots."""
    return firsts + (((hashes >> _HALF) * sizes) >> _HALF).view(np.int64)


def _fill_slots(slots: NDArray[np.int32], places: Ints) -> NDArray[np.int32]:
    """Put each row into the first free slot from ``places`` on; return the rows without one."""
    rows, free = np.arange(len(places), dtype=np.int32), len(places)
    for _ in range(_TRIES):
        # If several rows compete for a slot, the last one gets it.
        own = slots[places] == free
        slots[places[own]] = rows[own]
        left = np.flatnonzero(slots[places] != rows)
        rows, places = rows[left], places[left] + 1
    return rows
