"""Segments of a campaign's pairs as files on the local disk, shared by all processes of a machine.

A file is named by what it indexes, so it is never out of date, only no longer needed; a process
that misses one builds it from the pairs, and deleting the folder costs only time. A lock on a file
of the folder lets one process at a time build; the others wait, and find it built. A file is
written under another name, synced and renamed: a crash leaves no half of one.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np

from poolbench.files.replacement import replace_file
from poolbench.reading.reader import DocnoArray
from poolbench.runs.columnar import create_columns, read_columns
from poolbench.runs.pair_segments import (
    PairSegment,
    SegmentSource,
    count_segment_pairs,
    fill_segment,
    hash_docnos,
)

_FORM = 1
_PROBES = ("1", "poolbench-probe-of-hashes")


@dataclass(frozen=True)
class SegmentFolder:
    """The folder of one campaign. ``trim`` is called once a file was written: it may remove the
    least recently used ones of all campaigns.
    """

    path: Path
    trim: Callable[[], None] = lambda: None

    def name_segment(self, chunks: Sequence[str]) -> Path:
        """The file of the segment of ``chunks``, names of files by their content."""
        named = hashlib.sha256("\n".join(chunks).encode()).hexdigest()
        return self.path / f"{named[:40]}.pairs"

    def open(self, chunks: Sequence[str]) -> PairSegment | None:
        """The segment of ``chunks``; None if it is not there, or not one of this version."""
        path = self.name_segment(chunks)
        try:
            segment = open_segment(path)
            os.utime(path)
            return segment
        except (OSError, ValueError, KeyError):
            return None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Alone of all processes and threads."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("ab") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield

    def write(
        self, chunks: Sequence[str], sources: Sequence[SegmentSource], moves: Sequence[int]
    ) -> PairSegment:
        """The segment of ``chunks``, merged of ``sources``; call it under the lock."""
        target = self.name_segment(chunks)
        with replace_file(target) as part:
            _write_segment(part, sources, moves)
        segment = open_segment(target)
        self.trim()
        return segment

    def remove_others(self, remaining: Iterable[Sequence[str]]) -> None:
        """Remove all files but the segments ``remaining``. A process that has one
        open goes on reading it."""
        paths = {self.name_segment(chunks) for chunks in remaining}
        for path in (*self.path.glob("*.pairs"), *self.path.glob("*.part")):
            if path not in paths:
                path.unlink(missing_ok=True)


def open_segment(path: Path) -> PairSegment:
    """Map the file. Raises ``ValueError`` or ``KeyError`` if it is not one of this version."""
    with path.open("rb") as stream:
        data = mmap(stream.fileno(), 0, access=ACCESS_READ)
    head, columns, _ = read_columns(data)
    if head["pairs"] != _FORM or head["probes"] != _hash_probes():
        raise ValueError(f"{path} is not an index of this version")
    topics, starts = tuple(head["topics"]), np.array(columns["starts"])
    hashes = columns["hashes"].view(np.uint32)
    segment = PairSegment(topics, starts, columns["offsets"], hashes, columns["codes"], data)
    if int(segment.offsets[-1]) != len(segment) or int(starts[-1]) != len(segment):
        raise ValueError(f"{path} is incomplete")
    return segment


def _write_segment(path: Path, sources: Sequence[SegmentSource], moves: Sequence[int]) -> None:
    topics, starts = count_segment_pairs(sources)
    head = {"pairs": _FORM, "probes": _hash_probes(), "topics": topics}
    size = int(starts[-1])
    names = ("offsets", size + 1), ("hashes", size), ("codes", size)
    specs = [("starts", "<i8", len(starts)), *((name, "<i4", count) for name, count in names)]
    data, columns = create_columns(path, head, specs)
    columns["starts"][:] = starts
    hashes = columns["hashes"].view(np.uint32)
    segment = PairSegment(topics, starts, columns["offsets"], hashes, columns["codes"], data)
    fill_segment(segment, sources, moves)
    data.flush()


def _hash_probes() -> list[int]:
    """Hashes of fixed docnos: a segment by other hashes would find nothing."""
    return [int(value) for value in hash_docnos(DocnoArray.from_ids(_PROBES))]
