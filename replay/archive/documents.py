"""Documents of an archive, which may be anybody's: shown only if an import would have made them."""

from __future__ import annotations

from campaigns import store
from campaigns.models import Document
from poolbench.texts.document_files import detect_media_type
from poolbench.texts.documents import DocumentText
from poolbench.texts.html_sanitizer import UnreadablePage, is_sanitized

PICTURE, PDF = "image/", "application/pdf"


def find_document_fault(document: Document, data: bytes | None) -> str:
    """What is wrong with ``document``; ``data`` is its file, if it is one. Empty if nothing is."""
    if document.format in (Document.Format.PDF, Document.Format.IMAGE):
        return find_file_fault(document, data)
    if data is not None or document.media_type:
        return "A text has no file."
    if document.format == Document.Format.HTML and not is_safe_html(document.body):
        return "Its HTML is not sanitized."
    text = DocumentText(document.docno, document.title, document.body, format=document.format)
    return "" if text.sha256 == document.sha256 else "Its SHA-256 is another."


def find_file_fault(document: Document, data: bytes | None) -> str:
    kind = detect_media_type(data or b"")
    is_picture = document.format == Document.Format.IMAGE
    expected = kind.startswith(PICTURE) if is_picture else kind == PDF
    if data is None or not expected or kind != document.media_type:
        return f"Its file is not {document.media_type or 'there'}."
    return "" if store.sha256(data) == document.sha256 else "Its SHA-256 is another."


def is_safe_html(body: str) -> bool:
    try:
        return is_sanitized(body)
    except UnreadablePage:
        return False
