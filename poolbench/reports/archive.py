"""Several files as one zip archive that is always the same for the same content."""

from __future__ import annotations

import io
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

MOST_BYTES = 64 << 20
"""Of all contents together: an archive is made in memory."""
MOMENT = (1980, 1, 1, 0, 0, 0)
"""The first that zip can hold; contents say when they were made."""
REGULAR_FILE = 0o100644
UNIX = 3


class ArchiveTooLargeError(ValueError):
    """The contents are larger than ``MOST_BYTES``."""


def pack_archive(files: Mapping[str, str | bytes], folder: str = "") -> bytes:
    """The ``files`` by name, below ``folder``, in the order of their names. Texts are UTF-8.

    Raises ``ArchiveTooLargeError`` for contents of more than ``MOST_BYTES``.
    """
    contents = {
        name: text.encode() if isinstance(text, str) else text
        for name, text in sorted(files.items())
    }
    if (total := sum(map(len, contents.values()))) > MOST_BYTES:
        raise ArchiveTooLargeError(f"{total:,} bytes are more than {MOST_BYTES:,}")
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            info = ZipInfo(f"{folder}/{name}".lstrip("/"), MOMENT)
            info.external_attr, info.create_system = REGULAR_FILE << 16, UNIX
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=6)
    return packed.getvalue()
