"""Find the rows of a run in the qrels: where each (topic, docno) pair stands, or that it does not.

A hash table for each topic, filled and asked for many pairs at once. A hash only says where
to look: a pair is found when its bytes are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.core.docnos import BLOCK, LONGEST, DocnoArray
from campaigns.core.machine_words import Ints, Mask, Words
from campaigns.core.tables import PairTable, group_starts, split_topic_ranges

_TRIES = 8
_ROOM = 4
"""Slots for each pair: with so many free, hardly any pair needs a second try."""

_FREE, _ONE, _HALF = np.uint64(0), np.uint64(1), np.uint64(32)


@dataclass(frozen=True, eq=False)
class PairIndex:
    """The pairs of one table, usually qrels, made once and asked for many runs.

    The slots of topic ``i`` are those from ``firsts[i]`` on; ``sizes[i]`` of them can be the
    first of a pair, ``_TRIES`` more take what found its own taken. ``keys`` are the hashes
    in the slots, ``rows`` the rows of the table. What found no slot is in ``crowded``.
    ``words`` are those of ``docnos``.
    """

    topics: Mapping[str, int]
    docnos: DocnoArray
    words: list[Words]
    firsts: Ints
    sizes: Words
    keys: Words
    rows: Ints
    crowded: Mapping[tuple[int, bytes], int]

    @classmethod
    def of(cls, table: PairTable) -> PairIndex:
        """The index of the pairs of ``table``, whose topics may come several times."""
        topics: dict[str, int] = {}
        numbers = [topics.setdefault(topic, len(topics)) for topic in table.topics]
        topic_of = np.repeat(np.array(numbers, np.int64), np.diff(table.starts))
        counts = np.bincount(topic_of, minlength=len(topics))
        sizes = (_ROOM * counts).astype(np.uint64)
        firsts = group_starts(_ROOM * counts + _TRIES)
        keys, rows = np.zeros(firsts[-1], np.uint64), np.zeros(firsts[-1], np.int64)
        hashes = table.docnos.hashes() | _ONE
        left = _fill(keys, rows, hashes, _places(hashes, firsts[topic_of], sizes[topic_of]))
        crowded = {(int(topic_of[row]), table.docnos.text(row)): row for row in left.tolist()}
        words = table.docnos.all_words
        return cls(topics, table.docnos, words, firsts, sizes, keys, rows, crowded)

    def find(self, table: PairTable) -> NDArray[np.int32]:
        """By row of ``table``: the row of its pair in the indexed table, or -1."""
        found = np.full(len(table.docnos), -1, np.int32)
        topics = np.array([self.topics.get(topic, -1) for topic in table.topics], np.int64)
        for first, end in split_topic_ranges(table.starts, BLOCK):
            if (topics[first:end] < 0).all():
                continue
            start, bounds = int(table.starts[first]), table.starts[first : end + 1]
            topic_of = np.repeat(topics[first:end], np.diff(bounds))
            rows: slice | Ints = slice(start, int(bounds[-1]))
            if not (known := topic_of >= 0).all():
                rows, topic_of = start + np.flatnonzero(known), topic_of[known]
            found[rows] = self._find(topic_of, table.docnos.take(rows))
        return found

    def _find(self, topics: Ints, docnos: DocnoArray) -> Ints:
        """The same for a few rows, all of topics that are in the qrels."""
        found = np.full(len(docnos), -1, np.int64)
        hashes = docnos.hashes() | _ONE
        places = _places(hashes, self.firsts[topics], self.sizes[topics])
        rows, words = np.arange(len(docnos)), docnos.all_words
        for _ in range(_TRIES):
            keys = self.keys[places]
            more = keys != _FREE
            same = np.flatnonzero(keys == hashes)
            hits, held = rows[same], self.rows[places[same]]
            are = self._are(held, docnos, words, hits)
            found[hits[are]] = held[are]
            more[same[are]] = False
            more = np.flatnonzero(more)
            if not len(more):
                return found
            rows, places, hashes = rows[more], places[more] + 1, hashes[more]
        for row in rows.tolist() if self.crowded else ():
            found[row] = self.crowded.get((int(topics[row]), docnos.text(row)), -1)
        return found

    def _are(self, held: Ints, docnos: DocnoArray, words: list[Words], rows: Ints) -> Mask:
        """By place: whether row ``held`` of the qrels has the docno of row ``rows`` asked for."""
        lengths = self.docnos.lengths[held]
        are: Mask = lengths == docnos.lengths[rows]
        # Of two docnos of one length, one has no word that the other lacks.
        for mine, theirs in zip(self.words, words, strict=False):
            are &= mine[held] == theirs[rows]
        for at in np.flatnonzero(are & (lengths > LONGEST)).tolist():
            are[at] = self.docnos.text(int(held[at])) == docnos.text(int(rows[at]))
        return are


def _places(hashes: Words, firsts: Ints, sizes: Words) -> Ints:
    """The first slot for each hash: as far into the slots of its topic as it is into all hashes."""
    return firsts + (((hashes >> _HALF) * sizes) >> _HALF).view(np.int64)


def _fill(keys: Words, held: Ints, hashes: Words, places: Ints) -> Ints:
    """Put each row into the first free slot from its place on; returns the rows without one."""
    rows = np.arange(len(hashes))
    for _ in range(_TRIES):
        free = keys[places] == _FREE
        # Of several rows that want one slot the last gets it.
        held[places[free]] = rows[free]
        keys[places[free]] = hashes[rows[free]]
        left = np.flatnonzero(~free | (held[places] != rows))
        rows, places = rows[left], places[left] + 1
    return rows
