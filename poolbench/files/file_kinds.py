"""Detect what a file is when it is not the expected text."""

from collections.abc import Iterable

_TEXT_CONTROLS = b"\t\n\r\x0b\x0c"
_CONTROLS = bytes(c for c in range(32) if c not in _TEXT_CONTROLS)
_BINARY = (
    (b"%pdf-", "a PDF file"),
    (b"pk\x03\x04", "a zip file"),
    (b"\x1f\x8b", "gzip inside gzip"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
_MARKED_UP = (
    (b"<!doctype html", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML file"),
    (b'{"', "a JSON file"),
)


def detect_foreign_kind(data: bytes) -> str | None:
    """The kind of a file that cannot be lines of columns, or None."""
    return _kind(data, _MARKED_UP) or detect_binary_kind(data)


def detect_binary_kind(data: bytes) -> str | None:
    """The kind of a file that is not text in an ASCII-based encoding, or None."""
    if (kind := _kind(data, _BINARY)) is not None:
        return kind
    head = data[:65536]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return "binary, not text" if controls * 20 > len(head) else None


def _kind(data: bytes, kinds: Iterable[tuple[bytes, str]]) -> str | None:
    start = data[:64].lstrip().lower()
    return next((kind for magic, kind in kinds if start.startswith(magic)), None)
