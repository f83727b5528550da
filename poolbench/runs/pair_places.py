"""Where the pairs of a campaign are in a table of judgments: the row of each code, if any.

Up to ``DENSE`` pairs this is one array by code, and finding the rows of a run one gather. Larger
campaigns have 25 million pairs of which a few 100,000 are judged: one bit by code says whether the
pair is judged, and its row stands at the number of judged pairs before it. The number is that of
the words before, kept by word, and that of the bits before in the word. So 25 million pairs take
5 MB, not 100.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.machine_words import Words

DENSE = 1 << 22
"""Codes up to which an array of them is small, 16 MB."""

Codes = NDArray[np.int32]

_AT_ONCE = 1 << 16
"""Codes looked up at once, so that the arrays of one step stay in the cache."""

_ONE, _WORD, _IN_WORD = np.uint64(1), 6, 63


@dataclass(frozen=True, eq=False)
class PairPlaces:
    """Pairs ``codes``, ascending, are ``rows`` of a table; others of the ``size`` codes are not."""

    size: int
    codes: Codes
    rows: Codes

    @classmethod
    def from_codes(
        cls, size: int, codes: NDArray[np.integer], rows: NDArray[np.integer]
    ) -> "PairPlaces":
        """Of ``codes`` in any order, each once."""
        order = np.argsort(codes)
        return cls(size, codes[order].astype(np.int32), rows[order].astype(np.int32))

    @classmethod
    def from_array(cls, places: NDArray[np.integer]) -> "PairPlaces":
        """Of an array by code: the row, or -1."""
        codes = np.flatnonzero(places >= 0)
        return cls.from_codes(len(places), codes, places[codes])

    def __len__(self) -> int:
        return self.size

    def take(self, codes: NDArray[np.integer]) -> Codes:
        """By position: the row of each of ``codes``, or -1."""
        if self.size <= DENSE:
            places: Codes = self._rows_by_code.take(codes)
            return places
        rows = np.full(len(codes), -1, np.int32)
        for first in range(0, len(codes), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            self._look_up(codes[part], rows[part])
        return rows

    def contains(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of ``codes`` have a row."""
        return self.take(codes) >= 0

    @cached_property
    def _rows_by_code(self) -> Codes:
        rows = np.full(self.size, -1, np.int32)
        rows[self.codes] = self.rows
        return rows

    @cached_property
    def _bits(self) -> tuple[Words, Codes]:
        """A bit for each code, and by word the number of bits in the words before."""
        bits = np.zeros((self.size >> _WORD) + 1, np.uint64)
        words = self.codes >> _WORD
        first = np.flatnonzero(np.diff(words, prepend=-1))
        if len(first):
            own = _ONE << (self.codes & _IN_WORD).astype(np.uint64)
            bits[words[first]] = np.bitwise_or.reduceat(own, first)
        counts = np.bitwise_count(bits).astype(np.int32)
        return bits, np.cumsum(counts, dtype=np.int32) - counts

    def _look_up(self, codes: NDArray[np.integer], rows: Codes) -> None:
        bits, before = self._bits
        shifts = (codes & _IN_WORD).astype(np.uint64)
        words = bits[codes >> _WORD] >> shifts
        known = np.flatnonzero(words & _ONE)
        at = codes[known] >> _WORD
        lower = bits[at] & ((_ONE << shifts[known]) - _ONE)
        rows[known] = self.rows[before[at] + np.bitwise_count(lower)]
