"""Read whitespace-separated files (runs, qrels) quickly, and locate their faults.

``poolbench/reading/reader.py`` finds the fields; this module says which lines of a block that is
not regular are read, and reports the others.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from poolbench.files.faults import SHOWN_PER_CODE, FaultReport, format_count
from poolbench.files.file_kinds import detect_foreign_kind
from poolbench.files.streams import drop_pages
from poolbench.reading.reader import LineBlock, scan_blocks

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class ColumnLayout:
    """The names of the columns, and the codes of the faults that any such file can have.

    ``lenient`` accepts extra columns at the end of a line.
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


@dataclass
class ColumnFile:
    """One file being read: its bytes without a BOM, its layout, and the report it fills."""

    data: bytes
    layout: ColumnLayout
    report: FaultReport
    lines: int = 0
    _starts: list[int] = field(default_factory=list)
    _spans: list[slice] = field(default_factory=list)
    _forgotten: int = 0

    def __post_init__(self) -> None:
        if self.data[: len(BOM)] == BOM:
            self.data = self.data[len(BOM) :]
            message = "The file starts with a byte order mark; it was ignored."
            fix = "Save the file as UTF-8 without BOM."
            self.report.add(self.layout.bom, message, fix, line=1, column=1)

    def blocks(self) -> Iterator[LineBlock]:
        """Blocks of well-formed lines; every other line becomes a fault of the report."""
        if (kind := detect_foreign_kind(self.data)) is not None:
            fix = f"Upload a UTF-8 text file with lines of the form: {self.layout.line_shape}."
            self.report.add(self.layout.not_text, f"The file is {kind}.", fix)
            return
        good_lines, bad_before = 0, self.report.counts.total()
        for block in self._blocks():
            good_lines += len(block)
            yield block
        if not good_lines and self.report.counts.total() == bad_before:
            fix = f"Upload a file with lines of the form: {self.layout.line_shape}."
            self.report.add(self.layout.empty, "The file contains no data lines.", fix)

    def _blocks(self) -> Iterator[LineBlock]:
        for block in scan_blocks(self.data, len(self.layout.columns), self._accept_line):
            self._starts.append(block.first)
            self._spans.append(block.span)
            self.lines = block.first + block.size - 1
            yield block
            self._forgotten = drop_pages(self.data, self._forgotten, block.span.stop)

    def _accept_line(self, number: int, line: bytes) -> bool:
        """Whether a line has all fields; one that is neither empty nor a comment is a fault."""
        fields = line.split()
        if not fields or line.startswith(b"#"):
            return False
        width = len(self.layout.columns)
        if (damage := _find_damage(line)) is not None:
            self._add_damage(number, line, *damage)
        elif len(fields) == width or (len(fields) > width and self.layout.lenient):
            return True
        else:
            self._add_wrong_columns(number, line, fields)
        return False

    def _add_damage(self, number: int, line: bytes, message: str, at: int) -> None:
        fix = "Save the file as plain UTF-8 text."
        column = len(line[:at].decode("utf-8", "replace")) + 1
        self.report.add(
            self.layout.not_text, message, fix, line=number, column=column, excerpt=line
        )

    def _add_wrong_columns(self, number: int, line: bytes, fields: list[bytes]) -> None:
        width = len(self.layout.columns)
        fix = f"Use lines of the form: {self.layout.line_shape}, separated by spaces or tabs."
        if len(fields) > width:
            fix += " Fields cannot contain spaces."
            column = field_column(line, width)
        else:
            column = len(line.rstrip().decode("utf-8", "replace")) + 1
        message = f"The line has {format_count(len(fields), 'column')} instead of {width}."
        self.report.add(
            self.layout.wrong_columns, message, fix, line=number, column=column, excerpt=line
        )

    @property
    def room(self) -> int:
        """An upper bound of the good lines: a field and its separator take at least 2 bytes."""
        return len(self.data) // (2 * len(self.layout.columns)) + 1

    def line(self, number: int) -> bytes:
        """The bytes of line ``number`` (from 1) of the blocks read so far."""
        at = bisect_right(self._starts, number) - 1
        return self.data[self._spans[at]].split(b"\n")[number - self._starts[at]]

    def add_fault(self, code: str, message: str, fix: str, *, line: int, field: int) -> None:
        """Add one fault at column ``field`` (from 0) of ``line``; the excerpt is that field."""
        if self.report.counts[code] >= SHOWN_PER_CODE:
            self.report.counts[code] += 1
            return
        raw = self.line(line)
        column, text = field_column(raw, field), raw.split()[field]
        self.report.add(code, message, fix, line=line, column=column, excerpt=text)

    def add_faults(
        self, code: str, entries: Iterable[tuple[int, str, str]], count: int, *, field: int
    ) -> None:
        """Add ``count`` faults of one code from ``(line, message, fix)``, lazily read."""
        room = max(0, SHOWN_PER_CODE - self.report.counts[code])
        added = 0
        for line, message, fix in islice(entries, room):
            self.add_fault(code, message, fix, line=line, field=field)
            added += 1
        if count > added:
            self.report.counts[code] += count - added


def field_column(line: bytes, field: int) -> int:
    """The 1-based character column where field ``field`` (from 0) of ``line`` starts."""
    rest = line.split(None, field)[-1] if field else line.lstrip()
    rest_start = len(line) - len(rest)
    return len(line[:rest_start].decode("utf-8", "replace")) + 1


def _find_damage(line: bytes) -> tuple[str, int] | None:
    """``(message, byte offset)`` of a NUL byte or of bytes that are not UTF-8."""
    if (at := line.find(b"\0")) >= 0:
        return "The line contains a NUL byte.", at
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"Byte 0x{line[error.start]:02x} is not UTF-8.", error.start
    return None
