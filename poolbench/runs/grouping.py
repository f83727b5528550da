"""Group the rows of a file by topic, in whatever order the file has them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Words, mix_bits
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.tables import group_starts, split_topic_ranges

_ONE = np.uint64(1)
_ROOM = 2
"""Slots per key at least, up to twice as many."""


@dataclass(frozen=True)
class TopicGroups:
    """Rows of a file by topic. Topics ascend by code point.

    The file consists of stretches of rows of one topic: ``codes`` has the index in ``topics``
    of each, ``firsts`` its first row, and at the end the number of rows.
    """

    topics: tuple[str, ...]
    codes: Ints
    firsts: Ints

    @cached_property
    def starts(self) -> Ints:
        """Topic ``i`` has the positions ``starts[i]`` to ``starts[i + 1] - 1`` of ``order``."""
        sizes = np.bincount(self.codes, np.diff(self.firsts), len(self.topics))
        return group_starts(sizes.astype(np.int64))

    @cached_property
    def is_sorted(self) -> bool:
        """Whether the topics of the file are contiguous and ascending."""
        return bool((self.codes[1:] > self.codes[:-1]).all())

    def order(self) -> Ints:
        """The rows by topic, in file order within a topic; a new array each time."""
        return self._ordered(0, len(self.codes))

    def rows(self, first: int, end: int) -> slice | Ints:
        """The rows of topics ``first`` to ``end - 1``, one topic after the other."""
        if self.is_sorted:
            return slice(int(self.starts[first]), int(self.starts[end]))
        places = np.searchsorted(self.codes, [first, end], sorter=self._by_topic)
        return self._ordered(*places.tolist())

    @cached_property
    def _by_topic(self) -> Ints:
        """The stretches, sorted by topic."""
        return np.argsort(self.codes, kind="stable")

    def _ordered(self, first: int, end: int) -> Ints:
        """The rows of stretches ``first`` to ``end - 1``, sorted by topic."""
        stretches = self._by_topic[first:end]
        sizes = np.diff(self.firsts)[stretches]
        moved = self.firsts[stretches] - (np.cumsum(sizes) - sizes)
        order = np.repeat(moved, sizes)
        order += np.arange(len(order))
        return order

    def groups(self) -> Iterable[tuple[int, int]]:
        return pairwise(self.starts.tolist())

    def row_codes(self) -> Ints:
        """The index in ``topics`` of each row, in file order."""
        return np.repeat(self.codes, np.diff(self.firsts))


@dataclass
class TopicCollector:
    """Collects the topic column of a file as stretches of rows with the same topic."""

    rows: int = 0
    names: dict[str, int] = field(default_factory=dict)
    _codes: list[int] = field(default_factory=list)
    _firsts: list[Ints] = field(default_factory=list)

    def add(self, topics: DocnoArray, changes: Ints | None = None) -> None:
        """Add the topic of each row of a block; ``changes`` are those of ``topics``, if known."""
        first = topics.changes() if changes is None else changes
        self._firsts.append(first + self.rows)
        for text in topics.texts(first):
            self._codes.append(self.names.setdefault(text.decode(), len(self.names)))
        self.rows += len(topics)

    def finish(self) -> TopicGroups:
        """All rows so far by topic."""
        topics = sorted(self.names)
        # The index of each topic by code point, in the order of first occurrence.
        place = np.empty(len(topics), np.int64)
        place[[self.names[topic] for topic in topics]] = np.arange(len(topics))
        firsts = np.concatenate([*self._firsts, np.array([self.rows])])
        return TopicGroups(tuple(topics), place[np.array(self._codes, np.int64)], firsts)


def group_by_topic(topics: Iterable[str]) -> TopicGroups:
    collector = TopicCollector()
    collector.add(DocnoArray.from_ids(topics))
    return collector.finish()


def regroup_rows(grouped: TopicGroups, rows: Ints) -> TopicGroups:
    """The grouping of some ``rows``, ascending; each topic has at least one of them."""
    codes = grouped.row_codes()[rows]
    first = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    return TopicGroups(grouped.topics, codes[first], np.append(first, len(codes)))


def find_duplicate_rows(docnos: DocnoArray, grouped: TopicGroups) -> dict[int, int]:
    """Rows whose (topic, docno) occurs in an earlier row, ascending, with the first such row.

    A key is the hash of the docno plus that of the topic's number (from 1, as 0 hashes to 0), so
    the keys of many topics are compared at once; bytes decide which of them are the same.
    """
    duplicates: dict[int, int] = {}
    for first, end in split_topic_ranges(grouped.starts, BLOCK):
        rows = grouped.rows(first, end)
        sizes = np.diff(grouped.starts[first : end + 1])
        numbers = np.arange(first, end, dtype=np.uint64) + _ONE
        keys = docnos.take(rows).hashes() + np.repeat(mix_bits(numbers), sizes)
        again = _find_repeated_keys(keys)
        if len(again):
            suspect = np.flatnonzero(np.isin(keys, again))
            listed = rows[suspect] if isinstance(rows, np.ndarray) else suspect + rows.start
            topics = np.repeat(np.arange(first, end), sizes)[suspect]
            duplicates.update(_confirm_duplicates(docnos, topics, listed))
    return dict(sorted(duplicates.items()))


def _find_repeated_keys(keys: Words) -> Words:
    """The keys that occur more than once.

    Each key is put into a slot of its high bits, and the last one stays there. Equal keys have one
    slot: either one of them is found in it by all others, or all of them find a key of another
    value. Only the few that do, one in ten of four slots a key, are sorted.
    """
    bits = (_ROOM * len(keys)).bit_length()
    slots = (keys >> np.uint64(64 - bits)).view(np.int64)
    numbers = np.arange(len(keys), dtype=np.min_scalar_type(len(keys)))
    owners = np.empty(1 << bits, numbers.dtype)
    owners[slots] = numbers
    owner = owners[slots]
    others = np.flatnonzero(owner != numbers)
    crowded = keys[others]
    same = crowded == keys[owner[others]]
    left = np.sort(crowded[~same])
    return np.concatenate((crowded[same], left[1:][left[1:] == left[:-1]]))


def _confirm_duplicates(docnos: DocnoArray, topics: Ints, rows: Ints) -> Iterator[tuple[int, int]]:
    first: dict[tuple[int, bytes], int] = {}
    for topic, row in zip(topics.tolist(), rows.tolist(), strict=True):
        seen = first.setdefault((topic, docnos.text(row)), row)
        if seen != row:
            yield row, seen
