"""A collection given as a file of docnos, of any size: it is never held as a whole."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import GZIP_MAGIC

_BLOCK = 1 << 24


@dataclass(frozen=True)
class DocnoFile:
    """The docnos in ``path``, one per line, plain or gzip."""

    path: Path

    def __iter__(self) -> Iterator[str]:
        for block in self._blocks():
            yield from (text.decode(errors="replace") for text in block if text)

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and not self.find_missing({docno})

    def find_missing(self, docnos: set[str]) -> set[str]:
        """Those of ``docnos`` that the file lacks; it is read up to the last one found."""
        missing = {docno.encode() for docno in docnos}
        for block in self._blocks():
            missing.difference_update(block)
            if not missing:
                break
        return {text.decode() for text in missing}

    def check_form(self) -> None:
        """Raise ``InvalidFile`` unless the file starts with a line of one docno."""
        report = FaultReport(str(self.path))
        first = next((line for block in self._blocks() for line in block if line.strip()), b"")
        fix = "Use a file with one docno per line, plain or gzip."
        if not first:
            report.add("EN02", "The file contains no docnos.", fix)
        elif len(first.split()) > 1 or b"\0" in first:
            report.add("EN01", "The line is not a single docno.", fix, line=1, excerpt=first)
        report.raise_errors()

    def _blocks(self) -> Iterator[list[bytes]]:
        """The lines, many at a time. Raises ``InvalidFile`` for damaged gzip."""
        with self.path.open("rb") as stream:
            packed = stream.read(2) == GZIP_MAGIC
        rest = b""
        try:
            with gzip.open(self.path) if packed else self.path.open("rb") as text:
                while part := text.read(_BLOCK):
                    whole, _, rest = (rest + part).rpartition(b"\n")
                    yield whole.replace(b"\r\n", b"\n").removesuffix(b"\r").split(b"\n")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            report = FaultReport(str(self.path))
            report.add("E02", f"The gzip file is damaged ({error}).", "Compress the file again.")
            raise InvalidFile(report) from error
        if rest:
            yield [rest.rstrip(b"\r")]
