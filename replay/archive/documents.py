"""Documents of an archive, which may be anybody's: shown only if an import would have made them."""

from campaigns import store
from campaigns.models import Document, Translation
from poolbench.texts.document_files import detect_media_type
from poolbench.texts.documents import DocumentText
from poolbench.texts.html_sanitizer import UnreadablePage, is_sanitized
from poolbench.texts.languages import is_language_tag

PICTURE, PDF = "image/", "application/pdf"


def find_document_fault(document: Document, data: bytes | None) -> str:
    """What is wrong with ``document``; ``data`` is its file, if it is one. Empty if nothing is."""
    if document.format in (Document.Format.PDF, Document.Format.IMAGE):
        return find_file_fault(document, data)
    if data is not None or document.media_type:
        return "A text has no file."
    return find_text_fault(document)


def find_translation_fault(translation: Translation) -> str:
    """What is wrong with ``translation``, whose document is loaded; empty if nothing is."""
    lengths = len(translation.document.body), len(translation.body)
    if not is_language_tag(translation.language) or not are_rows(translation.segments, lengths):
        return "Its language or its segments are malformed."
    return find_text_fault(translation)


def are_rows(segments: object, lengths: tuple[int, int]) -> bool:
    """Whether ``segments`` are rows of texts of these ``lengths``: none, or from 0 on ascending."""
    if not isinstance(segments, list):
        return False
    before = [0, 0]
    for at, row in enumerate(segments):
        if not isinstance(row, list) or [type(each) for each in row] != [int, int]:
            return False
        if not all(a <= b <= most for a, b, most in zip(before, row, lengths, strict=True)):
            return False
        if not at and row != [0, 0]:
            return False
        before = row
    return True


def find_text_fault(document: Document | Translation) -> str:
    if document.format == Document.Format.HTML and not is_safe_html(document.body):
        return "Its HTML is not sanitized."
    text = DocumentText("", document.title, document.body, format=document.format)
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
