"""Cut a file of whitespace-separated fields into blocks of lines, and find the fields of each.

A block is about 1 MiB. All fields of a regular block are found at once (``field_scanner``); the
lines of any other block are split one by one, so one odd line costs the time of its block only.
In small blocks the fixed cost of some fifty numpy calls counts, in large ones the block and the
offsets of its fields (1 MiB of a run has 25,000 lines with 6 fields of 8 + 8 bytes) leave the
processor's cache between two calls. CPU time for 200,000 lines of a run, with 2 MB of second-level
cache: 16 KiB 125 ms, 64 KiB 58, 256 KiB 45, 1 MiB 45, 4 MiB 52, 16 MiB 63.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolbench.reading.docnos import DocnoArray
from poolbench.reading.field_scanner import FieldSpans, scan_fields, scan_line_by_line
from poolbench.reading.machine_words import Ints, Mask, Places, keep_freed_memory

_BLOCK = 1 << 20
"""Bytes of a block; its last line is read to the end."""

LineFilter = Callable[[int, bytes], bool]
"""Whether to read a line, given its number from 1 and its bytes without the newline."""


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines of ``data`` that are read: their numbers, from 1, and the offsets of their fields.

    ``starts`` and ``ends`` have the shape (lines, columns). The block is ``data[span]``: ``size``
    lines with those that are not read, from line number ``first`` on.
    """

    data: bytes
    first: int
    size: int
    span: slice
    lines: Sequence[int] | Ints
    starts: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, index: int) -> DocnoArray:
        """The fields of one column."""
        starts = np.ascontiguousarray(self.starts[:, index])
        return DocnoArray(self.data, starts, self.ends[:, index] - starts)

    def where(self, good: Mask | slice) -> "LineBlock":
        """The rows of this block that are ``good``."""
        lines = self.lines[good] if isinstance(good, slice) else np.asarray(self.lines)[good]
        return replace(self, lines=lines, starts=self.starts[good], ends=self.ends[good])


def scan_blocks(data: bytes, width: int, accept: LineFilter) -> Iterator[LineBlock]:
    """All blocks of ``data``, the bytes of a file without a byte order mark, in their order.

    Each line of a regular block has ``width`` fields, or is empty; it is UTF-8 without control
    characters and does not begin with ``#``. In any other block the lines are those that
    ``accept`` selects; each must have at least ``width`` fields, of which the first are read.
    """
    keep_freed_memory()
    start, first = 0, 1
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK)
        end = len(data) if end < 0 else end
        # The newline at the end of the file does not start another line.
        stop = end - (end == len(data) and data[-1:] == b"\n")
        spans = scan_fields(data, start, stop, width)
        spans = spans or _scan_accepted(data, slice(start, stop), width, first, accept)
        lines = _line_numbers(spans.lines, first)
        span = slice(start, end)
        yield LineBlock(data, first, spans.size, span, lines, spans.starts, spans.ends)
        start, first = end + 1, first + spans.size


def _scan_accepted(
    data: bytes, span: slice, width: int, first: int, accept: LineFilter
) -> FieldSpans:
    good, place = [], span.start
    lines = data[span].split(b"\n")
    for number, line in enumerate(lines):
        if accept(first + number, line):
            good.append((number, place, line))
        place += len(line) + 1
    return scan_line_by_line(len(lines), good, width)


def _line_numbers(lines: Sequence[int] | Ints, first: int) -> Sequence[int] | Ints:
    if isinstance(lines, range):
        return range(first, first + len(lines))
    return np.asarray(lines, np.int64) + first
