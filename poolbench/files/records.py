"""Text files of records (topics, documents): what their formats have in common.

Every format is a parser: text in, ``RecordDraft`` out, each a dict of named texts with the
line where it starts. A table of the reader maps the names to title, body and so on.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from poolbench.files.faults import FaultReport, format_count
from poolbench.files.file_kinds import detect_binary_kind
from poolbench.files.json_texts import parse_json


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """One record as in the file; names are lower case, texts not yet tidied. ``source`` is the
    line of the file where it is one, for the columns of faults.
    """

    line: int
    texts: dict[str, str]
    source: str = ""

    def find_column(self, name: str) -> int | None:
        """Where the key ``name`` stands in the line, from 1; None where that is unknown."""
        match = re.search(rf'"{re.escape(name)}"\s*:', self.source, re.IGNORECASE)
        return match.start() + 1 if match else None


@dataclass(frozen=True)
class RecordCodes:
    """The fault codes of one kind of record, and the noun and ID length its messages use."""

    noun: str
    max_id: int
    not_text: str
    malformed: str
    empty: str
    no_id: str
    bad_id: str
    duplicate_id: str
    declaration: str
    not_utf8: str


BLANKS = " \t\n\r\x0b\x0c"
"""ASCII whitespace, which separates the fields of runs, so no ID starts with it."""

FaultReporter = Callable[..., None]
"""Adds a fault of a malformed record: line, message, excerpt."""
Parser = Callable[[str, FaultReporter], Iterator[RecordDraft]]


def decode_text(data: bytes, codes: RecordCodes, report: FaultReport) -> str | None:
    """``data`` as text: UTF-8, otherwise Latin-1 with a warning; None if it is not text."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if (kind := detect_binary_kind(data)) is not None:
        report.add(codes.not_text, f"The file is {kind}.", "Upload a UTF-8 text file.")
        return None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"The file is not UTF-8 (byte 0x{data[error.start]:02x}); it was read as Latin-1."
        fix = "Check accented letters; if they are wrong, save the file as UTF-8."
        report.add(codes.not_utf8, message, fix, line=data.count(b"\n", 0, error.start) + 1)
        return data.decode("latin-1")


def detect_record_format(text: str, detect_markup: Callable[[str], str | None]) -> str | None:
    """The name of the format that ``text`` looks like, or None. ``detect_markup`` tells apart
    those that begin with ``<``.
    """
    start = text[:100_000].lstrip()
    if start.startswith("{"):
        return "jsonl"
    if re.match(r"\.I\s", start):
        return "smart"
    if start.startswith("<"):
        return detect_markup(start)
    return "tsv" if "\t" in start or not start else None


def make_fault_reporter(codes: RecordCodes, report: FaultReport) -> FaultReporter:
    """The function with which a parser reports a malformed record."""

    def report_fault(line: int, message: str, excerpt: str, column: int | None = None) -> None:
        fix = f"Correct this {codes.noun}; see docs/formats.md for the formats."
        report.add(codes.malformed, message, fix, line=line, column=column, excerpt=excerpt)

    return report_fault


@dataclass
class IdCheck:
    """Checks each ID: it must be present, unique and without whitespace."""

    codes: RecordCodes
    report: FaultReport
    seen: dict[str, int] = field(default_factory=dict)

    def is_valid(self, name: str, line: int) -> bool:
        """Whether ``name`` is a valid ID; if not, a fault is added."""
        if not self.has_valid_form(name, line):
            return False
        if name in self.seen:
            self.add_duplicate(name, line, f"line {self.seen[name]}")
            return False
        self.seen[name] = line
        return True

    def has_valid_form(self, name: str, line: int) -> bool:
        """Whether ``name`` can be an ID, used before or not; if not, a fault is added."""
        noun, longest = self.codes.noun, self.codes.max_id
        if not name:
            message = f"This {noun} has no ID."
            self._add(self.codes.no_id, message, "Add the missing ID.", line, "")
        elif len(name.encode().split()) > 1 or len(name) > longest:
            message = f"The ID contains whitespace or exceeds {longest} characters."
            fix = "Use an ID without whitespace; run and qrels files are whitespace-separated."
            self._add(self.codes.bad_id, message, fix, line, name)
        else:
            return True
        return False

    def add_duplicate(self, name: str, line: int, first: str) -> None:
        """Add the fault of an ID that was used before at the place ``first``."""
        message = f"Duplicate ID {name}: already used on {first}."
        fix = f"Keep one {self.codes.noun} per ID."
        self._add(self.codes.duplicate_id, message, fix, line, name)

    def _add(self, code: str, message: str, fix: str, line: int, excerpt: str) -> None:
        self.report.add(code, message, fix, line=line, excerpt=excerpt)


