"""Read documents: TREC SGML, JSON Lines (BEIR, Anserini), SMART and TSV.

In JSON Lines a field ``html`` can be the body instead of text; it is sanitized here. A record may
have its ``language`` and a ``translation``.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.json_texts import parse_json
from poolbench.files.records import (
    BLANKS,
    IdCheck,
    Parser,
    RecordCodes,
    RecordDraft,
    assign_record_fields,
    collapse_whitespace,
    decode_text,
    detect_record_format,
    format_json_value,
    make_fault_reporter,
    make_tsv_parser,
    parse_json_lines,
    parse_smart,
    tidy_text,
)
from poolbench.files.streams import MAX_BYTES, read_bytes
from poolbench.texts.html_sanitizer import UnreadablePage, sanitize
from poolbench.texts.languages import is_language_tag
from poolbench.texts.markup import parse_sgml_documents
from poolbench.texts.pdf_pages import PdfPage

CODES = RecordCodes(
    noun="document",
    max_id=500,
    not_text="ED01",
    malformed="ED02",
    empty="ED03",
    no_id="ED04",
    bad_id="ED05",
    duplicate_id="ED06",
    declaration="",
    not_utf8="WD01",
)
_NO_TEXT = "WD02"
_UNREADABLE = "ED07"
_SANITIZED = "WD03"
_BAD_LANGUAGE, _NO_LANGUAGE = "ED30", "WD06"
_BAD_TRANSLATION, BAD_SEGMENTS = "ED31", "ED32"

DOCNO_NAMES = ("docno", "_id", "id", "docid", "doc_id", "i")
_NAMES = {
    "docno": DOCNO_NAMES,
    "title": ("title", "headline", "hl", "ttl", "t"),
    "body": ("text", "contents", "body", "abstract", "doc", "passage", "w"),
    "url": ("url", "link"),
    "date": ("date", "date1", "dd", "pubdate", "publish_time"),
}
_SMART_NAMES = {"a": "author", "b": "source"}
_SMART_DROPPED = "x"
_TSV = {2: ("docno", "text"), 3: ("docno", "title", "text"), 4: ("docno", "url", "title", "text")}


@dataclass(frozen=True)
class DocumentText:
    """One document; ``extra`` has all other fields of the record, by their names in the file.

    ``format`` is text; html, where ``body`` is sanitized and ``source_sha256`` is the hash of the
    original; or pdf or image, where ``data`` has the bytes, of type ``media_type``. The body of a
    PDF is the text layer of its ``pages``, empty if it was not read. ``language`` is a tag (BCP 47)
    or "".
    """

    docno: str
    title: str = ""
    body: str = ""
    url: str = ""
    date: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)
    format: str = "text"
    source_sha256: str = ""
    data: bytes = b""
    media_type: str = ""
    pages: Sequence[PdfPage] = ()
    language: str = ""
    translation: "TranslationText | None" = None

    @property
    def is_empty(self) -> bool:
        """Whether it has no title and no text."""
        return not self.title and not self.body and not self.data

    @property
    def sha256(self) -> str:
        """Hash of what assessors see: the bytes of a file, otherwise title and body."""
        if self.data:
            return hashlib.sha256(self.data).hexdigest()
        kind = "" if self.format == "text" else f"{self.format}\n"
        return hashlib.sha256(f"{kind}{self.title}\n{self.body}".encode()).hexdigest()


@dataclass(frozen=True)
class TranslationText:
    """A translation as in its file. ``text`` has its language, title and body; ``by`` is the system
    that translated, "" if a person did or nothing is said; ``segments`` are pairs of texts of the
    original and of the translation, to be aligned (``translations.align_segments``). ``line`` and
    ``column`` are of the segments in the file.
    """

    text: DocumentText
    by: str = ""
    segments: Sequence[Sequence[str]] = ()
    line: int | None = None
    column: int | None = None


def _tsv_names(fields: list[str]) -> tuple[str, ...] | None:
    return _TSV.get(len(fields))


DOCUMENT_FORMATS: dict[str, Parser] = {
    "trec": parse_sgml_documents,
    "jsonl": parse_json_lines,
    "smart": parse_smart,
    "tsv": make_tsv_parser(_tsv_names),
}

WITH_HTML = ("jsonl", "parquet")
"""Formats whose field ``html`` is a page."""


def read_documents(
    data: bytes,
    *,
    file: str = "",
    file_format: str | None = None,
    report: FaultReport | None = None,
    max_bytes: int = MAX_BYTES,
) -> Iterator[DocumentText]:
    """Yield the valid documents of ``data`` (plain or gzip), in file order.

    ``file_format`` is a key of ``DOCUMENT_FORMATS``, by default detected from the text. With a
    ``report`` all faults go there and the caller checks it at the end; without one
    ``InvalidFile`` is raised after the last document. Broken gzip always raises at once.
    """
    faults = FaultReport(file) if report is None else report
    text = decode_text(read_bytes(data, file=file, max_bytes=max_bytes), CODES, faults)
    has_documents = False
    for document in _iter_documents(text, file_format, faults) if text is not None else ():
        has_documents = True
        yield document
    if not has_documents and not faults.has_errors:
        faults.add(
            CODES.empty, "The file contains no documents.", "See docs/formats.md for the formats."
        )
    if report is None and faults.has_errors:
        raise InvalidFile(faults)


def _detect_markup(start: str) -> str | None:
    return "trec" if re.search(r"<doc\b", start, re.IGNORECASE) else None


def detect_document_format(text: str, form: str | None, report: FaultReport) -> str | None:
    """``form``, or the format that ``text`` looks like; None, and a fault, if it is none."""
    form = form or detect_record_format(text, _detect_markup)
    if form in DOCUMENT_FORMATS:
        return form
    fix = f"Use one of: {', '.join(DOCUMENT_FORMATS)} (see docs/formats.md)."
    message = "Unrecognized document format."
    report.add(CODES.not_text, message, fix, excerpt=text[:200])
    return None


def _iter_documents(text: str, form: str | None, report: FaultReport) -> Iterator[DocumentText]:
    if (form := detect_document_format(text, form, report)) is None:
        return
    ids = IdCheck(CODES, report)
    for draft in DOCUMENT_FORMATS[form](text, make_fault_reporter(CODES, report)):
        if ids.is_valid(find_docno(draft.texts), draft.line):
            document = build_document(draft, form, report)
            if document is not None:
                warn_if_empty(document, report, line=draft.line)
                yield document


def find_docno(texts: Mapping[str, str]) -> str:
    """The docno in the texts of a record, "" if it has none."""
    for name in DOCNO_NAMES:
        if (text := texts.get(name)) and (docno := text.replace("\0", " ").strip(BLANKS)):
            return docno
    return ""


def build_document(draft: RecordDraft, form: str, report: FaultReport) -> DocumentText | None:
    """The document of a record; None, and a fault, if its HTML cannot be read."""
    html = draft.texts.pop("html", "") if form in WITH_HTML else ""
    document = _build_text_document(draft, is_smart=form == "smart")
    if form in WITH_HTML:
        document = _add_languages(document, draft, report)
    if not html.strip():
        return document
    return set_sanitized_html(document, html, report, line=draft.line)


def warn_if_empty(document: DocumentText, report: FaultReport, line: int | None = None) -> None:
    if document.is_empty and document.translation is None:
        message = f"Document {document.docno} has no title and no text."
        fix = "Documents without text are imported; assessors will see an empty page."
        report.add(_NO_TEXT, message, fix, line=line)


def set_sanitized_html(
    document: DocumentText, html: str, report: FaultReport, line: int | None = None
) -> DocumentText | None:
    """``document`` with sanitized ``html`` as its body; removed elements are reported.

    None, and a fault in ``report``, if it cannot be parsed in reasonable time.
    """
    try:
        clean = sanitize(html)
    except UnreadablePage as error:
        fix = "Upload well-formed HTML with balanced tags and few attributes."
        report.add(_UNREADABLE, str(error), fix, line=line, excerpt=document.docno)
        return None
    if clean.removed:
        removed = ", ".join(f"{name} ×{count}" for name, count in clean.removed.most_common(6))
        message = f"Unsafe elements were removed from the HTML: {removed}."
        fix = "Review the document; assessors see the cleaned version."
        report.add(_SANITIZED, message, fix, line=line, excerpt=document.docno)
    return replace(
        document,
        title=document.title or clean.title,
        body=clean.html,
        format="html",
        source_sha256=hashlib.sha256(html.encode()).hexdigest(),
    )


def _add_languages(document: DocumentText, draft: RecordDraft, report: FaultReport) -> DocumentText:
    """``document`` with its language and translation; what is wrong with them is in ``report``."""
    tag = draft.texts.get("language", "").strip()
    has_translation = bool(draft.texts.get("translation", "").strip())
    if tag and not is_language_tag(tag):
        code = _BAD_LANGUAGE if has_translation else _NO_LANGUAGE
        _add_language_fault(code, "language", tag, draft, report)
        tag = ""
    fields = ("language",) * bool(tag) + ("translation", "segments") * has_translation
    extra = {name: text for name, text in document.extra.items() if name not in fields}
    document = replace(document, extra=extra, language=tag)
    if not has_translation:
        return document
    return replace(document, translation=_read_translation(document, draft, report))


def _add_language_fault(
    code: str, field: str, tag: str, draft: RecordDraft, report: FaultReport
) -> None:
    message = f"Not a language tag (BCP 47): {tag[:40]}." if tag else "The language is missing."
    fix = "Give `language` a tag such as fa, zh-Hant or zho."
    if code == _NO_LANGUAGE:
        fix = f"{fix} The document is imported without a language."
    column = draft.find_column(field)
    report.add(code, message, fix, line=draft.line, column=column, excerpt=tag)


def _read_translation(
    document: DocumentText, draft: RecordDraft, report: FaultReport
) -> TranslationText | None:
    """The translation of a record; None, and a fault, if it cannot be read."""
    column = draft.find_column("translation")
    fix = 'Write {"language": …, "text": …}, with `title` and `by` where there are any.'
    raw = parse_json_or_none(draft.texts["translation"])
    fields = (
        {str(key).lower(): format_json_value(value) for key, value in raw.items()}
        if isinstance(raw, dict)
        else {}
    )
    part = RecordDraft(draft.line, fields)
    html = fields.pop("html", "")
    by, tag = collapse_whitespace(fields.pop("by", "")), fields.pop("language", "").strip()
    text = _build_text_document(part, is_smart=False)
    text = replace(text, docno=document.docno, language=tag)
    clean = set_sanitized_html(text, html, report, line=draft.line) if html.strip() else text
    if clean is None:
        return None
    if not isinstance(raw, dict) or not (clean.title or clean.body) or len(by) > 200:
        message = "The translation has no text." if isinstance(raw, dict) else "No JSON object."
        message = "`by` has more than 200 characters." if len(by) > 200 else message
        report.add(_BAD_TRANSLATION, message, fix, line=draft.line, column=column)
        return None
    if not is_language_tag(tag):
        _add_language_fault(_BAD_LANGUAGE, "translation", tag, draft, report)
    elif tag.lower() == document.language.lower():
        message = f"The translation has the language of the original, {tag}."
        report.add(_BAD_LANGUAGE, message, "Correct one of them.", line=draft.line, column=column)
    return TranslationText(
        clean, by, _read_segments(draft, report), draft.line, draft.find_column("segments")
    )


def _read_segments(draft: RecordDraft, report: FaultReport) -> Sequence[Sequence[str]]:
    """Pairs of texts; none, and a fault, if they are no such pairs."""
    text = draft.texts.get("segments", "")
    rows = parse_json_or_none(text) if text.strip() else []
    pairs: list[Any] = rows if isinstance(rows, list) else [None]
    for number, pair in enumerate(pairs, 1):
        if isinstance(pair, list) and [type(each) for each in pair] == [str, str]:
            continue
        message = f"Segment {number} is not a pair of texts."
        fix = "Write segments as [[original, translation], …]."
        column = draft.find_column("segments")
        report.add(BAD_SEGMENTS, message, fix, line=draft.line, column=column)
        return ()
    return [[format_json_value(each) for each in pair] for pair in pairs]


def parse_json_or_none(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _build_text_document(draft: RecordDraft, *, is_smart: bool) -> DocumentText:
    roles, extra = assign_record_fields(draft.texts, _NAMES)
    if is_smart:
        extra.pop(_SMART_DROPPED, None)
        extra = {_SMART_NAMES.get(name, name): text for name, text in extra.items()}
    return DocumentText(
        docno=roles["docno"],
        title=collapse_whitespace(roles["title"]),
        body=tidy_text(roles["body"]),
        url=roles["url"],
        date=collapse_whitespace(roles["date"]),
        extra={name: tidy_text(text) for name, text in extra.items()},
    )
