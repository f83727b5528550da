"""Find the rows of a run in the qrels: the row of each (topic, docno) pair, if it has one.

One hash table per topic, filled and queried for many pairs at once. A hash only says where to
look: a pair matches if its bytes are the same.

A hash chooses among the m slots of its topic: (h >> 32) · m >> 32, which is below m as h >> 32 is
below 2^32, and no product overflows 64 bits while a topic has fewer than 2^32 slots. A pair that
finds its slot taken tries the next one, up to ``_TRIES``: with 4 slots per pair a first choice is
free for more than three in four, and runs of 8 taken slots are so rare that ``crowded``, a dict, is
nearly always empty. The slots of a topic end with ``_TRIES`` spare ones, so no pair reaches into
the next topic. Hashes are made odd: 0 is a free slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Words
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.pair_segments import CodedPairs
from poolbench.runs.tables import PairTable, group_starts, split_topic_ranges

_TRIES = 8
_ROOM = 4
"""Slots per pair: with so many free, hardly any pair needs a second try."""

_FREE, _ONE, _HALF = np.uint64(0), np.uint64(1), np.uint64(32)


@dataclass(frozen=True, eq=False)
class PairIndex:
    """The pairs of one table, usually qrels; built once, queried for many runs.

    The slots of topic ``i`` start at ``firsts[i]``; ``sizes[i]`` of them can be the first
    choice of a pair, ``_TRIES`` more take pairs whose first choice was occupied. ``keys`` are
    the hashes in the slots, ``rows`` the rows of the table. Pairs without a slot are in
    ``crowded``.
    """

    topics: Mapping[str, int]
    docnos: DocnoArray
    firsts: Ints
    sizes: Words
    keys: Words
    rows: Ints
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
        keys, rows = np.zeros(firsts[-1], np.uint64), np.zeros(firsts[-1], np.int64)
        hashes = table.docnos.hashes() | _ONE
        left = _fill_slots(
            keys, rows, hashes, _first_slots(hashes, firsts[topic_of], sizes[topic_of])
        )
        crowded = {(int(topic_of[row]), table.docnos.text(row)): row for row in left.tolist()}
        return cls(topics, table.docnos, firsts, sizes, keys, rows, crowded)

    def find(self, table: CodedPairs) -> NDArray[np.int32]:
        """By row of ``table``: the row of its pair in the indexed table, or -1."""
        matches = np.full(len(table.docnos), -1, np.int32)
        topics = np.array([self.topics.get(topic, -1) for topic in table.topics], np.int64)
        for first, end in split_topic_ranges(table.starts, BLOCK):
            if (topics[first:end] < 0).all():
                continue
            start, bounds = int(table.starts[first]), table.starts[first : end + 1]
            topic_of = np.repeat(topics[first:end], np.diff(bounds))
            rows: slice | Ints = slice(start, int(bounds[-1]))
            if not (known := topic_of >= 0).all():
                rows, topic_of = start + np.flatnonzero(known), topic_of[known]
            matches[rows] = self._find(topic_of, table.docnos.take(rows))
        return matches

    def _find(self, topics: Ints, docnos: DocnoArray) -> Ints:
        """``find`` for one block of rows, all of topics that are in the qrels."""
        matches = np.full(len(docnos), -1, np.int64)
        hashes = docnos.hashes() | _ONE
        places = _first_slots(hashes, self.firsts[topics], self.sizes[topics])
        rows = np.arange(len(docnos))
        for _ in range(_TRIES):
            keys = self.keys[places]
            more = keys != _FREE
            same = np.flatnonzero(keys == hashes)
            hits, candidates = rows[same], self.rows[places[same]]
            are = self.docnos.matches(candidates, docnos, hits)
            matches[hits[are]] = candidates[are]
            more[same[are]] = False
            more = np.flatnonzero(more)
            if not len(more):
                return matches
            rows, places, hashes = rows[more], places[more] + 1, hashes[more]
        for row in rows.tolist() if self.crowded else ():
            matches[row] = self.crowded.get((int(topics[row]), docnos.text(row)), -1)
        return matches


def _first_slots(hashes: Words, firsts: Ints, sizes: Words) -> Ints:
    """The first-choice slot of each hash, proportional to the hash within its topic's slots."""
    return firsts + (((hashes >> _HALF) * sizes) >> _HALF).view(np.int64)


def _fill_slots(keys: Words, owners: Ints, hashes: Words, places: Ints) -> Ints:
    """Put each row into the first free slot from ``places`` on; return the rows without one."""
    rows = np.arange(len(hashes))
    for _ in range(_TRIES):
        free = keys[places] == _FREE
        # If several rows compete for a slot, the last one gets it.
        owners[places[free]] = rows[free]
        keys[places[free]] = hashes[rows[free]]
        left = np.flatnonzero(~free | (owners[places] != rows))
        rows, places = rows[left], places[left] + 1
    return rows
