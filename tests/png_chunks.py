"""The chunks of a PNG, as tests look at them."""

import struct
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def iter_png_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """``(name, content)`` of each chunk; raises ``ValueError`` for anything but a PNG."""
    if not png.startswith(SIGNATURE):
        raise ValueError("this file does not begin as a PNG does")
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length
