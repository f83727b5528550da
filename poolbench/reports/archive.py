"""Several files as one zip archive that is always the same for the same content."""

import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

MOST_BYTES = 64 << 20
"""Of all contents together: such an archive is made in memory."""
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
            archive.writestr(describe_file(name, folder), content, compresslevel=6)
    return packed.getvalue()


def describe_file(name: str, folder: str) -> ZipInfo:
    """The entry of a file, without anything that changes from one archive to the next."""
    info = ZipInfo(f"{folder}/{name}".lstrip("/"), MOMENT)
    info.external_attr, info.create_system = REGULAR_FILE << 16, UNIX
    info.compress_type = ZIP_DEFLATED
    return info


@dataclass
class ArchiveFiles:
    """Files that are written one after the other to an archive of any size. ``sums`` has the
    SHA-256 of each by its name.
    """

    archive: ZipFile
    folder: str = ""
    sums: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, parts: Iterable[bytes] | bytes | str) -> None:
        """The file ``name`` from its ``parts``, or from its whole content."""
        if isinstance(parts, str):
            parts = parts.encode()
        digest = hashlib.sha256()
        with self.archive.open(describe_file(name, self.folder), "w", force_zip64=True) as entry:
            for part in [parts] if isinstance(parts, bytes) else parts:
                digest.update(part)
                entry.write(part)
        self.sums[name] = digest.hexdigest()

    def add_sums(self, name: str) -> None:
        """The sums of all files so far, as ``sha256sum --check`` reads them."""
        self.add(name, "".join(f"{digest}  {file}\n" for file, digest in sorted(self.sums.items())))
