"""The index of a collection: which docnos it has, and where each document lies in its files.

One file of columns, sorted by the 64-bit hash of the docno and mapped into memory, so a look-up
reads a few pages and all processes share them. A hash only says where to look: a docno is in the
collection if its bytes are (``DocnoArray.equals``). A place is a byte of the unpacked files, laid
end to end; for Parquet it is a row.
"""

from collections.abc import Collection as AbstractCollection
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import cast

import numpy as np

from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Mask, Places, Words, mix_bits
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.columnar import iter_column_parts, read_columns

_PROBES = ("1", "poolbench-probe-of-hashes")
_FORM = 1


@dataclass(frozen=True)
class CollectionFile:
    """A file of a collection, as it was read.

    The places of its documents begin at ``start``; there are ``extent`` of them, bytes of the
    unpacked file or rows.
    """

    name: str
    form: str
    packing: str
    size: int
    sha256: str
    documents: int
    start: int
    extent: int


@dataclass(frozen=True)
class DocumentPlace:
    """Where a document lies: ``offset`` and ``length`` in a file, a row of a Parquet file."""

    docno: str
    file: int
    offset: int
    length: int


@dataclass(frozen=True, eq=False)
class CollectionIndex:
    """The docnos of a collection by hash, with their places."""

    files: tuple[CollectionFile, ...]
    hashes: Words
    docnos: DocnoArray
    places: Ints
    lengths: Places

    @classmethod
    def open(cls, path: Path) -> "CollectionIndex":
        """Map the file of an index. Raises ``ValueError`` if it is not one of this form."""
        with path.open("rb") as stream:
            data = mmap(stream.fileno(), 0, access=ACCESS_READ)
        head, columns, last = read_columns(data)
        if head.get("collection") != _FORM or head["probes"] != _hash_probes():
            raise ValueError(f"{path} is not an index of this version")
        ends = columns["ends"].astype(np.int64) + last
        starts = np.concatenate(([last], ends[:-1]))[: len(ends)]
        docnos = DocnoArray(cast(bytes, data), starts, ends - starts)
        files = tuple(CollectionFile(**file) for file in head["files"])
        return cls(files, columns["hashes"], docnos, columns["places"], columns["lengths"])

    def __len__(self) -> int:
        return len(self.hashes)

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and bool(self.find(DocnoArray.from_ids([docno]))[0] >= 0)

    def __iter__(self) -> Iterator[str]:
        """The docnos in the order of the files."""
        for first in range(0, len(self), BLOCK):
            yield from self.docnos.take(self.order[first : first + BLOCK])

    @cached_property
    def order(self) -> Ints:
        """The rows in the order of the files."""
        return np.argsort(self.places)

    def contains(self, docnos: DocnoArray) -> Mask:
        """Which of ``docnos`` are in the collection."""
        return self.find(docnos) >= 0

    def find(self, docnos: DocnoArray) -> Ints:
        """By position: the row of each docno, or -1."""
        rows = np.full(len(docnos), -1, np.int64)
        hashes = docnos.hashes()
        # In the order of the hashes, neighbors are in the same page of the index.
        positions = np.argsort(hashes)
        at = np.searchsorted(self.hashes, hashes[positions])
        while len(positions):
            near = at < len(self)
            near[near] = self.hashes[at[near]] == hashes[positions[near]]
            positions, at = positions[near], at[near]
            same = self._equal(at, docnos, positions)
            rows[positions[same]] = at[same]
            # Another docno with the same hash: the next row may have it, too.
            positions, at = positions[~same], at[~same] + 1
        return rows

    def _equal(self, rows: Ints, docnos: DocnoArray, others: Ints) -> Mask:
        same = np.zeros(len(rows), bool)
        for first in range(0, len(rows), BLOCK):
            part = slice(first, first + BLOCK)
            same[part] = self.docnos.take(rows[part]).equals(docnos.take(others[part]))
        return same

    def iter_similar(self, names: AbstractCollection[str]) -> Iterator[str]:
        """The docnos made of the same characters as one of ``names``, whatever their order, but
        for zeros and the case of ASCII letters; others are not counted.
        """
        similar = DocnoArray.from_ids(names)
        wanted = np.unique(_weigh_characters(similar.data, similar.lengths))
        for part in self.docnos.parts() if len(wanted) else ():
            some = self.docnos.take(part)
            data = self.docnos.data[int(some.starts[0]) : int(some.starts[-1] + some.lengths[-1])]
            yield from some.take(
                np.flatnonzero(np.isin(_weigh_characters(data, some.lengths), wanted))
            )

    def locate(self, docnos: Sequence[str]) -> list[DocumentPlace]:
        """The places of those of ``docnos`` that are in the collection, in the files' order."""
        rows = np.unique(self.find(DocnoArray.from_ids(docnos)))
        rows = rows[rows >= 0]
        rows = rows[np.argsort(self.places[rows])]
        starts = np.array([file.start for file in self.files], np.int64)
        numbers = np.searchsorted(starts, self.places[rows], "right") - 1
        offsets = self.places[rows] - starts[numbers]
        lengths = self.lengths[rows]
        columns = (numbers.tolist(), offsets.tolist(), lengths.tolist())
        return [
            DocumentPlace(docno, *place)
            for docno, *place in zip(self.docnos.take(rows), *columns, strict=True)
        ]


def _weigh_characters(data: bytes, lengths: Places) -> Words:
    """The sum of the weights of the bytes of each ID; the IDs lie one after the other."""
    starts = np.cumsum(lengths) - lengths
    return np.add.reduceat(_WEIGHTS[np.frombuffer(data, np.uint8)], starts, dtype=np.uint64)


def _draw_weights() -> Words:
    """By byte: 0 for a zero and for what is not ASCII, the same for both cases of a letter."""
    weights = mix_bits(np.arange(1, 257, dtype=np.uint64))
    weights[ord("A") : ord("Z") + 1] = weights[ord("a") : ord("z") + 1]
    weights[[ord("0"), *range(128, 256)]] = 0
    return weights


_WEIGHTS = _draw_weights()


def write_index(
    path: Path,
    files: Iterable[CollectionFile],
    docnos: DocnoArray,
    hashes: Words,
    places: Ints,
    lengths: Places,
) -> None:
    """Write the index of documents that are sorted by ``hashes``."""
    head = {"collection": _FORM, "probes": _hash_probes(), "files": [asdict(f) for f in files]}
    ends = np.cumsum(docnos.lengths, dtype=np.int64)
    small = len(ends) and ends[-1] < 1 << 31
    columns = {
        "hashes": hashes,
        "places": places,
        "lengths": lengths,
        "ends": ends.astype(np.int32) if small else ends,
        "docnos": np.frombuffer(docnos.joined(), np.uint8),
    }
    with path.open("wb") as stream:
        for part in iter_column_parts(head, columns):
            stream.write(part)


def _hash_probes() -> list[int]:
    """Hashes of fixed docnos: an index by other hashes would find nothing."""
    return [int(value) for value in DocnoArray.from_ids(_PROBES).hashes()]
