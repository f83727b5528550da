"""Many ids as one piece of text with places: as quick to compare as numbers, exact as strings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import overload

import numpy as np
from numpy.typing import NDArray

from campaigns.core.machine_words import (
    Ints,
    Mask,
    Places,
    Words,
    dense_ranks,
    load_words,
    mix_bits,
    shift_words,
)
from campaigns.core.machine_words import byte_windows as words_at

BLOCK = 1 << 15
"""Rows that are worked on at once: their words stay in the processor's cache."""

_MANY_BYTES = (1 << 31) - (1 << 12)
"""From here on a place in the data does not fit into 32 bits."""

SHORT = 4
"""Words of an id up to which they are kept beside it once they are loaded."""

LONGEST = 256
"""Longer ids are taken one by one: their bytes dwarf the call."""


@dataclass(frozen=True, eq=False)
class DocnoArray(Sequence[str]):
    """Ids in a fixed order. Id ``i`` is ``data[starts[i]:starts[i] + lengths[i]]``, UTF-8.

    ``data`` is usually the file that the ids were read from. One id comes as a string, a
    slice as a list of strings.
    """

    data: bytes
    starts: Places
    lengths: Places

    @classmethod
    def of(cls, ids: Iterable[str]) -> DocnoArray:
        """``ids`` packed one behind the other."""
        texts = [text.encode() for text in ids]
        ends = np.fromiter(accumulate(map(len, texts)), np.int64, len(texts))
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        return cls(b"".join(texts), ends - lengths, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [text.decode() for text in self.texts(index)]
        return self.text(index).decode()

    def __iter__(self) -> Iterator[str]:
        for part in self.parts():
            yield from self[part]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DocnoArray):
            return len(self) == len(other) and bool(self.are(other).all())
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def text(self, row: int) -> bytes:
        """One id as bytes."""
        start = int(self.starts[row])
        return self.data[start : start + int(self.lengths[row])]

    def texts(self, rows: slice | Ints) -> list[bytes]:
        """The ids of ``rows`` as bytes."""
        starts = self.starts[rows]
        ends = (starts + self.lengths[rows]).tolist()
        return [self.data[s:e] for s, e in zip(starts.tolist(), ends, strict=True)]

    def joined(self) -> bytes:
        """The bytes of all ids, one behind the other."""
        return b"".join(map(self._joined, self.parts()))

    def _joined(self, rows: slice) -> bytes:
        lengths = self.lengths[rows].astype(np.int64)
        places = np.repeat(self.starts[rows] - np.cumsum(lengths) + lengths, lengths)
        places += np.arange(len(places))
        return self.array[places].tobytes()

    def take(self, rows: slice | Ints) -> DocnoArray:
        """The ids of ``rows``, in that order."""
        taken = DocnoArray(self.data, self.starts[rows], self.lengths[rows])
        if "all_words" in self.__dict__:
            # To load them again takes longer, for the text has left the cache by now.
            taken.__dict__["all_words"] = [word[rows] for word in self.all_words]
        return taken

    def loaded(self) -> DocnoArray:
        """These ids with their words at hand from now on: for ids that are asked for often."""
        if self.words <= SHORT:
            self.all_words  # noqa: B018 -- kept by being asked for
        return self

    def parts(self) -> Iterator[slice]:
        """All rows as slices of ``BLOCK``."""
        return (slice(start, start + BLOCK) for start in range(0, len(self), BLOCK))

    def hashes(self) -> Words:
        """A 64-bit hash of each id. Different ids may have the same one: ask ``are``."""
        mixed = self.lengths.astype(np.uint64)
        for index, word in enumerate(self.all_words):
            # Only the words that an id has: its hash must not depend on its neighbours.
            longer = self.lengths > 8 * index
            spread = mix_bits(mixed ^ word)
            mixed = spread if longer.all() else np.where(longer, spread, mixed)
        for row in np.flatnonzero(self.is_long).tolist():
            digest = hashlib.blake2b(self.text(row), digest_size=8).digest()
            mixed[row] = int.from_bytes(digest, "little")
        return mixed

    def are(self, other: DocnoArray) -> Mask:
        """By place: whether the ids there are the same, byte for byte."""
        equal: Mask = self.lengths == other.lengths
        for index in range(self.words):
            equal &= self.word(index) == other.word(index)
        for row in np.flatnonzero(equal & self.is_long).tolist():
            equal[row] = self.text(row) == other.text(row)
        return equal

    def equal(self, text: bytes) -> Mask:
        """Which ids are ``text``."""
        same = np.zeros(len(self), np.int64)
        return self.are(DocnoArray(text, same, same + len(text)))

    def changes(self) -> Ints:
        """The rows whose id is not that of the row before; the first row is one of them."""
        same: Mask = self.lengths[1:] == self.lengths[:-1]
        for index in range(self.words):
            word = self.word(index)
            same &= word[1:] == word[:-1]
        for row in np.flatnonzero(same & self.is_long[1:]).tolist():
            same[row] = self.text(row) == self.text(row + 1)
        return np.flatnonzero(np.concatenate(([True], ~same))[: len(self)])

    def distinct(self) -> set[bytes]:
        """The different ids."""
        _, first, of_row = np.unique(self.hashes(), return_index=True, return_inverse=True)
        others = np.flatnonzero(~self.are(self.take(first[of_row])))
        return {*self.texts(first), *self.texts(others)}

    def ranks(self) -> Ints:
        """The place, from 0, of each id by code point; equal ids share theirs."""
        if self.is_long.any():
            texts = self.texts(slice(None))
            places = {text: place for place, text in enumerate(sorted(set(texts)))}
            return np.fromiter((places[text] for text in texts), np.int64, len(texts))
        # The order of UTF-8 bytes is that of code points. An id comes before those that go
        # on with NUL bytes, which its last word does not show.
        ranked = dense_ranks(self.lengths) if b"\0" in self.data else None
        for index in reversed(range(self.words)):
            first = dense_ranks(self._key(index))
            ranked = first if ranked is None else dense_ranks(first * len(first) + ranked)
        return np.zeros(len(self), np.int64) if ranked is None else ranked

    @cached_property
    def array(self) -> NDArray[np.uint8]:
        """The bytes of ``data``."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def windows(self) -> NDArray[np.void]:
        """The eight bytes from each place of ``data``."""
        return words_at(self.data)

    @cached_property
    def is_long(self) -> Mask:
        """Which ids are longer than ``LONGEST``."""
        return self.lengths > LONGEST

    @cached_property
    def words(self) -> int:
        """How many words are looked at: those of the longest id, up to ``LONGEST``."""
        return -(-min(int(self.lengths.max(initial=0)), LONGEST) // 8)

    @cached_property
    def all_words(self) -> list[Words]:
        """Every word of each id; those that end early repeat their last."""
        return [self.word(index) for index in range(self.words)]

    def word(self, index: int) -> Words:
        """Word ``index`` of each id. The last word of an id ends with it and so may repeat bytes
        of the one before; an id of one short word comes at the high end of it, above zeros.
        """
        short = np.minimum(self.lengths - 8, 0) if self._shortest < 8 else None
        starts = self.starts
        if self.words > 1:
            behind = np.minimum(8 * index, self.lengths - 8)
            starts = starts + (behind if short is None else np.maximum(behind, 0))
        found = load_words(self.windows, starts)
        return found if short is None else shift_words(found, -8 * short)

    def _key(self, index: int) -> Words:
        """Word ``index`` of each id as a number in the order of bytes, 0 past the end."""
        empty = np.minimum(np.maximum(8 * (index + 1) - self.lengths, 0), 8)
        shift = (8 * empty).astype(np.uint64)
        return ((load_words(self.windows, self.starts + 8 * index) << shift) >> shift).byteswap()

    @cached_property
    def _shortest(self) -> int:
        return int(self.lengths.min(initial=LONGEST))


class DocnoCollector:
    """Gathers the ids of one column of ``data``, block by block, at most ``room`` of them."""

    def __init__(self, data: bytes, room: int) -> None:
        kind = np.int32 if len(data) < _MANY_BYTES else np.int64
        self._data = data
        self._starts: Places = np.empty(room, kind)
        self._lengths: Places = np.empty(room, kind)
        self._words: list[Words] = []
        self._long = False
        self._end = 0

    def add(self, ids: DocnoArray) -> None:
        """Add ``ids``, of which there is one at least, and look at them while they are at hand."""
        rows = slice(self._end, self._end + len(ids))
        self._starts[rows], self._lengths[rows] = ids.starts, ids.lengths
        self._long = self._long or ids.words > SHORT
        if not self._long:
            self._add_words(rows, ids)
        self._end = rows.stop

    def _add_words(self, rows: slice, ids: DocnoArray) -> None:
        while len(self._words) < ids.words:
            # Ids without a word of this index repeat their last one there.
            more = np.empty(len(self._starts), np.uint64)
            more[: rows.start] = self._words[-1][: rows.start] if self._words else 0
            self._words.append(more)
        for index, words in enumerate(self._words):
            words[rows] = ids.all_words[min(index, ids.words - 1)]

    def finish(self) -> DocnoArray:
        """All ids so far."""
        rows = slice(0, self._end)
        ids = DocnoArray(self._data, self._starts[rows], self._lengths[rows])
        if not self._long:
            ids.__dict__["all_words"] = [words[rows] for words in self._words]
        return ids
