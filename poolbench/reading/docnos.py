"""Many IDs as one byte string with offsets: compared as fast as numbers, exact as strings.

**Equal.** An ID of more than 8 bytes is covered by words at 0, 8, 16, … of which the last is moved
back to end with the ID, so it repeats bytes of the word before and needs no mask. Shorter IDs are
one word, shifted to its high end above zeros. Each byte of an ID is in some word, at a place that
depends on the length alone: IDs are equal if and only if their lengths and all their words are.

**Hash.** From the length, word by word: h = mix(h ^ word). ``mix`` is one to one (``mix_bits``), so
IDs of one length that differ in one word only differ in h after it, and stay different: IDs of
up to 8 bytes never collide with those of the same length. Otherwise h is as good as random: among n
IDs about n² / 2^65 pairs collide, 3 · 10⁻⁸ for a million. Collisions can also be
constructed, so a hash only says where to look: equal IDs are equal bytes (``equals``, ``matches``).

**Order.** UTF-8 sorts by bytes as its text sorts by code point, and a word with its bytes reversed
(big-endian) sorts as a number like its bytes. Past the end of an ID are zeros, so a prefix comes
first. IDs are ranked by their last word, then by the word before with the ranks so far to break
ties, and so on to the first (a radix sort by words): key = rank of the word · n + rank so far,
exact below 2^63, that is up to 3 billion IDs.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import overload

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.machine_words import (
    Ints,
    Mask,
    Places,
    Words,
    byte_windows,
    choose_offset_type,
    dense_ranks,
    load_word_pairs,
    load_words,
    mix_bits,
    shift_words,
)

BLOCK = 1 << 15
"""Rows processed at once by callers that load words: 256 KiB per array of words, so that the few
arrays of one step stay in the second-level cache. CPU time for finding duplicates among 200,000
rows: 2,048 rows at once 4.9 ms, 8,192 2.9, 32,768 3.1, 131,072 3.7, all 4.7."""

SHORT = 4
"""IDs of at most so many words keep their words once loaded: 32 bytes each, enough for the docnos
of most collections."""

_WORD_BITS = np.uint64(64)
LONGEST = 256
"""IDs with more bytes are processed one by one. Otherwise the longest ID would set the number of
words of all; and one call of Python for each costs little beside so many bytes."""


_WIDEST = 64
"""Bytes of the longest ID up to which ``joined`` copies as many of each."""


@dataclass(frozen=True, eq=False)
class DocnoArray(Sequence[str]):
    """IDs in a fixed order. ID ``i`` is ``data[starts[i]:starts[i] + lengths[i]]``, UTF-8.

    ``data`` is usually the file that the IDs were read from. Indexing returns a string, slicing
    a list of strings.
    """

    data: bytes
    starts: Places
    lengths: Places

    @classmethod
    def from_ids(cls, ids: Iterable[str]) -> "DocnoArray":
        """``ids``, packed one after the other."""
        listed = list(ids)
        if (joined := "".join(listed)).isascii():
            # As many bytes as characters: nothing to encode one by one.
            lengths = np.fromiter(map(len, listed), np.int64, len(listed))
            return cls(joined.encode(), np.cumsum(lengths) - lengths, lengths)
        texts = [text.encode() for text in listed]
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
            return len(self) == len(other) and bool(self.equals(other).all())
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def text(self, row: int) -> bytes:
        """One ID as bytes."""
        start = int(self.starts[row])
        return self.data[start : start + int(self.lengths[row])]

    def texts(self, rows: slice | Ints) -> list[bytes]:
        """The IDs of ``rows`` as bytes."""
        starts = self.starts[rows]
        ends = (starts + self.lengths[rows]).tolist()
        return [self.data[s:e] for s, e in zip(starts.tolist(), ends, strict=True)]

    def joined(self, end: bytes = b"") -> bytes:
        """The bytes of all IDs, one after the other, each with ``end`` behind it: one byte or none.

        A square of bytes is copied and what is beyond an ID left out of it, which takes a third of
        the time of a list of IDs.
        """
        return b"".join(self.iter_joined(end))

    def iter_joined(self, end: bytes = b"") -> Iterator[bytes]:
        """The same a part at a time."""
        return (_join(self.take(part), end) for part in self.parts())

    def take(self, rows: slice | Ints) -> "DocnoArray":
        """The IDs of ``rows``, in that order."""
        taken = DocnoArray(self.data, self.starts[rows], self.lengths[rows])
        # Computing them again takes longer: the text has left the cache by now.
        if "all_words" in self.__dict__:
            taken.__dict__["all_words"] = [word[rows] for word in self.all_words]
        if "_hashes" in self.__dict__:
            taken.__dict__["_hashes"] = self._hashes[rows]
        return taken

    def loaded(self) -> "DocnoArray":
        """These IDs with their words loaded, for IDs that are looked up often."""
        if self.words <= SHORT:
            self.all_words  # noqa: B018 -- cached by access
        return self

    def parts(self) -> Iterator[slice]:
        """All rows as slices of ``BLOCK``."""
        return (slice(start, start + BLOCK) for start in range(0, len(self), BLOCK))

    def hashes(self) -> Words:
        """A 64-bit hash of each ID, computed once. Hashes can collide: confirm with ``equals``."""
        return self._hashes

    @cached_property
    def _hashes(self) -> Words:
        mixed = self.lengths.astype(np.uint64)
        if "all_words" not in self.__dict__ and (pairs := self._load_pairs()):
            self.__dict__["all_words"] = pairs
        for index in range(self.words):
            spread = mix_bits(mixed ^ self.word(index))
            if self._shortest <= 8 * index:
                # Only the words that an ID has: its hash must not depend on its neighbors.
                spread = np.where(self.lengths > 8 * index, spread, mixed)
            mixed = spread
        for row in self._long_rows():
            digest = hashlib.blake2b(self.text(row), digest_size=8).digest()
            mixed[row] = int.from_bytes(digest, "little")
        return mixed

    def equals(self, other: "DocnoArray") -> Mask:
        """By position: whether the IDs are the same, byte for byte."""
        equal: Mask = self.lengths == other.lengths
        for index in range(self.words):
            equal &= self.word(index) == other.word(index)
        for row in self._long_rows():
            equal[row] = self.text(row) == other.text(row)
        return equal

    def matches(
        self, rows: Places, other: "DocnoArray", others: Ints, *, have_one_hash: bool = False
    ) -> Mask:
        """By position: whether the ID of ``rows`` is that of row ``others`` of ``other``.

        Of IDs that ``have_one_hash`` one word needs no comparison: h = mix(h' ^ word) is one to
        one, so if hash, length and all words but one are equal, then the last one is, too.
        """
        lengths = other.lengths[others]
        same: Mask = self.lengths[rows] == lengths
        known = other.__dict__.get("all_words")
        wanted = other if known else DocnoArray(other.data, other.starts[others], lengths)
        # IDs of the same length have the same number of words.
        for index in range(int(have_one_hash), min(self.words, other.words)):
            word = known[index][others] if known else wanted.word(index)
            same &= self.all_words[index][rows] == word
        is_any_long = self._longest > LONGEST
        for at in np.flatnonzero(same & (lengths > LONGEST)).tolist() if is_any_long else ():
            same[at] = self.text(int(rows[at])) == other.text(int(others[at]))
        return same

    def equals_text(self, text: bytes) -> Mask:
        same: Mask = self.lengths == len(text)
        if len(text) <= LONGEST:
            one = DocnoArray(text, np.zeros(1, np.int64), np.full(1, len(text)))
            for index in range(one.words if same.any() else 0):
                same &= self.word(index) == one.word(index)
        for row in self._long_rows():
            same[row] = self.text(row) == text
        return same

    def changes(self) -> Ints:
        """The rows whose ID differs from the row before; the first row is one of them."""
        same: Mask = self.lengths[1:] == self.lengths[:-1]
        for index in range(self.words):
            word = self.word(index)
            same &= word[1:] == word[:-1]
        for row in self._long_rows():
            same[row - 1 : row] = self.text(row - 1) == self.text(row)
        return np.flatnonzero(np.concatenate(([True], ~same))[: len(self)])

    def distinct(self) -> set[bytes]:
        """The distinct IDs."""
        _, first, of_row = np.unique(self.hashes(), return_index=True, return_inverse=True)
        others = np.flatnonzero(~self.equals(self.take(first[of_row])))
        return {*self.texts(first), *self.texts(others)}

    def ranks(self) -> Ints:
        """The rank, from 0, of each ID by code point; equal IDs share theirs."""
        if self._longest > LONGEST:
            texts = self.texts(slice(None))
            places = {text: place for place, text in enumerate(sorted(set(texts)))}
            return np.fromiter((places[text] for text in texts), np.int64, len(texts))
        # UTF-8 bytes sort like code points. An ID precedes those that continue it with NUL
        # bytes, which its last word does not show.
        ranked = dense_ranks(self.lengths) if self._have_nul() else None
        for index in reversed(range(self.words)):
            first = dense_ranks(self._key(index))
            ranked = first if ranked is None else dense_ranks(first * len(first) + ranked)
        return np.zeros(len(self), np.int64) if ranked is None else ranked

    def sort_keys(self) -> list[Words | Places] | None:
        """Numbers that sort like the IDs, most significant first; None if that needs more than
        ``SHORT`` words of each. Last is the length: an ID precedes those that continue it with NUL.
        """
        if self.words > SHORT:
            return None
        return [*map(self._key, range(self.words)), self.lengths]

    @cached_property
    def array(self) -> NDArray[np.uint8]:
        """The bytes of ``data``."""
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def windows(self) -> NDArray[np.void]:
        """The eight bytes from each offset of ``data``."""
        return byte_windows(self.data)

    def _long_rows(self) -> list[int]:
        """The rows of IDs longer than ``LONGEST``, mostly none."""
        is_any = self._longest > LONGEST
        return np.flatnonzero(self.lengths > LONGEST).tolist() if is_any else []

    @cached_property
    def words(self) -> int:
        """How many words are compared: those of the longest ID, up to ``LONGEST``."""
        return -(-min(self._longest, LONGEST) // 8)

    @cached_property
    def all_words(self) -> list[Words]:
        """Every word of each ID; shorter IDs repeat their last."""
        return [self.word(index) for index in range(self.words)]

    def _load_pairs(self) -> list[Words] | None:
        """``all_words`` of IDs with up to two words, both loaded at once; None for others."""
        pairs = load_word_pairs(self.data, self.starts) if self.words == 2 else None
        if pairs is None:
            return None
        first, second = self._align(pairs[0]), pairs[1]
        bits = (8 * (self.lengths - 8)).astype(np.uint64)
        last = (pairs[0] >> bits) | (second << (_WORD_BITS - bits))
        return [first, last if self._shortest > 8 else np.where(self.lengths > 8, last, first)]

    def word(self, index: int) -> Words:
        """Word ``index`` of each ID. The last word of an ID ends with it, so it may repeat bytes
        of the word before; an ID shorter than a word fills its high end, above zeros.
        """
        if known := self.__dict__.get("all_words"):
            loaded: Words = known[min(index, len(known) - 1)]
            return loaded
        return self._align(load_words(self.windows, self._word_starts(index)))

    def _word_starts(self, index: int) -> Places:
        if not index or self.words < 2:
            return self.starts
        # The last word of all is the last one of each.
        behind = self.lengths - 8
        behind = behind if index == self.words - 1 else np.minimum(8 * index, behind)
        return self.starts + (behind if self._shortest >= 8 else np.maximum(behind, 0))

    def _align(self, words: Words) -> Words:
        """``words`` without the bytes behind IDs that are shorter."""
        if self._shortest >= 8:
            return words
        if self._shortest == self._longest:
            return words << np.uint64(8 * (8 - self._shortest))
        return shift_words(words, 8 * np.maximum(8 - self.lengths, 0))

    def _have_nul(self) -> bool:
        # Mostly no byte of the data is; a large file is not read for a few of its IDs.
        if len(self.data) <= _WIDEST * len(self) and self.data.find(b"\0") < 0:
            return False
        return b"\0" in self.joined()

    def _key(self, index: int) -> Words:
        """Word ``index`` of each ID as a number that sorts like its bytes, 0 past the end."""
        empty = np.minimum(np.maximum(8 * (index + 1) - self.lengths, 0), 8)
        shift = (8 * empty).astype(np.uint64)
        return ((load_words(self.windows, self.starts + 8 * index) << shift) >> shift).byteswap()

    @cached_property
    def _shortest(self) -> int:
        return int(self.lengths.min(initial=LONGEST))

    @cached_property
    def _longest(self) -> int:
        return int(self.lengths.max(initial=0))


def _join(ids: DocnoArray, end: bytes) -> bytes:
    width = int(ids.lengths.max(initial=0)) + len(end)
    if not 0 < width <= _WIDEST:
        return b"".join(text + end for text in ids.texts(slice(None)))
    data, starts = ids.data, ids.starts
    if int(starts.max()) + width > len(data):
        # The end of the data, which may be a mapped file: of that only these bytes are copied.
        first = int(starts.min())
        data, starts = data[first:] + bytes(width), starts - first
    sizes = ids.lengths.astype(np.int64) + len(end)
    ends = np.cumsum(sizes)
    text = np.empty(int(ends[-1]) + width, np.uint8)
    # As many bytes of each: what is behind an ID gives way to the next one, which comes later.
    byte_windows(text.data, width)[ends - sizes] = byte_windows(data, width)[starts]
    if end:
        text[ends - 1] = end[0]
    return text[: ends[-1]].tobytes()


class DocnoCollector:
    """Collects the IDs of one column of ``data``, block by block, at most ``room`` of them."""

    def __init__(self, data: bytes, room: int) -> None:
        kind = choose_offset_type(len(data))
        self._data = data
        self._starts: Places = np.empty(room, kind)
        self._lengths: Places = np.empty(room, kind)
        self._hashes = np.empty(room, np.uint64)
        self._end = 0

    def add(self, ids: DocnoArray) -> None:
        """Add ``ids``, at least one, and hash them while their text is in the cache."""
        rows = slice(self._end, self._end + len(ids))
        self._starts[rows], self._lengths[rows] = ids.starts, ids.lengths
        self._hashes[rows] = ids.hashes()
        self._end = rows.stop

    def finish(self) -> DocnoArray:
        """All IDs so far."""
        rows = slice(0, self._end)
        ids = DocnoArray(self._data, self._starts[rows], self._lengths[rows])
        ids.__dict__["_hashes"] = self._hashes[rows]
        return ids
