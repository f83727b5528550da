"""IDs of a column of a large file, without the file: their bytes one after the other."""

import io

import numpy as np

from poolbench.reading.docnos import DocnoArray
from poolbench.reading.machine_words import Places


class PackedDocnoCollector:
    """Collects the IDs of one column, block by block, at most ``room`` of them, and copies their
    bytes: the text that they were read from need not stay in memory.
    """

    def __init__(self, room: int) -> None:
        # Pages that are never written to take no memory.
        self._lengths: Places = np.empty(room, np.int32)
        self._text = io.BytesIO()
        self._end = 0

    def add(self, ids: DocnoArray) -> None:
        """Add ``ids``, at least one."""
        rows = slice(self._end, self._end + len(ids))
        self._lengths[rows] = ids.lengths
        self._text.write(ids.joined())
        self._end = rows.stop

    def finish(self) -> DocnoArray:
        """All IDs so far."""
        lengths, data = self._lengths[: self._end], self._text.getvalue()
        kind = np.int32 if len(data) < 1 << 31 else np.int64
        ends = np.cumsum(lengths, dtype=kind)
        return DocnoArray(data, np.subtract(ends, lengths, out=ends), lengths)
