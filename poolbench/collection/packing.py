"""Files as streams: plain, gzip or zstandard, read forward in small pieces."""

import gzip
import hashlib
import importlib.util
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import GZIP_MAGIC

BLOCK = 4 << 20
_ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
_PARQUET_MAGIC = b"PAR1"
PLAIN, GZIP, ZSTANDARD, PARQUET = "", "gzip", "zstandard", "parquet"
NEEDS_ARROW = (ZSTANDARD, PARQUET)

Progress = Callable[[int], None]
"""Takes the bytes of the file that have been read."""


def detect_packing(path: Path) -> str:
    """How the bytes of a file are packed, by its first four."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head.startswith(GZIP_MAGIC):
        return GZIP
    return {_ZSTANDARD_MAGIC: ZSTANDARD, _PARQUET_MAGIC: PARQUET}.get(head, PLAIN)


def require_arrow(packing: str, report: FaultReport) -> None:
    """Raise ``InvalidFile`` if reading needs pyarrow and it is not installed."""
    if packing in NEEDS_ARROW and importlib.util.find_spec("pyarrow") is None:
        message = f"A {packing} file needs pyarrow, which is not installed."
        fix = "Run `pip install poolbench[parquet]`, or pack the file with gzip."
        report.add("ED21", message, fix)
        report.raise_errors()


class HashedFile(io.RawIOBase):
    """A file that is hashed while it is read from its beginning to its end."""

    def __init__(self, stream: IO[bytes], progress: Progress) -> None:
        self._stream, self._progress = stream, progress
        self.hash = hashlib.sha256()
        self.size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        self.hash.update(memoryview(buffer)[:count])
        self.size += count
        self._progress(self.size)
        return int(count)

    def finish(self) -> str:
        """Read what is left, and return the SHA-256 of the whole file."""
        while self.read(BLOCK):
            pass
        return self.hash.hexdigest()


@contextmanager
def unpack_stream(raw: IO[bytes], packing: str, name: str) -> Iterator[Callable[[int], bytes]]:
    """``read(size)`` of the unpacked bytes of ``raw``: fewer than ``size`` at the end only.

    Raises ``InvalidFile`` if the file is damaged or ends too early.
    """
    try:
        if packing == ZSTANDARD:
            import pyarrow

            stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, "r"), "zstd")
            yield stream.read
        elif packing == GZIP:
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked.read
        else:
            yield raw.read
    except (OSError, EOFError, zlib.error) as error:
        report = FaultReport(name)
        message = f"The {packing or 'plain'} file is damaged or truncated ({error})."
        report.add("ED22", message, "Copy or pack the file again.")
        raise InvalidFile(report) from error
