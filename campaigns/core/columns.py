"""Read files of white-space separated columns (runs, qrels) quickly, and place their faults.

Fields are split on ASCII white space only, as trec_eval does: U+00A0 or U+2028 inside a
docno is part of it. The file is walked in blocks of lines; a block without any oddity is
split in one go, any other block line by line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from campaigns.core.faults import SHOWN_PER_CODE, FaultReport, count_of
from campaigns.core.sniffing import foreign_kind

_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Layout:
    """What the columns are called, and the codes of the faults that every such file can have.

    ``lenient`` takes extra columns at the end of a line.
    """

    columns: tuple[str, ...]
    not_text: str
    wrong_columns: str
    empty: str
    bom: str
    lenient: bool = False

    @property
    def line_shape(self) -> str:
        return " ".join(self.columns)


@dataclass(frozen=True, slots=True)
class Block:
    """Well-formed lines: their numbers from 1, and one sequence of fields a column."""

    lines: Sequence[int]
    columns: Sequence[Sequence[bytes]]

    def without(self, bad: set[int]) -> Block:
        """This block without the rows at the positions ``bad``."""
        keep = [i for i in range(len(self.lines)) if i not in bad]
        columns = [[column[i] for i in keep] for column in self.columns]
        return Block([self.lines[i] for i in keep], columns)


@dataclass
class ColumnFile:
    """One file being read: its bytes without a BOM, its layout, and the report it fills."""

    data: bytes
    layout: Layout
    report: FaultReport
    lines: int = 0
    _starts: list[int] = field(default_factory=list)
    _spans: list[slice] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.data.startswith(_BOM):
            self.data = self.data[len(_BOM) :]
            self.report.add(
                self.layout.bom,
                "The file starts with a byte order mark, which was dropped.",
                "Save it as UTF-8 without BOM.",
                line=1,
                column=1,
            )

    def blocks(self) -> Iterator[Block]:
        """Blocks of well-formed lines; every other line becomes a fault of the report."""
        if (kind := foreign_kind(self.data)) is not None:
            cure = f"Send a plain UTF-8 text file with lines of: {self.layout.line_shape}."
            self.report.add(self.layout.not_text, f"The file is {kind}.", cure)
            return
        found = bad_before = 0
        bad_before = self.report.counts.total()
        for first, raw in self._raw_blocks():
            block = _fast_block(raw, first, len(self.layout.columns))
            block = block or self._slow_block(raw.split(b"\n"), first)
            found += len(block.lines)
            yield block
        if not found and self.report.counts.total() == bad_before:
            cure = f"Send a file with lines of: {self.layout.line_shape}."
            self.report.add(self.layout.empty, "The file holds no data line.", cure)

    def _raw_blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield ``(number of the first line, bytes up to but without the last newline)``."""
        start, self.lines = 0, 0
        while start < len(self.data):
            end = self.data.find(b"\n", start + _BLOCK)
            end = len(self.data) if end < 0 else end
            raw = self.data[start:end]
            if end == len(self.data):
                raw = raw.removesuffix(b"\n")
            self._starts.append(self.lines + 1)
            self._spans.append(slice(start, end))
            first = self.lines + 1
            self.lines += raw.count(b"\n") + 1
            yield first, raw
            start = end + 1

    def _slow_block(self, raw_lines: list[bytes], first: int) -> Block:
        width = len(self.layout.columns)
        numbers, rows = [], []
        for number, line in enumerate(raw_lines, first):
            fields = line.split()
            if not fields or line.startswith(b"#"):
                continue
            if (damage := _damage(line)) is not None:
                self._add_damage(number, line, *damage)
            elif len(fields) == width or (len(fields) > width and self.layout.lenient):
                numbers.append(number)
                rows.append(fields[:width])
            else:
                self._add_wrong_columns(number, line, fields)
        return Block(numbers, list(zip(*rows, strict=True)) if rows else [[]] * width)

    def _add_damage(self, number: int, line: bytes, message: str, at: int) -> None:
        cure = "Save the file as plain UTF-8 text."
        column = len(line[:at].decode("utf-8", "replace")) + 1
        self.report.add(
            self.layout.not_text, message, cure, line=number, column=column, excerpt=line
        )

    def _add_wrong_columns(self, number: int, line: bytes, fields: list[bytes]) -> None:
        width = len(self.layout.columns)
        cure = f"A line is: {self.layout.line_shape}, separated by blanks or tabs."
        if len(fields) > width:
            cure += " No field may hold a blank."
            column = field_column(line, width)
        else:
            column = len(line.rstrip().decode("utf-8", "replace")) + 1
        message = f"{count_of(len(fields), 'column')} instead of {width}."
        self.report.add(
            self.layout.wrong_columns, message, cure, line=number, column=column, excerpt=line
        )

    def line(self, number: int) -> bytes:
        """The bytes of line ``number`` (from 1) of the blocks read so far."""
        at = bisect_right(self._starts, number) - 1
        return self.data[self._spans[at]].split(b"\n")[number - self._starts[at]]

    def fault(
        self, code: str, message: str, cure: str, *, line: int, field: int, excerpt: bool = True
    ) -> None:
        """Add one fault at column ``field`` (from 0) of ``line``; the excerpt is that field."""
        if self.report.counts[code] >= SHOWN_PER_CODE:
            self.report.counts[code] += 1
            return
        raw = self.line(line)
        shown = raw.split()[field] if excerpt else raw
        self.report.add(
            code, message, cure, line=line, column=field_column(raw, field), excerpt=shown
        )

    def faults(
        self, code: str, told: Iterable[tuple[int, str, str]], count: int, *, field: int
    ) -> None:
        """Add ``count`` faults of one code from ``(line, message, cure)``, lazily read."""
        room = max(0, SHOWN_PER_CODE - self.report.counts[code])
        shown = 0
        for line, message, cure in islice(told, room):
            self.fault(code, message, cure, line=line, field=field)
            shown += 1
        if count > shown:
            self.report.counts[code] += count - shown


def field_column(line: bytes, field: int) -> int:
    """The 1-based character column where field ``field`` (from 0) of ``line`` starts."""
    rest = line.split(None, field)[-1] if field else line.lstrip()
    rest_start = len(line) - len(rest)
    return len(line[:rest_start].decode("utf-8", "replace")) + 1


def decode_column(column: Sequence[bytes]) -> list[str]:
    """The fields of one column as strings (fields never hold a newline)."""
    return b"\n".join(column).decode().split("\n") if column else []


def _fast_block(raw: bytes, first: int, width: int) -> Block | None:
    """The whole block split at once, or None when any line of it needs a closer look."""
    if b"\0" in raw or raw.startswith(b"#") or b"\n#" in raw or not _is_utf8(raw):
        return None
    rows = list(map(bytes.split, raw.split(b"\n")))
    if set(map(len, rows)) != {width}:
        return None
    return Block(range(first, first + len(rows)), list(zip(*rows, strict=True)))


def _is_utf8(raw: bytes) -> bool:
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _damage(line: bytes) -> tuple[str, int] | None:
    """``(message, byte offset)`` of a NUL byte or of bytes that are not UTF-8."""
    if (at := line.find(b"\0")) >= 0:
        return "The line holds a NUL byte.", at
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"Byte 0x{line[error.start]:02x} is not UTF-8.", error.start
    return None
