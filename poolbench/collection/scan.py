"""Read the files of a collection once, and write the index of their documents.

What is kept of a document is its docno and its place, about 40 bytes. All faults of all files are
reported together: each is counted, and the first 25 of a code are listed by file and line.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from poolbench.collection.index import CollectionFile, write_index
from poolbench.collection.packing import (
    BLOCK,
    PARQUET,
    HashedFile,
    detect_packing,
    require_arrow,
    unpack_stream,
)
from poolbench.collection.parquet import iter_parquet_docnos
from poolbench.collection.records import RawRecord, iter_records
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.file_kinds import detect_binary_kind
from poolbench.files.records import BLANKS, IdCheck, make_fault_reporter
from poolbench.reading.machine_words import Words
from poolbench.reading.reader import DocnoArray, Ints
from poolbench.texts.documents import CODES, DOCUMENT_FORMATS, detect_document_format, find_docno

Progress = Callable[[str, int, int], None]
"""Is given the file that is read, the bytes of all files so far, and the bytes of all."""
_BOM = b"\xef\xbb\xbf"
_PLAIN_TREC = re.compile(rb"<DOC>\s*<DOCNO>([^<>&\0]*)</DOCNO>")


@dataclass
class PlaceTable:
    """The docnos and places of the documents so far, in the order of the files."""

    docnos: bytearray = field(default_factory=bytearray)
    docno_lengths: array[int] = field(default_factory=lambda: array("H"))
    places: array[int] = field(default_factory=lambda: array("q"))
    lengths: array[int] = field(default_factory=lambda: array("i"))
    lines: array[int] = field(default_factory=lambda: array("i"))

    def add(self, docno: str, place: int, length: int, line: int) -> None:
        text = docno.encode()
        self.docnos += text
        self.docno_lengths.append(len(text))
        self.places.append(place)
        self.lengths.append(length)
        self.lines.append(line)

    def __len__(self) -> int:
        return len(self.places)

    def list_docnos(self) -> DocnoArray:
        lengths = np.frombuffer(self.docno_lengths, np.uint16).astype(np.int64)
        return DocnoArray(bytes(self.docnos), np.cumsum(lengths) - lengths, lengths)


def scan_collection(
    paths: Sequence[Path],
    target: Path,
    *,
    report: FaultReport,
    progress: Progress = lambda *_: None,
) -> tuple[CollectionFile, ...]:
    """Write the index of the documents in ``paths`` to ``target``; return what the files are.

    Warnings go to ``report``. Raises ``InvalidFile`` with the faults of all files, and then
    writes nothing.
    """
    table, files = PlaceTable(), list[CollectionFile]()
    sizes = [path.stat().st_size for path in paths]
    for path, before in zip(paths, np.cumsum([0, *sizes]).tolist(), strict=False):

        def advance(size: int, name: str = path.name, before: int = before) -> None:
            progress(name, min(before + size, sum(sizes)), sum(sizes))

        faults = FaultReport(path.name)
        try:
            start = files[-1].start + files[-1].extent if files else 0
            files.append(scan_file(path, start, table, faults, advance))
        except InvalidFile as bad:
            if bad.report is not faults:
                faults.take(bad.report)
        report.take(faults)
    _finish_index(table, files, target, report)
    return tuple(files)


def scan_file(
    path: Path,
    start: int,
    table: PlaceTable,
    report: FaultReport,
    progress: Callable[[int], None] = lambda _: None,
) -> CollectionFile:
    """Add the documents of a file to ``table``; its first place is ``start``.

    Faults of documents go to ``report``. Raises ``InvalidFile`` if the file cannot be read on.
    """
    packing = detect_packing(path)
    require_arrow(packing, report)
    before = len(table)
    with path.open("rb") as plain:
        raw = HashedFile(plain, progress)
        if packing == PARQUET:
            form, extent = PARQUET, _scan_rows(path, start, table, report)
        else:
            with unpack_stream(io.BufferedReader(raw, BLOCK), packing, path.name) as read:
                form, extent = _scan_stream(read, start, table, report)
        sha256 = raw.finish()
    documents = len(table) - before
    if not documents and not report.has_errors:
        message = "The file contains no documents."
        report.add(CODES.empty, message, "See docs/formats.md for the formats.")
    return CollectionFile(path.name, form, packing, raw.size, sha256, documents, start, extent)


def _scan_rows(path: Path, start: int, table: PlaceTable, report: FaultReport) -> int:
    ids, row = IdCheck(CODES, report), 0
    for row, text in enumerate(iter_parquet_docnos(path, report), 1):
        docno = text.replace("\0", " ").strip(BLANKS)
        if ids.has_valid_form(docno, row):
            table.add(docno, start + row - 1, 0, row)
    return row


def _scan_stream(
    read: Callable[[int], bytes], start: int, table: PlaceTable, report: FaultReport
) -> tuple[str, int]:
    """The format of the stream and its length."""
    head = read(BLOCK)
    skipped = len(_BOM) if head.startswith(_BOM) else 0
    if (kind := detect_binary_kind(head[skipped:])) is not None:
        report.add(CODES.not_text, f"The file is {kind}.", "Use a UTF-8 text file, or Parquet.")
        report.raise_errors()
    text = head[skipped : skipped + 100_000].decode(errors="ignore")
    form = detect_document_format(text, None, report) if text.strip() else "tsv"
    if form is None:
        raise InvalidFile(report)
    end = 0
    ids = IdCheck(CODES, report)
    for record in iter_records(read, form, head[skipped:], report):
        docno = find_record_docno(record, form, report)
        end = record.start + len(record.data)
        if docno is not None and ids.has_valid_form(docno, record.line):
            table.add(docno, start + skipped + record.start, len(record.data), record.line)
    return form, skipped + end


def find_record_docno(record: RawRecord, form: str, report: FaultReport) -> str | None:
    """The docno of a record, "" if it has none; None if it is blank or malformed."""
    if form == "trec" and (docno := _find_plain_docno(record.data)):
        return docno
    add_fault = make_fault_reporter(CODES, report)

    def report_fault(line: int, message: str, excerpt: str, column: int | None = None) -> None:
        add_fault(record.line + line - 1, message, excerpt, column)

    text = decode_record(record, report)
    drafts = list(DOCUMENT_FORMATS[form](text, report_fault))
    if len(drafts) > 1:
        report_fault(drafts[1].line, "A second document begins within this one.", text)
    return find_docno(drafts[0].texts) if len(drafts) == 1 else None


def decode_record(record: RawRecord, report: FaultReport) -> str:
    """The text of a record: UTF-8, otherwise Latin-1 with a warning."""
    try:
        return record.data.decode()
    except UnicodeDecodeError as error:
        byte = record.data[error.start]
        message = f"The document is not UTF-8 (byte 0x{byte:02x}); it is read as Latin-1."
        fix = "Check accented letters; if they are wrong, save the file as UTF-8."
        line = record.line + record.data.count(b"\n", 0, error.start)
        report.add(CODES.not_utf8, message, fix, line=line)
        return record.data.decode("latin-1")


def _find_plain_docno(data: bytes) -> str | None:
    """The docno of a record of the usual form: all would take several times as long."""
    match = _PLAIN_TREC.match(data)
    if match is None or not data.isascii():
        return None
    upper = data.upper()
    if upper.count(b"<DOCNO") != 1 or upper.count(b"</DOC") != 2 or b"</DOC>" not in upper:
        return None
    return match[1].strip().decode()


def _finish_index(
    table: PlaceTable, files: Sequence[CollectionFile], target: Path, report: FaultReport
) -> None:
    """Sort by hash, look for docnos that occur twice, and write the index."""
    docnos = table.list_docnos()
    table.docnos.clear()
    hashes = _hash_docnos(docnos)
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    names = [file.name for file in files]
    starts = np.array([file.start for file in files], np.int64)
    for row, first in sorted(_iter_duplicates(docnos, hashes, order)):
        places = np.searchsorted(starts, [table.places[row], table.places[first]], "right") - 1
        here, there = (names[place] for place in places.tolist())
        faults = FaultReport(here)
        place = f"line {table.lines[first]}" + (f" of {there}" if there != here else "")
        IdCheck(CODES, faults).add_duplicate(docnos[row], table.lines[row], place)
        report.take(faults)
    report.raise_errors()
    places = np.frombuffer(table.places, np.int64)[order]
    lengths = np.frombuffer(table.lengths, np.int32)[order]
    write_index(target, files, docnos.take(order), hashes, places, lengths)


def _hash_docnos(docnos: DocnoArray) -> Words:
    hashes = np.empty(len(docnos), np.uint64)
    for part in docnos.parts():
        hashes[part] = docnos.take(part).hashes()
    return hashes


def _iter_duplicates(docnos: DocnoArray, hashes: Words, order: Ints) -> Iterator[tuple[int, int]]:
    """Row and first row of docnos that occur again; ``hashes`` are sorted by ``order``."""
    first: dict[bytes, int] = {}
    for at in np.flatnonzero(hashes[1:] == hashes[:-1]).tolist():
        for row in order[at : at + 2].tolist():
            text = docnos.text(row)
            if first.setdefault(text, row) != row and row == order[at + 1]:
                yield row, first[text]
