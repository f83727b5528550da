"""Find the fields of whitespace-separated lines, a block of lines at once.

Three scanners, each exact, from the fastest to the most general:

- ``scan_single_gaps``: one space or tab between fields, none at the ends (nearly all files);
- ``scan_any_gaps``: any ASCII whitespace, ``\\r\\n`` and empty lines;
- ``scan_line_by_line``: the lines of a block that neither of them accepts.

A gap is a byte of at most 0x20, so one comparison finds all whitespace (and control characters,
which the scanners reject). The bytes of a character outside of ASCII are all above 0x7F, so none
is taken for a gap. Fields are split on ASCII whitespace only, as trec_eval does: U+00A0 or U+2028
inside a docno is part of it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.machine_words import Ints, Places, choose_offset_type

Bytes = NDArray[np.uint8]

_FIELD = re.compile(rb"[^ \t\n\r\x0b\x0c]+")
_BLANK, _TAB, _LINE, _HASH = b" \t\n#"
_IS_SPACE = np.isin(np.arange(256), list(b" \t\n\r\x0b\x0c"))


class FieldSpans(NamedTuple):
    """The fields of some lines: where they start and end in the file, shape (lines, width).

    ``lines`` has the number of each line, from 0 at the first of the block; ``size`` is the
    number of lines in the block, including empty ones. The offsets of a column are contiguous:
    columns are read one by one.
    """

    size: int
    lines: Sequence[int] | Ints
    starts: Places
    ends: Places


def scan_fields(data: bytes, start: int, stop: int, width: int) -> FieldSpans | None:
    """The fields of the lines in ``data[start:stop]``, each of which must have ``width``.

    ``stop`` is the offset of a newline or the end of the data. None when a line has another
    number of fields, starts with ``#``, or contains a control character or invalid UTF-8.
    """
    block = np.frombuffer(data, np.uint8, min(stop + 1, len(data)) - start, start)
    if stop == start or not _is_utf8(data, block, start, stop):
        return None
    if stop == len(data):
        block = np.append(block, np.uint8(_LINE))
    gaps = np.flatnonzero(block <= _BLANK)
    spans = scan_single_gaps(block, gaps, width) or scan_any_gaps(block, gaps, width)
    if spans is None or _has_comment(data, block, spans, slice(start, stop)):
        return None
    kind = choose_offset_type(len(data))
    starts: Places = spans.starts.astype(kind, copy=False)
    ends: Places = spans.ends.astype(kind, copy=False)
    if start:
        starts, ends = starts + start, ends + start
    return FieldSpans(spans.size, spans.lines, starts, ends)


def scan_single_gaps(block: Bytes, gaps: Ints, width: int) -> FieldSpans | None:
    """Spans if every gap between fields is one space or tab, or one newline between lines.

    No field is empty, so each gap ends one; ``width`` gaps make a line if the last of them is a
    newline and no other one is.
    """
    if not len(gaps) or len(gaps) % width:
        return None
    # The smaller type first: half as many bytes to turn about.
    narrow: Places = gaps.astype(choose_offset_type(len(block)), copy=False)
    ends: Places = np.ascontiguousarray(narrow.reshape(-1, width).T)
    # Counting bytes in all of the block takes less time than looking at each gap.
    lines = ends.shape[1]
    if (block.take(ends[-1]) != _LINE).any():
        return None
    # Of most files all that is less than a blank is the end of a line.
    if np.count_nonzero(block < _BLANK) != lines and not _has_tabs_only(block, len(gaps), lines):
        return None
    starts: Places = np.empty_like(ends)
    np.add(ends[:-1], 1, out=starts[1:])
    starts[0, 0] = 0
    np.add(ends[-1, :-1], 1, out=starts[0, 1:])
    if (starts == ends).any():
        return None
    return FieldSpans(lines, range(lines), starts.T, ends.T)


def _has_tabs_only(block: Bytes, gaps: int, lines: int) -> bool:
    """Whether all ``gaps`` are blanks and tabs, and the ends of ``lines``."""
    newlines, *others = (int(np.count_nonzero(block == sign)) for sign in b"\n \t")
    return newlines == lines and newlines + sum(others) == gaps


def scan_any_gaps(block: Bytes, gaps: Ints, width: int) -> FieldSpans | None:
    """Spans if all nonempty lines have ``width`` fields.

    A gap ends a field if it does not follow another gap directly. The line of a field is the number
    of newlines before its end; ``width`` fields in a row are one line if they are in the same line,
    and the next ``width`` in a later one.
    """
    kinds = block[gaps]
    if not _IS_SPACE[kinds].all():
        return None
    before = np.concatenate(([-1], gaps[:-1]))
    is_end = gaps - before > 1
    ends, starts = gaps[is_end], before[is_end] + 1
    if not len(ends) or len(ends) % width:
        return None
    newlines = kinds == _LINE
    lines = (np.cumsum(newlines) - newlines)[is_end].reshape(-1, width)
    if (lines[:, :1] != lines).any() or (np.diff(lines[:, 0]) <= 0).any():
        return None
    fields = (np.asfortranarray(each.reshape(-1, width)) for each in (starts, ends))
    return FieldSpans(int(np.count_nonzero(newlines)), lines[:, 0], *fields)


def scan_line_by_line(size: int, lines: Sequence[tuple[int, int, bytes]], width: int) -> FieldSpans:
    """Spans of ``(number, offset in the file, line)``; each line has at least ``width`` fields."""
    fields = [[match.span() for match in _FIELD.finditer(line)][:width] for _, _, line in lines]
    places = np.array([place for _, place, _ in lines], np.int64).reshape(-1, 1)
    spans = np.array(fields, np.int64).reshape(-1, width, 2)
    numbers = [number for number, _, _ in lines]
    return FieldSpans(size, numbers, spans[:, :, 0] + places, spans[:, :, 1] + places)


def _has_comment(data: bytes, block: Bytes, spans: FieldSpans, span: slice) -> bool:
    if data.find(b"#", span.start, span.stop) < 0:
        return False
    return bool((block[spans.starts[:, 0]] == _HASH).any())


def _is_utf8(data: bytes, block: Bytes, start: int, stop: int) -> bool:
    if block.max() < 0x80:
        return True
    try:
        data[start:stop].decode()
    except UnicodeDecodeError:
        return False
    return True
