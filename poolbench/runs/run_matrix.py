"""A run as columns, and the campaign's dictionary of (topic, docno) pairs.

A run's file has one row per retrieved document in trec_eval order: ``pair`` is the code of
(topic, docno) in the dictionary, ``score`` its score. So the grades of a whole run are one
gather: ``grade_by_pair[matrix.pairs]``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from mmap import mmap
from sys import intern
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.columnar import ByteParts, Columns, iter_column_parts, locate_columns
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.pair_look_up import PairLookUp, group_by_chunk
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.pair_segments import (
    Codes,
    PairSegment,
    PairSource,
    SegmentSource,
    divide_chunks,
    merge_segments,
)
from poolbench.runs.segment_files import SegmentFolder
from poolbench.runs.stored_docnos import StoredDocnos
from poolbench.runs.tables import PairTable, RunTable, group_starts

Pair = tuple[str, str]


@dataclass(frozen=True)
class RunMatrix:
    """One run by pair codes. Rows of ``topics[i]`` are ``starts[i]:starts[i + 1]``."""

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    pairs: NDArray[np.int32]
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class PairArray:
    """Pairs in the order of their codes. Those of ``topics[i]`` are ``starts[i]:starts[i + 1]``.

    A topic may occur several times.
    """

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: DocnoArray

    @classmethod
    def from_pairs(cls, pairs: Iterable[Pair]) -> "PairArray":
        names, docnos = list(zip(*pairs, strict=True)) or ((), ())
        topics = DocnoArray.from_ids(names)
        first = topics.changes()
        starts = np.append(first, len(names))
        return cls(tuple(topics.take(first)), starts, DocnoArray.from_ids(docnos))

    def __len__(self) -> int:
        return len(self.docnos)

    def __iter__(self) -> Iterator[Pair]:
        for at, topic in enumerate(self.topics):
            for docno in self.docnos[int(self.starts[at]) : int(self.starts[at + 1])]:
                yield topic, docno


@dataclass(frozen=True)
class StoredPairs:
    """As ``PairArray``, of a file that is opened where its docnos are needed."""

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: StoredDocnos

    def __len__(self) -> int:
        return len(self.docnos)

    def __iter__(self) -> Iterator[Pair]:
        return iter(PairArray(self.topics, self.starts, self.docnos.take(slice(None))))


def select_pairs(table: PairTable, rows: NDArray[np.int64]) -> PairArray:
    """The pairs of ``rows`` of ``table``, ascending."""
    if len(rows) == len(table.docnos):
        return PairArray(table.topics, table.starts, table.docnos)
    starts = np.searchsorted(rows, table.starts)
    nonempty = np.flatnonzero(np.diff(starts))
    topics = tuple(table.topics[at] for at in nonempty.tolist())
    return PairArray(topics, group_starts(np.diff(starts)[nonempty]), table.docnos.take(rows))


class PairDictionary:
    """Codes 0, 1, 2, … of the (topic, docno) pairs that any run of a campaign retrieved.

    ``chunks`` have the pairs in the order in which they were added. Pairs are found in segments
    (``pair_segments``), made when they are first needed. Those of many pairs are files of
    ``folder``, if there is one, for which ``names`` are the chunks by their content.
    """

    def __init__(
        self,
        chunks: Iterable[PairArray | StoredPairs] = (),
        names: Sequence[str] = (),
        folder: SegmentFolder | None = None,
    ) -> None:
        self.chunks, self.names, self.folder = list(chunks), list(names), folder
        self.segments: dict[tuple[int, int], PairSegment] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def __iter__(self) -> Iterator[Pair]:
        for chunk in self.chunks:
            yield from chunk

    def extend(self, pairs: PairArray | StoredPairs) -> None:
        """Append pairs that are not in the dictionary yet."""
        self.chunks.append(pairs)

    @property
    def identity(self) -> tuple[int, str]:
        """Differs between two states of one campaign, also after an older backup was restored."""
        return len(self), "".join(self.names[-1:])

    def extended(self, chunks: Iterable[StoredPairs], names: Iterable[str]) -> "PairDictionary":
        """Another dictionary with more chunks; this one stays as it is."""
        longer = PairDictionary([*self.chunks, *chunks], [*self.names, *names], self.folder)
        with self._lock:
            longer.segments.update(self.segments)
        return longer

    def find(self, table: PairTable) -> Codes:
        """The code of each pair of ``table``, in its order; -1 for pairs without a code."""
        return PairLookUp(self.starts, self.chunks, self.list_segments()).find(table)

    def missing(self, table: PairTable) -> PairArray:
        """The pairs of ``table`` without a code, in its order."""
        return select_pairs(table, np.flatnonzero(self.find(table) < 0))

    def encode(self, table: RunTable) -> RunMatrix:
        """``table`` by codes; raises ``KeyError`` if a pair has none."""
        codes = self.find(table)
        if len(codes) and codes.min() < 0:
            raise KeyError("a pair of the run is not in the dictionary")
        return RunMatrix(table.topics, table.starts, codes, table.scores)

    def decode(self, matrix: RunMatrix, tag: str) -> RunTable:
        """The run with its docnos."""
        docnos = self.get_docnos(matrix.pairs)
        return RunTable(tag, matrix.topics, matrix.starts, docnos, matrix.scores)

    def get_docnos(self, codes: Codes) -> DocnoArray:
        """The docnos of pairs by their codes."""
        parts, lengths, orders = [], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for chunk, rows, own in group_by_chunk(self.starts, self.chunks, codes):
            docnos = chunk.docnos.take(own)
            parts.append(docnos.joined())
            lengths.append(docnos.lengths)
            orders.append(rows)
        order, ends = np.concatenate(orders), np.cumsum(together := np.concatenate(lengths))
        places, sizes = np.empty(len(codes), np.int64), np.empty(len(codes), np.int64)
        places[order], sizes[order] = ends - together, together
        return DocnoArray(b"".join(parts), places, sizes)

    def places(self, table: PairTable) -> PairPlaces:
        """The row of each code's pair in ``table``.

        Without segments each pair is looked for in ``table``, which is quicker than making them.
        """
        size = len(self)
        if self.folder is not None or self.segments:
            codes = self.find(table)
            rows = np.flatnonzero(codes >= 0)
            return PairPlaces.from_codes(size, codes[rows], rows)
        index = PairIndex.from_table(table)
        matches = [index.find(chunk) for chunk in self.chunks]
        return PairPlaces.from_array(np.concatenate([np.empty(0, np.int32), *matches]))

    @property
    def starts(self) -> Ints:
        """The first code of each chunk, and finally the number of all pairs."""
        return group_starts([len(chunk) for chunk in self.chunks])

    def list_segments(self) -> list[tuple[int, PairSegment]]:
        """The first code of each segment, and the segment, those of most pairs first; together
        they have all pairs.
        """
        with self._lock:
            counts = [len(chunk) for chunk in self.chunks]
            ranges = divide_chunks(counts)
            starts = group_starts(counts).tolist()
            if any(each not in self.segments for each in ranges):
                self.segments = {each: self._get_segment(each, counts) for each in ranges}
            listed = [(starts[first], each) for (first, _), each in self.segments.items()]
        return sorted(listed, key=lambda each: -len(each[1]))

    def _get_segment(self, place: tuple[int, int], counts: list[int]) -> PairSegment:
        if place in self.segments:
            return self.segments[place]
        names = self.names[slice(*place)]
        if self.folder is None or sum(counts[slice(*place)]) < STORED:
            return merge_segments(*self._list_parts(place, counts))
        segment = self.folder.open(names)
        if segment is None:
            with self.folder.lock():
                segment = self.folder.open(names)
                if segment is None:
                    segment = self.folder.write(names, *self._list_parts(place, counts))
                    self.folder.remove_others(
                        self.names[first:end] for first, end in divide_chunks(counts)
                    )
        return segment

    def _list_parts(
        self, place: tuple[int, int], counts: list[int]
    ) -> tuple[list[SegmentSource], list[int]]:
        """What the segment is merged of, and where the codes of each start in it: segments that
        there were before its last chunk, else chunks.
        """
        sources, moves, starts = list[SegmentSource](), list[int](), group_starts(counts).tolist()
        before = [each for each in divide_chunks(counts[: place[1] - 1]) if each[0] >= place[0]]
        for first, end in (*before, (place[1] - 1, place[1])):
            segment = self.segments.get((first, end))
            if segment is None and self.folder is not None and end < place[1]:
                segment = self.folder.open(self.names[first:end])
            if segment is not None:
                sources.append(segment)
                moves.append(starts[first])
            else:
                sources += map(PairSource.from_pairs, self.chunks[first:end])
                moves += starts[first:end]
        return sources, [start - starts[place[0]] for start in moves]


STORED = 1 << 18
"""A segment of fewer pairs stays in memory, where it takes 3 MB at most."""


def write_matrix(matrix: RunMatrix) -> bytes:
    """A column file: one row per document in trec_eval order, topics in its header."""
    return b"".join(iter_matrix_parts(matrix))


def iter_matrix_parts(matrix: RunMatrix) -> Iterator[bytes | memoryview]:
    """The same, some of it at a time."""
    columns: Columns = {"starts": matrix.starts, "pair": matrix.pairs, "score": matrix.scores}
    return iter_column_parts({"topics": matrix.topics}, columns)


def read_matrix(data: bytes) -> RunMatrix:
    """Read a file by ``write_matrix``; ``ValueError`` for anything else."""
    topics, columns = locate_matrix(data)
    return RunMatrix(topics, *(np.frombuffer(data, *column) for column in columns))


MatrixHead = tuple[tuple[str, ...], list[tuple[str, int, int]]]


def locate_matrix(data: bytes | mmap) -> MatrixHead:
    """The topics, and type, length and offset of the three arrays of a ``RunMatrix``; raises as
    ``read_matrix`` does.
    """
    head, places = locate_columns(data)
    return tuple(map(intern, head["topics"])), [
        places[name] for name in ("starts", "pair", "score")
    ]


def write_pairs(pairs: PairArray) -> bytes:
    """A column file: the lengths of all docnos, and their bytes one after the other."""
    return b"".join(iter_pair_parts(pairs))


def iter_pair_parts(pairs: PairArray) -> Iterator[bytes | memoryview]:
    """The same, some of it at a time."""
    lengths = pairs.docnos.lengths.astype(np.int32)
    text = ByteParts(int(lengths.sum()), pairs.docnos.iter_joined())
    columns: dict[str, NDArray[Any] | ByteParts] = {
        "starts": pairs.starts,
        "length": lengths,
        "docno": text,
    }
    return iter_column_parts({"topics": pairs.topics}, columns)


def read_pairs(data: bytes) -> StoredPairs:
    """Read a file by ``write_pairs``; ``ValueError`` for anything else."""
    return open_pairs(lambda: data)


def open_pairs(open_file: Callable[[], bytes | mmap]) -> StoredPairs:
    """The same of a file that is opened by ``open_file`` each time that docnos are read."""
    data = open_file()
    head, places = locate_columns(data)
    starts = np.array(np.frombuffer(data, *places["starts"]))
    _, count, lengths_at = places["length"]
    docnos = StoredDocnos(open_file, count, lengths_at, places["docno"][2])
    return StoredPairs(tuple(map(intern, head["topics"])), starts, docnos)
