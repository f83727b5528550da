"""A run as columns, and the campaign's dictionary of (topic, docno) pairs.

A run's file has one row per retrieved document in trec_eval order: ``pair`` is the code of
(topic, docno) in the dictionary, ``score`` its score. So the grades of a whole run are one
gather: ``grade_by_pair[matrix.pairs]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.reader import DocnoArray
from poolbench.runs.columnar import Columns, read_columns, write_columns
from poolbench.runs.pair_index import PairIndex
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
    def from_pairs(cls, pairs: Iterable[Pair]) -> PairArray:
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

    @cached_property
    def index(self) -> PairIndex:
        """The index of these pairs."""
        return PairIndex.from_table(self)


def select_pairs(table: PairTable, rows: NDArray[np.int64]) -> PairArray:
    """The pairs of ``rows`` of ``table``, ascending."""
    starts = np.searchsorted(rows, table.starts)
    nonempty = np.flatnonzero(np.diff(starts))
    topics = tuple(table.topics[at] for at in nonempty.tolist())
    return PairArray(topics, group_starts(np.diff(starts)[nonempty]), table.docnos.take(rows))


@dataclass
class PairDictionary:
    """Codes 0, 1, 2, … of the (topic, docno) pairs that any run of a campaign retrieved.

    ``chunks`` have the pairs in the order in which they were added.
    """

    chunks: list[PairArray] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, self.chunks))

    def __iter__(self) -> Iterator[Pair]:
        for chunk in self.chunks:
            yield from chunk

    def extend(self, pairs: PairArray) -> None:
        """Append pairs that are not in the dictionary yet."""
        self.chunks.append(pairs)

    def find(self, table: PairTable) -> NDArray[np.int32]:
        """The code of each pair of ``table``, in its order; -1 for pairs without a code."""
        codes = np.full(len(table.docnos), -1, np.int32)
        left, start = np.arange(len(codes)), 0
        for chunk in self.chunks:
            if not len(left):
                break
            matches = chunk.index.find(select_pairs(table, left) if start else table)
            codes[left] = np.where(matches < 0, -1, matches + start)
            left, start = left[matches < 0], start + len(chunk)
        return codes

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

    def get_docnos(self, codes: NDArray[np.int32]) -> DocnoArray:
        """The docnos of pairs by their codes."""
        return self._all().docnos.take(codes.astype(np.int64))

    def places(self, table: PairTable) -> NDArray[np.int32]:
        """By code: the row of that pair in ``table``, or -1."""
        pairs = self._all()
        pairs.docnos.loaded()
        return PairIndex.from_table(table).find(pairs)

    def _all(self) -> PairArray:
        """All chunks as one, cached until there are more."""
        chunks = self.chunks.copy()
        count, pairs = self._together
        if count != len(chunks):
            pairs = concatenate_pairs(chunks)
            self._together = len(chunks), pairs
        return pairs

    _together: tuple[int, PairArray] = field(
        default_factory=lambda: (0, concatenate_pairs([])), repr=False
    )


def concatenate_pairs(parts: list[PairArray]) -> PairArray:
    """All pairs of ``parts``, one after the other."""
    moved = group_starts([len(part.docnos.data) for part in parts]).tolist()
    texts = [part.docnos for part in parts]
    nothing = np.empty(0, np.int64)
    places = [text.starts + offset for text, offset in zip(texts, moved, strict=False)]
    lengths = np.concatenate([nothing, *(text.lengths for text in texts)])
    data = b"".join(text.data for text in texts)
    sizes = np.concatenate([nothing, *(np.diff(part.starts) for part in parts)])
    topics = tuple(chain.from_iterable(part.topics for part in parts))
    docnos = DocnoArray(data, np.concatenate([nothing, *places]), lengths)
    return PairArray(topics, group_starts(sizes), docnos)


def write_matrix(matrix: RunMatrix) -> bytes:
    """A column file: one row per document in trec_eval order, topics in its header."""
    columns: Columns = {"starts": matrix.starts, "pair": matrix.pairs, "score": matrix.scores}
    return write_columns({"topics": matrix.topics}, columns)


def read_matrix(data: bytes) -> RunMatrix:
    """Read a file by ``write_matrix``; ``ValueError`` for anything else."""
    head, columns, _ = read_columns(data)
    return RunMatrix(tuple(head["topics"]), columns["starts"], columns["pair"], columns["score"])


def write_pairs(pairs: PairArray) -> bytes:
    """A column file: the lengths of all docnos, and their bytes one after the other."""
    text = np.frombuffer(pairs.docnos.joined(), np.uint8)
    lengths = pairs.docnos.lengths.astype(np.int32)
    columns: Columns = {"starts": pairs.starts, "length": lengths, "docno": text}
    return write_columns({"topics": pairs.topics}, columns)


def read_pairs(data: bytes) -> PairArray:
    """Read a file by ``write_pairs``; ``ValueError`` for anything else."""
    head, columns, place = read_columns(data)
    lengths = columns["length"].astype(np.int64)
    docnos = DocnoArray(data, place + np.cumsum(lengths) - lengths, lengths)
    return PairArray(tuple(head["topics"]), columns["starts"], docnos)
