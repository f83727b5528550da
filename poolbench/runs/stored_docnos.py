"""IDs that lie one after the other in a file, located and read only where they are needed.

The file has the length of each ID, not its place: that is the sum of the lengths before it. Kept in
memory is the place of every ``MARK``-th ID; from there the lengths are added up again. So 25
million IDs take 200 kB of memory, and a file is open only while IDs of it are in use.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from mmap import mmap
from typing import cast

import numpy as np

from poolbench.reading.reader import DocnoArray, Ints
from poolbench.runs.tables import group_starts

MARK = 1 << 10


@dataclass(frozen=True, eq=False)
class StoredDocnos:
    """``count`` IDs; their lengths, 32 bits each, begin at byte ``lengths_at`` of what
    ``open_file`` returns, and their bytes at ``docnos_at``.
    """

    open_file: Callable[[], bytes | mmap]
    count: int
    lengths_at: int
    docnos_at: int

    def __len__(self) -> int:
        return self.count

    def take(self, rows: slice | Ints) -> DocnoArray:
        """The IDs of ``rows``, a slice without a step or numbers in any order, in that order. They
        refer to the file, which stays open for as long as they are in use.
        """
        data = self.open_file()
        if isinstance(rows, slice):
            low, high, _ = rows.indices(self.count)
        else:
            low, high = (int(rows.min()), int(rows.max()) + 1) if len(rows) else (0, 0)
        first = low // MARK * MARK
        lengths = self._read_lengths(data)[first:high].astype(np.int64)
        ends = np.cumsum(lengths) + self._marks[first // MARK]
        rows = slice(low - first, None) if isinstance(rows, slice) else rows - first
        return DocnoArray(cast(bytes, data), ends[rows] - lengths[rows], lengths[rows])

    def _read_lengths(self, data: bytes | mmap) -> Ints:
        return np.frombuffer(data, np.int32, self.count, self.lengths_at)

    @cached_property
    def _marks(self) -> Ints:
        """The place of IDs 0, ``MARK``, 2 · ``MARK``, …"""
        if not self.count:
            return np.array([self.docnos_at])
        lengths = self._read_lengths(self.open_file())
        sums = np.add.reduceat(lengths, np.arange(0, self.count, MARK), dtype=np.int64)
        return self.docnos_at + group_starts(sums)
