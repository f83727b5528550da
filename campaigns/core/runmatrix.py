"""A run as columns, and the campaign's dictionary of (topic, docno) pairs.

A run's file is Parquet (zstd) with one row a retrieved document in trec_eval order:
``pair`` int32 is the code of (topic, docno) in the dictionary, ``score`` float64.
``starts`` and ``topics`` stand in the file's metadata, so grades of a whole run are one
gather: ``grade_of_pair[matrix.pairs]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from campaigns.core.tables import RunTable

Pair = tuple[str, str]


@dataclass(frozen=True)
class RunMatrix:
    """One run by pair codes. Rows of ``topics[i]`` are ``starts[i]:starts[i + 1]``."""

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    pairs: NDArray[np.int32]
    scores: NDArray[np.float64]


@dataclass
class PairDictionary:
    """Codes 0, 1, 2, … of the (topic, docno) pairs that any run of a campaign retrieved."""

    pairs: list[Pair] = field(default_factory=list)
    codes: dict[Pair, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pairs)

    def extend(self, pairs: Iterable[Pair]) -> None:
        """Append pairs that are not in the dictionary yet."""
        for pair in pairs:
            self.codes[pair] = len(self.pairs)
            self.pairs.append(pair)

    def missing(self, table: RunTable) -> list[Pair]:
        """The pairs of ``table`` without a code, in its order."""
        return [pair for pair in pairs_of(table) if pair not in self.codes]

    def encode(self, table: RunTable) -> RunMatrix:
        """``table`` by codes; every pair of it must be in the dictionary."""
        codes = np.fromiter((self.codes[p] for p in pairs_of(table)), np.int32, len(table))
        return RunMatrix(table.topics, table.starts, codes, table.scores)

    def decode(self, matrix: RunMatrix, tag: str) -> RunTable:
        """The run as strings again."""
        docnos = [self.pairs[code][1] for code in matrix.pairs.tolist()]
        return RunTable(tag, matrix.topics, matrix.starts, docnos, matrix.scores)

    def gather(self, rows: Iterable[tuple[str, str, int]], default: int) -> NDArray[np.int32]:
        """A value for each code, from (topic, docno, value) rows; ``default`` elsewhere."""
        values = np.full(len(self.pairs), default, dtype=np.int32)
        for topic, docno, value in rows:
            code = self.codes.get((topic, docno))
            if code is not None:
                values[code] = value
        return values


def pairs_of(table: RunTable) -> Iterable[Pair]:
    """(topic, docno) of every row of ``table``."""
    for index, topic in enumerate(table.topics):
        for docno in table.docnos[table.rows(index)]:
            yield topic, docno


def write_matrix(matrix: RunMatrix) -> bytes:
    """Parquet (zstd): a row a document in trec_eval order; topics and starts in its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    head = {"topics": json.dumps(matrix.topics), "starts": json.dumps(matrix.starts.tolist())}
    columns = pa.table({"pair": matrix.pairs, "score": matrix.scores})
    out = BytesIO()
    pq.write_table(columns.replace_schema_metadata(head), out, compression="zstd")
    return out.getvalue()


def read_matrix(data: bytes) -> RunMatrix:
    """What ``write_matrix`` wrote."""
    import pyarrow.parquet as pq

    columns = pq.read_table(BytesIO(data))
    head = columns.schema.metadata
    return RunMatrix(
        topics=tuple(json.loads(head[b"topics"])),
        starts=np.array(json.loads(head[b"starts"]), dtype=np.int64),
        pairs=columns["pair"].to_numpy(),
        scores=columns["score"].to_numpy(),
    )


def write_pairs(pairs: Sequence[Pair]) -> bytes:
    """Parquet (zstd): a row a pair, in the order of their codes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    topics = pa.array([topic for topic, _ in pairs]).dictionary_encode()
    columns = pa.table({"topic": topics, "docno": [docno for _, docno in pairs]})
    out = BytesIO()
    pq.write_table(columns, out, compression="zstd")
    return out.getvalue()


def read_pairs(data: bytes) -> list[Pair]:
    """What ``write_pairs`` wrote."""
    import pyarrow.parquet as pq

    columns = pq.read_table(BytesIO(data))
    return list(zip(columns["topic"].to_pylist(), columns["docno"].to_pylist(), strict=True))
