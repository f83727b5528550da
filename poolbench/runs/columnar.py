"""A few arrays and a little JSON in one file, read without copying and without a library.

The file: ``PBCOLS1\\n``, the length of the header (4 bytes), the header as JSON, then each
array, little-endian, starting at a multiple of 64 bytes. The header's ``columns`` lists name,
type and length of each array; everything else in it belongs to the writer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAGIC = b"PBCOLS1\n"
_ALIGNED = 64
_KINDS = {"<i4", "<i8", "<f8", "|u1"}

Columns: TypeAlias = Mapping[str, NDArray[Any]]


def write_columns(head: Mapping[str, Any], columns: Columns) -> bytes:
    """The file of ``head`` and ``columns``."""
    listed = {name: np.ascontiguousarray(values) for name, values in columns.items()}
    specs = [[name, values.dtype.str, len(values)] for name, values in listed.items()]
    text = json.dumps({**head, "columns": specs}, ensure_ascii=False).encode()
    parts = [_pad(MAGIC + len(text).to_bytes(4, "little") + text)]
    parts += [_pad(values.tobytes()) for values in listed.values()]
    return b"".join(parts)


def read_columns(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]], int]:
    """``(head, columns, offset of the last column)`` of a file by ``write_columns``.

    Raises ``ValueError`` for anything else.
    """
    begin = len(MAGIC) + 4
    if not data.startswith(MAGIC):
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
