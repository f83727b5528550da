"""A few arrays and a little JSON in one file, read without copying and without a library.

The file: ``PBCOLS1\\n``, the length of the header (4 bytes), the header as JSON, then each
array, little-endian, starting at a multiple of 64 bytes. The header's ``columns`` lists name,
type and length of each array; everything else in it belongs to the writer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from mmap import mmap
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PBCOLS1\n"
_ALIGNED = 64
_KINDS = {"<i4", "<i8", "<u8", "<f8", "|u1"}

Columns: TypeAlias = Mapping[str, NDArray[Any]]


def write_columns(head: Mapping[str, Any], columns: Columns) -> bytes:
    """The file of ``head`` and ``columns``."""
    return b"".join(iter_column_parts(head, columns))


def iter_column_parts(head: Mapping[str, Any], columns: Columns) -> Iterator[bytes]:
    """The file of ``head`` and ``columns``, one column at a time."""
    listed = {name: np.ascontiguousarray(values) for name, values in columns.items()}
    specs = [[name, values.dtype.str, len(values)] for name, values in listed.items()]
    text = json.dumps({**head, "columns": specs}, ensure_ascii=False).encode()
    yield _pad(MAGIC + len(text).to_bytes(4, "little") + text)
    for values in listed.values():
        yield _pad(values.tobytes())


def read_columns(data: bytes | mmap) -> tuple[dict[str, Any], dict[str, NDArray[Any]], int]:
    """``(head, columns, offset of the last column)`` of a file by ``write_columns``; of a mapped
    file only the parts in use are read.

    Raises ``ValueError`` for anything else.
    """
    begin = len(MAGIC) + 4
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("not a column file")
    place = begin + int.from_bytes(data[len(MAGIC) : begin], "little")
    head, columns, last = json.loads(data[begin:place]), {}, 0
    for name, kind, length in head.pop("columns"):
        if kind not in _KINDS:
            raise ValueError(f"column {name} has an unknown type, {kind}")
        last = place = -(-place // _ALIGNED) * _ALIGNED
        columns[name] = np.frombuffer(data, kind, length, place)
        place += columns[name].nbytes
    return head, columns, last


def _pad(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % _ALIGNED)