def assign_record_fields(
    texts: Mapping[str, str], names: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, str], dict[str, str]]:
    """Assign ``texts`` to roles by the table ``names``; each text has at most one role.

    Returns ``(text by role, remaining nonempty texts)``.
    """
    # Databases and pages cannot hold NUL.
    left = {k: v.replace("\0", " ") for k, v in texts.items() if v.strip("\0" + BLANKS)}
    roles = {}
    for role, candidates in names.items():
        source = next((name for name in candidates if name in left), None)
        roles[role] = left.pop(source).strip(BLANKS) if source is not None else ""
    return roles, left


def collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def tidy_text(text: str) -> str:
    """``text`` with every line stripped and no consecutive empty lines."""
    stripped = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", stripped).strip()


def parse_json_lines(text: str, report_fault: FaultReporter) -> Iterator[RecordDraft]:
    """One JSON object per line; the keys of an object ``metadata`` count as its own."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except ValueError as error:
            report_fault(number, f"The line is not JSON ({error}).", line)
            continue
        if isinstance(record, dict):
            yield RecordDraft(number, _json_texts(record), line)
        else:
            report_fault(number, "The line is not a JSON object.", line)


def parse_smart(text: str, report_fault: FaultReporter) -> Iterator[RecordDraft]:
    """SMART: ``.I id`` starts a record, a line of ``.T``, ``.A``, ``.W`` … starts a field."""
    start, name = 0, ""
    texts: dict[str, list[str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(".I") and (not line[2:].strip() or line[2].isspace()):
            if start:
                yield _smart_draft(start, texts)
            start, texts, name = number, {"i": [line[2:].strip()]}, ""
        elif start and re.fullmatch(r"\.[A-Z]\s*", line):
            name = line[1].lower()
        elif name:
            texts.setdefault(name, []).append(line)
        elif line.strip():
            report_fault(number, "Text found before the first field.", line)
    if start:
        yield _smart_draft(start, texts)


def make_tsv_parser(columns: Callable[[list[str]], tuple[str, ...] | None]) -> Parser:
    """A parser of tab-separated lines; ``columns`` names the fields of a line."""

    def parse(text: str, report_fault: FaultReporter) -> Iterator[RecordDraft]:
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            fields = line.rstrip("\r").split("\t")
            names = columns(fields)
            if names is None:
                columns_found = format_count(len(fields), "tab-separated column")
                report_fault(number, f"Unexpected number of columns: {columns_found}.", line)
            else:
                yield RecordDraft(number, dict(zip(names, fields, strict=True)))

    return parse


def _smart_draft(line: int, texts: dict[str, list[str]]) -> RecordDraft:
    return RecordDraft(line, {name: "\n".join(lines) for name, lines in texts.items()})


def _json_texts(record: dict[str, Any]) -> dict[str, str]:
    metadata = record.get("metadata")
    nested: dict[str, Any] = metadata if isinstance(metadata, dict) else {}
    own = {k: v for k, v in record.items() if v is not metadata or not isinstance(v, dict)}
    return {
        key.lower(): format_json_value(value) for key, value in chain(nested.items(), own.items())
    }


def format_json_value(value: object) -> str:
    """A value of a record as text; lists and objects as JSON."""
    if isinstance(value, str):
        # Half of a surrogate pair is valid JSON, but cannot be stored as text.
        return value.encode("utf-8", "replace").decode()
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
