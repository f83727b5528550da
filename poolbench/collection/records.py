"""Split a stream of text into its records, each with its place: a line, a ``<DOC>``, a ``.I``.

A record goes from its beginning to the beginning of the next one. Each is given to the parser that
reads whole files (``poolbench.texts.documents``), so a document is the same either way.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from poolbench.collection.packing import BLOCK
from poolbench.files.faults import FaultReport, InvalidFile

MAX_RECORD = 64 << 20
_BEGINNINGS = {
    "trec": re.compile(rb"<doc(?:\s[^<>]*)?>", re.IGNORECASE),
    "smart": re.compile(rb"^\.I(?=\s)", re.MULTILINE),
}
"""Where records begin in formats whose records have several lines."""
_LONGEST_TAG = 1 << 10
"""Room for a beginning that is cut by the end of a block."""


class RawRecord(NamedTuple):
    """``data`` begins ``start`` bytes after the beginning of the unpacked file, on ``line``."""

    start: int
    line: int
    data: bytes


def iter_records(
    read: Callable[[int], bytes], form: str, head: bytes, report: FaultReport
) -> Iterator[RawRecord]:
    """The records of a stream whose first bytes, ``head``, have been read already.

    Raises ``InvalidFile`` for a record of more than ``MAX_RECORD`` bytes: what comes after it
    cannot be found without keeping it.
    """
    start, line, rest = 0, 1, head
    while True:
        more = read(BLOCK)
        parts = split_records(rest + more, form)
        # The last may go on in the next block.
        rest = parts.pop() if more else b""
        for data in parts:
            if data:
                yield RawRecord(start, line, data)
            start += len(data)
            line += data.count(b"\n")
        if not more:
            return
        if len(rest) > MAX_RECORD:
            message = f"The document exceeds {MAX_RECORD:,} bytes."
            fix = "Use a smaller document; assessors have to load it."
            report.add("ED14", message, fix, line=line, excerpt=rest[:200])
            raise InvalidFile(report)


def split_records(data: bytes, form: str) -> list[bytes]:
    """``data`` cut where records begin; the last one may not be complete."""
    beginning = _BEGINNINGS.get(form)
    if beginning is None:
        *lines, rest = data.split(b"\n")
        return [line + b"\n" for line in lines] + [rest]
    begins = [match.start() for match in beginning.finditer(data)]
    if not begins:  # a record may begin in the last bytes
        begins = [max(0, len(data) - _LONGEST_TAG)]
    return [data[first:end] for first, end in pairwise([0, *begins, len(data)])]
