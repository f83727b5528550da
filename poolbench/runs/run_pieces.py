"""Read a run piece by piece, each of whole topics, which is quicker than all of it at once.

A piece of 1 MiB and all that is computed from it stay in the processor's cache, and the memory of
one serves for the next: 7 million lines at once are 250 MB of text and 300 MB of columns, whose
pages the system must first provide. Pieces can be read by several processes.

Only a run without any fault or warning is read so, whose topics are contiguous: nothing depends on
more than one piece then. Any other is *odd*, and read as a whole by ``read_run``, which has the
messages.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from poolbench.files.columns import BOM
from poolbench.files.file_kinds import detect_foreign_kind
from poolbench.files.streams import MAX_BYTES, is_file
from poolbench.reading.blocks import LineBlock
from poolbench.reading.field_scanner import scan_fields
from poolbench.reading.machine_words import keep_freed_memory
from poolbench.reading.reader import Ints, parse_decimals
from poolbench.runs.grouping import TopicCollector, find_duplicate_rows
from poolbench.runs.runs import (
    DOCNO,
    RUN_LAYOUT,
    SCORE,
    TAG,
    TOPIC,
    parse_plain_score,
    sort_in_trec_order,
)
from poolbench.runs.tables import RunTable

PIECE = 1 << 20
"""Bytes of a piece; a topic that has more is a piece of its own."""
_LAST = 4
"""Pieces read at once if no more are left: most runs, of which nothing is read twice then."""
MIN_PART = 1 << 25
"""Bytes below which a second process takes longer to start than it saves (32 MiB)."""
_NEWLINE = b"\n"
_WIDTH = len(RUN_LAYOUT.columns)


class OddRunError(Exception):
    """A run that must be read as a whole."""


@dataclass(frozen=True)
class RunSpan:
    """The bytes ``start`` to ``end`` of the run in ``path``: whole topics; ``is_whole``: all."""

    path: str
    start: int
    end: int
    is_whole: bool


def split_run(path: str, parts: int) -> list[RunSpan]:
    """The run in ``path`` as up to ``parts`` spans of about the same size, at least ``MIN_PART``.

    Raises ``OddRunError`` if that is missing, empty or larger than allowed.
    """
    if not is_file(path) or not 0 < (size := Path(path).stat().st_size) <= MAX_BYTES:
        raise OddRunError
    parts = min(parts, size // MIN_PART)
    borders = [0, *_find_borders(path, [size * part // parts for part in range(1, parts)]), size]
    return [RunSpan(path, start, end, len(borders) == 2) for start, end in pairwise(borders)]


def _find_borders(path: str, places: Sequence[int]) -> list[int]:
    """The starts of topics next to ``places``, ascending."""
    if not places:
        return []
    with Path(path).open("rb") as file:
        borders = {_find_border(file.fileno(), place) for place in places}
    return sorted(borders - {0})


def _find_border(file: int, place: int) -> int:
    """The start of the first topic behind the line at ``place``; 0 if none is near."""
    data = os.pread(file, PIECE, place)
    start, end = data.find(_NEWLINE) + 1, data.rfind(_NEWLINE)
    block = _scan_piece(data[start : end + 1])
    changes = block.column(TOPIC).changes()
    return place + start + int(block.starts[changes[1], TOPIC]) if len(changes) > 1 else 0


def iter_run_pieces(span: RunSpan) -> Iterator[RunTable]:
    """The topics of ``span`` in the order of the file, a piece at a time, as tables with the tag of
    their first line. Raises ``OddRunError`` where the run must be read as a whole.
    """
    keep_freed_memory()
    place, room, tag, seen = span.start, PIECE, b"", set[str]()
    with Path(span.path).open("rb") as file:
        while place < span.end:
            left = span.end - place
            data = os.pread(
                file.fileno(), left if left <= _LAST * PIECE else min(room, left), place
            )
            if not place and (data.startswith(BOM) or detect_foreign_kind(data)):
                raise OddRunError
            piece = _cut_piece(data, is_last=place + len(data) >= span.end)
            if not piece.size:
                room *= 2
                continue
            tag = tag or piece.block.column(TAG).text(0)
            table = _read_piece(piece, tag)
            if not seen.isdisjoint(table.topics):
                raise OddRunError
            seen.update(table.topics)
            yield table
            place, room = place + piece.size, PIECE


class _Piece(NamedTuple):
    """The lines of whole topics, ``size`` bytes, and in which of them another topic begins."""

    block: LineBlock
    changes: Ints
    size: int


def _cut_piece(data: bytes, *, is_last: bool) -> _Piece:
    """The whole topics at the start of ``data``; of the last one, the end may be missing."""
    block = _scan_piece(data if is_last else data[: data.rfind(_NEWLINE) + 1])
    changes = block.column(TOPIC).changes()
    if is_last:
        return _Piece(block, changes, len(data))
    last = int(changes[-1])
    return _Piece(block.where(slice(last)), changes[:-1], int(block.starts[last, TOPIC]))


def _scan_piece(data: bytes) -> LineBlock:
    stop = len(data) - data.endswith(_NEWLINE)
    spans = scan_fields(data, 0, stop, _WIDTH)
    if spans is None:
        raise OddRunError
    return LineBlock(data, 1, spans.size, slice(stop), spans.lines, spans.starts, spans.ends)


def _read_piece(piece: _Piece, tag: bytes) -> RunTable:
    block = piece.block
    if not block.column(TAG).equals_text(tag).all():
        raise OddRunError
    topics, docnos = TopicCollector(), block.column(DOCNO)
    topics.add(block.column(TOPIC), piece.changes)
    docnos.hashes()  # while their text is in the cache
    grouped = topics.finish()
    if len(grouped.codes) > len(grouped.topics) or find_duplicate_rows(docnos, grouped):
        raise OddRunError
    numbers = parse_decimals(block.column(SCORE))
    if numbers.is_odd.any():
        rows = np.flatnonzero(numbers.is_odd)
        numbers.values[rows] = _parse_odd_scores(block.column(SCORE).texts(rows))
    return sort_in_trec_order(tag.decode(), grouped, docnos, numbers.values)


def _parse_odd_scores(texts: Sequence[bytes]) -> list[float]:
    scores = [parse_plain_score(text) for text in texts]
    if None in scores:
        raise OddRunError
    return [score for score in scores if score is not None]
