"""Find pairs of a campaign by their bytes: a sorted table of the hashes of a stretch of codes.

The codes of each topic are sorted by the upper 32 bits of their docnos' hashes. A topic of n pairs
has n buckets; a hash h belongs to bucket h · n >> 32, so that buckets follow each other as hashes
do and hold one pair on average. A pair takes 12 bytes: the place where its bucket begins, the hash,
and the code. A hash only says where to look: a pair matches if its bytes are the same.

Segments are merged topic by topic, from their hashes, in blocks of bounded size; so are the arrays
of one that is mapped from a file.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from mmap import MADV_DONTNEED, mmap
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.machine_words import Mask
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.stored_docnos import StoredDocnos
from poolbench.runs.tables import group_starts, split_topic_ranges

Codes = NDArray[np.int32]
Hashes = NDArray[np.uint32]
_HALF = np.uint64(32)
_ENTRIES = 1 << 19
"""Pairs that are sorted at once: some 30 MB."""
_TRIES = 8
"""Pairs of one hash that are compared one after the other. More come of constructed docnos only,
and are put into a dict."""


class CodedPairs(Protocol):
    """Pairs in the order of their codes, by topic; a topic may occur several times."""

    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def starts(self) -> Ints: ...
    @property
    def docnos(self) -> DocnoArray | StoredDocnos: ...


class SegmentSource(Protocol):
    """Pairs by topic, ascending. Those of ``topics[i]`` are ``starts[i]:starts[i + 1]``."""

    @property
    def topics(self) -> tuple[str, ...]: ...
    @property
    def starts(self) -> Ints: ...
    def read_entries(self, rows: slice) -> tuple[Hashes, Codes]: ...
    def release(self) -> None: ...


class DocnoMatcher(Protocol):
    """Compares the docnos of the rows that are looked up with those of codes of a segment."""

    def match(self, rows: Ints, codes: Codes) -> Mask: ...
    def list_texts(self, rows: Ints) -> list[bytes]: ...
    def list_texts_of_codes(self, codes: Codes) -> list[bytes]: ...


def hash_docnos(docnos: DocnoArray) -> Hashes:
    """The upper half of the hash of each docno."""
    return (docnos.hashes() >> _HALF).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class PairSource:
    """Pairs with codes that begin at 0, to be sorted."""

    topics: tuple[str, ...]
    starts: Ints
    docnos: DocnoArray | StoredDocnos
    order: Codes | None
    """The codes, unless they ascend."""

    @classmethod
    def from_pairs(cls, pairs: CodedPairs) -> "PairSource":
        counts = np.diff(pairs.starts)
        names = sorted({name for name, count in zip(pairs.topics, counts, strict=True) if count})
        if tuple(names) == pairs.topics:
            return cls(pairs.topics, pairs.starts, pairs.docnos, None)
        number = {name: at for at, name in enumerate(names)}
        topic_of = np.repeat([number.get(name, -1) for name in pairs.topics], counts)
        order = np.argsort(topic_of, kind="stable").astype(np.int32)
        starts = group_starts(np.bincount(topic_of.astype(np.int64), minlength=len(names)))
        return cls(tuple(names), starts, pairs.docnos, order)

    def read_entries(self, rows: slice) -> tuple[Hashes, Codes]:
        """The hashes and codes of ``rows``."""
        codes = self.order[rows] if self.order is not None else None
        hashes = hash_docnos(self.docnos.take(rows if codes is None else codes.astype(np.int64)))
        return hashes, np.arange(rows.start, rows.stop, dtype=np.int32) if codes is None else codes

    def release(self) -> None:
        """Nothing stays mapped."""


@dataclass(frozen=True, eq=False)
class PairSegment:
    """Pairs by topic, ascending, and hash. Bucket b is ``offsets[b]:offsets[b + 1]``; the buckets
    of ``topics[i]``, as many as it has pairs, begin at ``starts[i]``, as do its pairs. ``codes``
    count from the first code of the segment.
    """

    topics: tuple[str, ...]
    starts: Ints
    offsets: Codes
    hashes: Hashes
    codes: Codes
    file: mmap | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {topic: at for at, topic in enumerate(self.topics)}

    def read_entries(self, rows: slice) -> tuple[Hashes, Codes]:
        """The hashes and codes of ``rows``."""
        return self.hashes[rows], self.codes[rows]

    def release(self) -> None:
        """Take the pages of a mapped file out of this process; they come back when they are read.

        They are the system's copy of the file, but count as memory of each process that has read
        them.
        """
        if self.file is not None:
            self.file.madvise(MADV_DONTNEED)

    def find(self, topics: Ints, hashes: Hashes, matcher: DocnoMatcher) -> Codes:
        """By row: the code of the pair, given the number of its topic and the hash, or -1."""
        matches = np.full(len(hashes), -1, np.int32)
        firsts, sizes = self.starts[:-1], np.diff(self.starts).astype(np.uint64)
        buckets = firsts[topics] + ((hashes * sizes[topics]) >> _HALF).view(np.int64)
        at, end = self.offsets[buckets], self.offsets[buckets + 1]
        rows = np.flatnonzero(at < end)
        at, end = at[rows], end[rows]
        for _ in range(_TRIES):
            rows, at, end = self._advance(rows, at, end, hashes)
            codes = self.codes[at]
            same = matcher.match(rows, codes)
            matches[rows[same]] = codes[same]
            left = ~same & (at + 1 < end)
            if not left.any():
                break
            rows, at, end = rows[left], at[left] + 1, end[left]
        else:
            self._find_crowded(matches, rows, at, end, matcher)
        return matches

    def _advance(
        self, rows: Ints, at: Codes, end: Codes, hashes: Hashes
    ) -> tuple[Ints, Codes, Codes]:
        """Each row at the next pair of its hash in its bucket, without those that have none."""
        hits = [(rows[:0], at[:0], end[:0])]
        while len(rows):
            same = self.hashes[at] == hashes[rows]
            hits.append((rows[same], at[same], end[same]))
            left = ~same & (at + 1 < end)
            rows, at, end = rows[left], at[left] + 1, end[left]
        return tuple(map(np.concatenate, zip(*hits, strict=True)))  # type: ignore[return-value]

    def _find_crowded(
        self, matches: Codes, rows: Ints, at: Codes, end: Codes, matcher: DocnoMatcher
    ) -> None:
        """Look for the rows among the pairs that are left of their buckets, by their bytes."""
        for last in np.unique(end).tolist():
            own = end == last
            codes = self.codes[int(at[own].min()) : last]
            known = dict(zip(matcher.list_texts_of_codes(codes), codes.tolist(), strict=True))
            matches[rows[own]] = [known.get(text, -1) for text in matcher.list_texts(rows[own])]


def count_segment_pairs(sources: Sequence[SegmentSource]) -> tuple[tuple[str, ...], Ints]:
    """The topics of all ``sources``, ascending, and where the pairs of each start."""
    counts = Counter[str]()
    for source in sources:
        for topic, count in zip(source.topics, np.diff(source.starts).tolist(), strict=True):
            counts[topic] += count
    topics = tuple(sorted(counts))
    return topics, group_starts([counts[topic] for topic in topics])


def merge_segments(sources: Sequence[SegmentSource], moves: Sequence[int]) -> PairSegment:
    """One segment of all ``sources``, in memory; the codes of each move by that of ``moves``."""
    topics, starts = count_segment_pairs(sources)
    size = int(starts[-1])
    offsets, hashes = np.empty(size + 1, np.int32), np.empty(size, np.uint32)
    merged = PairSegment(topics, starts, offsets, hashes, np.empty(size, np.int32))
    fill_segment(merged, sources, moves)
    return merged


def fill_segment(
    segment: PairSegment, sources: Sequence[SegmentSource], moves: Sequence[int]
) -> None:
    """Fill the arrays of ``segment``, whose topics are counted already."""
    starts = segment.starts
    for first, end in split_topic_ranges(starts, _ENTRIES):
        low, high = int(starts[first]), int(starts[end])
        topic_of, hashes, codes = _gather_entries(
            segment.topics[first:end], list(zip(sources, moves, strict=True))
        )
        sizes = np.diff(starts[first : end + 1]).astype(np.uint64)
        buckets = (starts[first:end] - low)[topic_of]
        buckets += ((hashes * sizes[topic_of]) >> _HALF).view(np.int64)
        order = _sort_by_bucket(buckets)
        counts = np.bincount(buckets, minlength=high - low)
        segment.offsets[low:high] = low + np.cumsum(counts) - counts
        segment.hashes[low:high], segment.codes[low:high] = hashes[order], codes[order]
        for each in (segment, *sources):
            each.release()
    segment.offsets[-1] = starts[-1]


def _sort_by_bucket(buckets: Ints) -> Ints:
    """The order of the rows: by the lower half of the number, then by the upper one. numpy sorts
    16-bit integers by radix, which takes half as long as sorting the numbers as they are.
    """
    order = np.argsort(buckets.astype(np.uint16), kind="stable")
    upper = (buckets >> 16).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")]


def _gather_entries(
    topics: tuple[str, ...], sources: Sequence[tuple[SegmentSource, int]]
) -> tuple[Ints, Hashes, Codes]:
    """All pairs of ``topics``, which are neighbors: the place of the topic, hash and code."""
    number = {topic: at for at, topic in enumerate(topics)}
    parts = [(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.int32))]
    for source, move in sources:
        first = bisect_left(source.topics, topics[0])
        end = bisect_right(source.topics, topics[-1])
        if first == end:
            continue
        own = [number[topic] for topic in source.topics[first:end]]
        hashes, codes = source.read_entries(
            slice(int(source.starts[first]), int(source.starts[end]))
        )
        sizes = np.diff(source.starts[first : end + 1])
        parts.append((np.repeat(own, sizes), hashes, codes + np.int32(move)))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))  # type: ignore[return-value]


def divide_chunks(counts: Sequence[int]) -> list[tuple[int, int]]:
    """Which chunks of ``counts`` pairs make up a segment each, as ranges, in their order.

    A range depends on the chunks up to its end only, so that all processes have the same. As soon
    as four in a row are of one size, by powers of four, they become one: a pair is merged once for
    each power, and n pairs are in at most 3 · log₄(n) segments.
    """
    ranges: list[tuple[int, int, int]] = []
    for at, count in enumerate(counts):
        ranges.append((at, at + 1, count))
        while (alike := _count_alike([size for *_, size in ranges])) >= _FAN:
            total = sum(size for *_, size in ranges[-alike:])
            ranges[-alike:] = [(ranges[-alike][0], at + 1, total)]
    return [(first, end) for first, end, _ in ranges]


_FAN = 4


def _count_alike(sizes: Sequence[int]) -> int:
    """How many of the last are not of a greater power than the last."""
    power = _find_power(sizes[-1])
    alike = (at for at, size in enumerate(reversed(sizes)) if _find_power(size) > power)
    return next(alike, len(sizes))


def _find_power(count: int) -> int:
    return max(count.bit_length() - 1, 0) // 2
