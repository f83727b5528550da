"""Read uploads and files: plain or gzip, never more bytes than allowed."""

import io
import os
import zlib
from mmap import ACCESS_READ, MADV_DONTNEED, PAGESIZE, mmap
from pathlib import Path
from typing import IO, NoReturn, Protocol, cast

from poolbench.files.faults import FaultReport, InvalidFile

MAX_BYTES = 1 << 30
"""Default limit on the expanded bytes of one file (1 GiB, about 25 million run lines)."""

GZIP_MAGIC = b"\x1f\x8b"
_STEP = 1 << 20
_MAPPED = 1 << 20
"""A smaller file is read: a map has fewer of the methods of bytes."""
_FORGOTTEN = 1 << 24
"""Bytes of a mapped text that are given back at once."""
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


def map_text(path: Path, *, max_bytes: int = MAX_BYTES, file: str = "") -> bytes:
    """The same of a path, but mapped: it looks like bytes to the readers of columns, and
    ``drop_pages`` gives back what was read of it. Gzip is unpacked into a file without a name.
    """
    with path.open("rb") as stream:
        if stream.read(2) == GZIP_MAGIC:
            # Here and in ``_copy``: plain text needs neither, and they take long to load.
            from tempfile import TemporaryFile

            stream.seek(0)
            with TemporaryFile(dir=path.parent) as unpacked:
                _copy(stream, unpacked, max_bytes, file)
                return _map(unpacked)
        if path.stat().st_size > max_bytes:
            _reject_size(max_bytes, file)
        return _map(stream)


def _map(stream: IO[bytes]) -> bytes:
    stream.flush()
    if os.fstat(stream.fileno()).st_size < _MAPPED:
        stream.seek(0)
        return stream.read()
    return cast(bytes, mmap(stream.fileno(), 0, access=ACCESS_READ))


def drop_pages(text: bytes, first: int, end: int) -> int:
    """Give back the memory of ``text[first:end]`` if it is mapped; the new ``first``."""
    if not isinstance(text, mmap) or end - first < _FORGOTTEN:
        return first
    pages = slice(first, end - end % PAGESIZE)
    text.madvise(MADV_DONTNEED, pages.start, pages.stop - pages.start)
    return pages.stop


def _read(stream: ReadableStream, max_bytes: int, file: str) -> bytes:
    data = io.BytesIO()
    _copy(stream, data, max_bytes, file)
    return data.getvalue()


def _copy(stream: ReadableStream, target: IO[bytes], max_bytes: int, file: str) -> None:
    head = stream.read(2)
    rest = _PrefixedStream(head, stream)
    if head != GZIP_MAGIC:
        if not _copy_parts(rest, target, max_bytes):
            _reject_size(max_bytes, file)
        return
    from gzip import GzipFile

    try:
        with GzipFile(fileobj=rest) as unpacked:
            is_whole = _copy_parts(unpacked, target, max_bytes)
    except (OSError, EOFError, zlib.error) as error:
        message = f"The gzip file is damaged or truncated ({error})."
        _reject("E02", message, "Compress the file again, or upload it uncompressed.", file)
    if not is_whole:
        message = f"The gzip file expands to more than {max_bytes:,} bytes."
        _reject("E02", message, _SHORTEN, file)


def _copy_parts(stream: ReadableStream, target: IO[bytes], max_bytes: int) -> bool:
    """Copy all of ``stream``; False as soon as it exceeds ``max_bytes``."""
    room = max_bytes
    while part := stream.read(min(_STEP, room + 1)):
        room -= len(part)
        if room < 0:
            return False
        target.write(part)
    return True


def _reject_size(max_bytes: int, file: str) -> NoReturn:
    _reject("E15", f"The file exceeds {max_bytes:,} bytes.", _SHORTEN, file)


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
