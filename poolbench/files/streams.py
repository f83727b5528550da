"""Read uploads and files: plain or gzip, never more bytes than allowed."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import NoReturn, Protocol

from poolbench.files.faults import FaultReport, InvalidFile

MAX_BYTES = 1 << 30
"""Default limit on the expanded bytes of one file (1 GiB, about 25 million run lines)."""

GZIP_MAGIC = b"\x1f\x8b"
_STEP = 1 << 20
_SHORTEN = "Upload a smaller file, or ask the organizers to raise the limit."


class ReadableStream(Protocol):
    """What a source must support: uploads need not seek."""

    def read(self, size: int, /) -> bytes: ...


Source = str | os.PathLike[str] | bytes | ReadableStream


def is_file(text: str) -> bool:
    """Whether ``text``, which may be anything at all, is the path of a file."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # such as "File name too long" for a line of a run
        return False


def read_bytes(source: Source, *, max_bytes: int = MAX_BYTES, file: str = "") -> bytes:
    """The content of a path, a binary file object or bytes; gzip is detected by its magic bytes.

    Reading stops as soon as more than ``max_bytes`` expanded bytes are seen. Gzip inside
    gzip is not unpacked. Raises ``InvalidFile`` with E02 (broken gzip, or it expands beyond
    the limit) or E15 (too large); a path that cannot be opened raises ``OSError``.
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_file() and path.stat().st_size <= max_bytes:
            # Read in one piece, which saves a copy.
            return read_bytes(path.read_bytes(), max_bytes=max_bytes, file=file or path.name)
        with path.open("rb") as stream:
            return _read(stream, max_bytes, file or path.name)
    if isinstance(source, bytes):
        if not source.startswith(GZIP_MAGIC) and len(source) <= max_bytes:
            return source
        return _read(io.BytesIO(source), max_bytes, file)
    return _read(source, max_bytes, file)


def _read(stream: ReadableStream, max_bytes: int, file: str) -> bytes:
    head = stream.read(2)
    rest = _PrefixedStream(head, stream)
    if head != GZIP_MAGIC:
        if (plain := _take(rest, max_bytes)) is None:
            _reject("E15", f"The file exceeds {max_bytes:,} bytes.", _SHORTEN, file)
        return plain
    try:
        with gzip.GzipFile(fileobj=rest) as unpacked:
            data = _take(unpacked, max_bytes)
    except (OSError, EOFError, zlib.error) as error:
        message = f"The gzip file is damaged or truncated ({error})."
        _reject("E02", message, "Compress the file again, or upload it uncompressed.", file)
    if data is None:
        message = f"The gzip file expands to more than {max_bytes:,} bytes."
        _reject("E02", message, _SHORTEN, file)
    return data


def _take(stream: ReadableStream, max_bytes: int) -> bytes | None:
    """All of ``stream``, or None if it exceeds ``max_bytes``."""
    parts: list[bytes] = []
    room = max_bytes
    while part := stream.read(min(_STEP, room + 1)):
        room -= len(part)
        if room < 0:
            return None
        parts.append(part)
    return b"".join(parts)


def _reject(code: str, message: str, fix: str, file: str) -> NoReturn:
    report = FaultReport(file)
    report.add(code, message, fix)
    raise InvalidFile(report)


class _PrefixedStream(io.RawIOBase):
    """A stream with the bytes already read put back in front."""

    def __init__(self, head: bytes, stream: ReadableStream) -> None:
        self._head = head
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        if self._head:
            head, self._head = self._head, b""
            return head
        return self._stream.read(size)
