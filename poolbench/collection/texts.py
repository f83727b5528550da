"""Read documents of a collection at their places, each file once from its beginning to its end."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from poolbench.collection.index import CollectionFile, CollectionIndex, DocumentPlace
from poolbench.collection.packing import BLOCK, PARQUET, PLAIN, unpack_stream
from poolbench.collection.parquet import read_parquet_rows
from poolbench.collection.records import RawRecord
from poolbench.collection.scan import decode_record
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.records import RecordDraft, make_fault_reporter
from poolbench.texts.documents import (
    CODES,
    DOCUMENT_FORMATS,
    DocumentText,
    build_document,
    find_docno,
)
from poolbench.texts.markup import strip_markup


def read_collection_texts(
    index: CollectionIndex, paths: Sequence[Path], docnos: Sequence[str]
) -> Iterator[DocumentText]:
    """The documents of ``docnos`` that the collection has, in the order of its files.

    ``paths`` are where the files are now. Raises ``InvalidFile`` if one has other documents than
    when it was read; a change elsewhere in the file is not noticed here.
    """
    for number, places in groupby(index.locate(docnos), attrgetter("file")):
        file = index.files[number]
        yield from read_file_texts(file, paths[number], list(places))


def read_file_texts(
    file: CollectionFile, path: Path, places: Sequence[DocumentPlace]
) -> Iterator[DocumentText]:
    """The documents at ``places``, which ascend."""
    report = FaultReport(file.name)
    try:
        left = len(places)
        for place, draft in _read_drafts(file, path, places):
            left -= 1
            if find_docno(draft.texts) != place.docno:
                raise_changed(file.name)
            yield _build_readable_document(draft, file.form, report)
    except OSError as error:
        report.add("ED24", f"The file cannot be read ({error.strerror}).", _FIX)
        raise InvalidFile(report) from error
    if left:
        raise_changed(file.name)


_NOTHING = RecordDraft(1, {})
_FIX = "Put the file back as it was, or register the collection again."


def raise_changed(name: str) -> None:
    """Raise ``InvalidFile``: the file is not the one that was registered."""
    report = FaultReport(name)
    message = "The file has changed since the collection was registered."
    report.add("ED23", message, _FIX)
    raise InvalidFile(report)


def _read_drafts(
    file: CollectionFile, path: Path, places: Sequence[DocumentPlace]
) -> Iterator[tuple[DocumentPlace, RecordDraft]]:
    if file.packing == PARQUET:
        rows = [place.offset for place in places]
        yield from zip(places, read_parquet_rows(path, file.name, rows), strict=False)
        return
    ignored = FaultReport(file.name)
    parse, report_fault = DOCUMENT_FORMATS[file.form], make_fault_reporter(CODES, ignored)
    with path.open("rb") as raw, unpack_stream(raw, file.packing, file.name) as read:
        at = 0
        for place in places:
            if file.packing == PLAIN:
                raw.seek(place.offset)
            else:
                _skip_bytes(read, place.offset - at)
                at = place.offset + place.length
            record = RawRecord(place.offset, 1, read(place.length))
            yield place, next(parse(decode_record(record, ignored), report_fault), _NOTHING)


def _skip_bytes(read: Callable[[int], bytes], count: int) -> None:
    while count and (part := read(min(count, BLOCK))):
        count -= len(part)


def _build_readable_document(draft: RecordDraft, form: str, report: FaultReport) -> DocumentText:
    """The document; HTML that cannot be parsed becomes text, as one page of millions."""
    html = draft.texts.get("html", "")
    document = build_document(draft, form, report)
    if document is None:
        text = RecordDraft(draft.line, {**draft.texts, "text": strip_markup(html)})
        document = build_document(text, form, report)
    assert document is not None  # noqa: S101 -- it has no HTML any more
    return document
