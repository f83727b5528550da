"""A few arrays and a little JSON in one file, read without copying and without a library.

The file: ``PBCOLS1\\n``, the length of the header (4 bytes), the header as JSON, then each
array, little-endian, starting at a multiple of 64 bytes. The header's ``columns`` lists name,
type and length of each array; everything else in it belongs to the writer.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from mmap import mmap
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PBCOLS1\n"
_ALIGNED = 64
_KINDS = {"<i4", "<i8", "<u8", "<f8", "|u1"}

Columns: TypeAlias = Mapping[str, NDArray[Any]]


class ByteParts(NamedTuple):
    """A column of ``size`` bytes that is never in memory as a whole."""

    size: int
    parts: Iterable[bytes]


def write_columns(head: Mapping[str, Any], columns: Columns) -> bytes:
    return b"".join(iter_column_parts(head, columns))


def iter_column_parts(
    head: Mapping[str, Any], columns: Mapping[str, NDArray[Any] | ByteParts]
) -> Iterator[bytes | memoryview]:
    """The file of ``head`` and ``columns``, some of it at a time, without copies of arrays."""
    specs = [[name, *_describe_column(values)] for name, values in columns.items()]
    yield _write_head(head, specs)
    for values in columns.values():
        if isinstance(values, ByteParts):
            yield from values.parts
            size = values.size
        else:
            yield np.ascontiguousarray(values).view(np.uint8).data
            size = values.nbytes
        yield b"\0" * (-size % _ALIGNED)


def _describe_column(values: NDArray[Any] | ByteParts) -> tuple[str, int]:
    if isinstance(values, ByteParts):
        return "|u1", values.size
    return values.dtype.str, len(values)


def create_columns(
    path: Path, head: Mapping[str, Any], specs: Sequence[tuple[str, str, int]]
) -> tuple[mmap, dict[str, NDArray[Any]]]:
    """A file of columns to be filled in place, mapped: ``specs`` are name, type and length.

    The disk has room for all of it, or this raises ``OSError``: a full disk would otherwise end the
    process when it writes.
    """
    begin = _write_head(head, [[*spec] for spec in specs])
    sizes = [np.dtype(kind).itemsize * length for _, kind, length in specs]
    with path.open("wb+") as stream:
        os.posix_fallocate(stream.fileno(), 0, len(begin) + sum(map(_round_up, sizes)))
        stream.write(begin)
        stream.flush()
        data = mmap(stream.fileno(), 0)
    return data, read_columns(data)[1]


def read_columns(data: bytes | mmap) -> tuple[dict[str, Any], dict[str, NDArray[Any]], int]:
    """``(head, columns, offset of the last column)`` of a file by ``write_columns``; of a mapped
    file only the parts in use are read.

    Raises ``ValueError`` for anything else.
    """
    head, places = locate_columns(data)
    columns = {name: np.frombuffer(data, *column) for name, column in places.items()}
    return head, columns, max((place for *_, place in places.values()), default=0)


def locate_columns(data: bytes | mmap) -> tuple[dict[str, Any], dict[str, tuple[str, int, int]]]:
    """The head, and type, length and offset of each column; raises as ``read_columns`` does."""
    begin = len(MAGIC) + 4
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("not a column file")
    place = begin + int.from_bytes(data[len(MAGIC) : begin], "little")
    head, places = json.loads(data[begin:place]), {}
    for name, kind, length in head.pop("columns"):
        if kind not in _KINDS:
            raise ValueError(f"column {name} has an unknown type, {kind}")
        place = _round_up(place)
        places[name] = kind, length, place
        place += np.dtype(kind).itemsize * length
    return head, places


def _write_head(head: Mapping[str, Any], specs: Sequence[Sequence[Any]]) -> bytes:
    text = json.dumps({**head, "columns": specs}, ensure_ascii=False).encode()
    return _pad(MAGIC + len(text).to_bytes(4, "little") + text)


def _round_up(place: int) -> int:
    return -(-place // _ALIGNED) * _ALIGNED


def _pad(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % _ALIGNED)
