"""Look up the pairs of a table in the segments of a dictionary, a few topics at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from poolbench.reading.machine_words import Mask
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.pair_segments import CodedPairs, Codes, PairSegment, hash_docnos
from poolbench.runs.tables import PairTable, split_topic_ranges

_ROWS = 1 << 18
"""Pairs looked up at once: some 40 MB."""
_ENTRIES_PER_ROW = 32
"""As many pairs of a segment count like one that is looked up, so that of a large dictionary no
more than 8 million pairs, 100 MB of mapped files, are in memory at once."""

Chunk = TypeVar("Chunk", bound=CodedPairs)


def group_by_chunk(
    starts: Ints, chunks: Sequence[Chunk], codes: Codes
) -> Iterator[tuple[Chunk, Ints, Ints]]:
    """Each chunk that has any of ``codes``, with their positions and their rows in it; the codes
    of ``chunks[i]`` begin at ``starts[i]``.
    """
    if len(chunks) == 1:
        if len(codes):
            yield chunks[0], np.arange(len(codes)), codes.astype(np.int64)
        return
    at = np.searchsorted(starts, codes, side="right") - 1
    # Small integer types use radix sort, which is faster.
    order = np.argsort(at.astype(np.min_scalar_type(len(starts))), kind="stable")
    bounds = np.searchsorted(at[order], np.arange(len(chunks) + 1))
    for number in np.flatnonzero(np.diff(bounds)).tolist():
        rows = order[bounds[number] : bounds[number + 1]]
        yield chunks[number], rows, codes[rows] - starts[number]


@dataclass(frozen=True, eq=False)
class PairLookUp:
    """``segments`` with their first codes, and the ``chunks`` that have the docnos of the codes."""

    starts: Ints
    chunks: Sequence[CodedPairs]
    segments: Sequence[tuple[int, PairSegment]]

    def find(self, table: PairTable) -> Codes:
        """The code of each pair of ``table``, in its order; -1 for pairs without a code."""
        codes = np.full(len(table.docnos), -1, np.int32)
        numbers = [
            np.array([segment.numbers.get(topic, -1) for topic in table.topics], np.int64)
            for _, segment in self.segments
        ]
        for first, end in split_topic_ranges(self._weigh_topics(table, numbers), _ROWS):
            rows = slice(int(table.starts[first]), int(table.starts[end]))
            topics = np.repeat(np.arange(first, end), np.diff(table.starts[first : end + 1]))
            block = _Block(self, table.docnos.take(rows))
            codes[rows] = block.find([of_table[topics] for of_table in numbers])
            for _, segment in self.segments:
                segment.release()
        return codes

    def _weigh_topics(self, table: PairTable, numbers: Sequence[Ints]) -> Ints:
        """The starts of the topics, as if they had further rows for their pairs in segments."""
        weights = np.diff(table.starts)
        for of_table, (_, segment) in zip(numbers, self.segments, strict=True):
            known = np.flatnonzero(of_table >= 0)
            sizes = np.diff(segment.starts)[of_table[known]]
            weights[known] += sizes // _ENTRIES_PER_ROW
        return np.concatenate(([0], np.cumsum(weights)))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some rows of a table."""

    look_up: PairLookUp
    docnos: DocnoArray

    def find(self, numbers: Sequence[Ints]) -> Codes:
        """``numbers``: for each segment the number of the topic of each row, -1 if it has none."""
        codes = np.full(len(self.docnos), -1, np.int32)
        hashes, left = hash_docnos(self.docnos), np.arange(len(self.docnos))
        for topics, (start, segment) in zip(numbers, self.look_up.segments, strict=True):
            rows = left[topics[left] >= 0]
            matches = segment.find(topics[rows], hashes[rows], _Matcher(self, rows, start))
            rows, matches = rows[matches >= 0], matches[matches >= 0]
            codes[rows] = matches + np.int32(start)
            left = left[codes[left] < 0]
            if not len(left):
                break
        return codes


@dataclass(frozen=True, eq=False)
class _Matcher:
    """A ``DocnoMatcher`` of ``rows`` of a block with a segment whose codes begin at ``start``."""

    block: _Block
    rows: Ints
    start: int

    def match(self, rows: Ints, codes: Codes) -> Mask:
        same, docnos = np.zeros(len(rows), bool), self._docnos
        for chunk, at, own in self._group(codes):
            mine = chunk.docnos.take(own)
            same[at] = mine.matches(np.arange(len(at)), docnos, self.rows[rows[at]])
        return same

    def list_texts(self, rows: Ints) -> list[bytes]:
        return self._docnos.texts(self.rows[rows])

    def list_texts_of_codes(self, codes: Codes) -> list[bytes]:
        texts = [b""] * len(codes)
        for chunk, at, own in self._group(codes):
            for place, text in zip(
                at.tolist(), chunk.docnos.take(own).texts(slice(None)), strict=True
            ):
                texts[place] = text
        return texts

    @property
    def _docnos(self) -> DocnoArray:
        return self.block.docnos

    def _group(self, codes: Codes) -> Iterator[tuple[CodedPairs, Ints, Ints]]:
        look_up = self.block.look_up
        return group_by_chunk(look_up.starts, look_up.chunks, codes + np.int32(self.start))
