"""Read documents: TREC SGML, JSON lines (BEIR, Anserini), SMART and TSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from campaigns.core.faults import BadFile, FaultReport
from campaigns.core.markup import sgml_documents
from campaigns.core.opening import MAX_BYTES, read_bytes
from campaigns.core.records import (
    Codes,
    Draft,
    IdCheck,
    Parser,
    assign,
    decode_text,
    json_lines,
    one_line,
    smart,
    tab_separated,
    teller,
    tidy,
)

CODES = Codes(
    noun="document",
    max_id=500,
    not_text="ED01",
    malformed="ED02",
    none="ED03",
    no_id="ED04",
    bad_id="ED05",
    twice="ED06",
    declaration="",
    latin="WD01",
)
_NO_TEXT = "WD02"

_NAMES = {
    "docno": ("docno", "_id", "id", "docid", "doc_id", "i"),
    "title": ("title", "headline", "hl", "ttl", "t"),
    "body": ("text", "contents", "body", "abstract", "doc", "passage", "w"),
    "url": ("url", "link"),
    "date": ("date", "date1", "dd", "pubdate", "publish_time"),
}
_SMART_NAMES = {"a": "author", "b": "source"}
_SMART_DROPPED = "x"
_TSV = {
    2: ("docno", "text"),
    3: ("docno", "title", "text"),
    4: ("docno", "url", "title", "text"),
}


@dataclass(frozen=True)
class DocumentText:
    """One document; ``extra`` holds every other field of the file by its name there."""

    docno: str
    title: str = ""
    body: str = ""
    url: str = ""
    date: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


def _tsv_names(fields: list[str]) -> tuple[str, ...] | None:
    return _TSV.get(len(fields))


DOCUMENT_FORMATS: dict[str, Parser] = {
    "trec": sgml_documents,
    "jsonl": json_lines,
    "smart": smart,
    "tsv": tab_separated(_tsv_names),
}


def read_documents(
    data: bytes,
    *,
    file: str = "",
    format: str | None = None,  # noqa: A002 -- the word that users type
    report: FaultReport | None = None,
    max_bytes: int = MAX_BYTES,
) -> Iterator[DocumentText]:
    """Yield the good documents of ``data`` (plain or gzip), in file order.

    ``format`` is a key of ``DOCUMENT_FORMATS``, by default told from the text itself.
    With a ``report`` all faults go there and the caller looks at the end; without one
    ``BadFile`` is raised after the last document. Broken gzip always raises at once.
    """
    told = FaultReport(file) if report is None else report
    text = decode_text(read_bytes(data, file=file, max_bytes=max_bytes), CODES, told)
    found = False
    for document in _documents(text, format, told) if text is not None else ():
        found = True
        yield document
    if not found and not told.has_errors:
        told.add(CODES.none, "The file holds no document.", "See docs/formats.md for the formats.")
    if report is None and told.has_errors:
        raise BadFile(told)


def document_format(text: str) -> str | None:
    """The key of ``DOCUMENT_FORMATS`` that ``text`` looks like, or None."""
    start = text[:100_000].lstrip()
    if start.startswith("{"):
        return "jsonl"
    if re.match(r"\.I\s", start):
        return "smart"
    if start.startswith("<"):
        return "trec" if re.search(r"<doc\b", start, re.IGNORECASE) else None
    return "tsv" if "\t" in start or not start else None


def _documents(text: str, form: str | None, report: FaultReport) -> Iterator[DocumentText]:
    form = form or document_format(text)
    if form not in DOCUMENT_FORMATS:
        cure = f"Send one of: {', '.join(DOCUMENT_FORMATS)} (docs/formats.md shows each)."
        message = "This is no known format of documents."
        report.add(CODES.not_text, message, cure, excerpt=text[:200])
        return
    ids = IdCheck(CODES, report)
    for draft in DOCUMENT_FORMATS[form](text, teller(CODES, report)):
        document = _document(draft, is_smart=form == "smart")
        if not ids.good(document.docno, draft.line):
            continue
        if not document.title and not document.body:
            message = f"Document {document.docno} has neither title nor text."
            cure = "It is kept; assessors will see an empty page."
            report.add(_NO_TEXT, message, cure, line=draft.line)
        yield document


def _document(draft: Draft, *, is_smart: bool) -> DocumentText:
    roles, left = assign(draft.texts, _NAMES)
    if is_smart:
        left.pop(_SMART_DROPPED, None)
        left = {_SMART_NAMES.get(name, name): text for name, text in left.items()}
    return DocumentText(
        docno=roles["docno"],
        title=one_line(roles["title"]),
        body=tidy(roles["body"]),
        url=roles["url"],
        date=one_line(roles["date"]),
        extra={name: tidy(text) for name, text in left.items()},
    )
