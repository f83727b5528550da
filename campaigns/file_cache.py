"""Files of an object store on this machine: a folder of bounded size."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from poolbench.files.replacement import replace_file

SPARED_SECONDS = 10.0
"""A file used so lately may be about to be opened, and is not removed."""
ABANDONED_SECONDS = 3600.0
"""Half of a file that was not written for so long belongs to a process that has died."""


class _File(NamedTuple):
    used_at: float
    size: int
    path: Path


class FileCache:
    """At most ``limit`` bytes in ``folder``; the least recently used files go first.

    Any number of processes share the folder: a file appears whole, by a rename, under a name that
    stands for its content, and one that is removed stays readable where it is open or mapped. The
    time of the last use is that of the file's last change.
    """

    def __init__(self, folder: Path, limit: int, pattern: str = "*") -> None:
        """Files of ``folder`` that do not match ``pattern`` stay and are not counted."""
        self.folder, self.limit, self.pattern = folder, limit, pattern

    def find(self, name: str) -> Path | None:
        """The file, now the most recently used one; None if it is not here."""
        path = self._locate(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        return path

    def fetch(self, name: str, write: Callable[[Path], None]) -> Path:
        """The file; if it is not here, ``write`` puts it at the path that it is given.

        Raises ``ValueError`` if the content is not the one that the name is the SHA-256 of.
        """
        if (path := self.find(name)) is not None:
            return path
        part = self.make_part_path()
        try:
            write(part)
            return self.keep(name, part)
        finally:
            part.unlink(missing_ok=True)

    def keep(self, name: str, path: Path) -> Path:
        """Move a file of this disk here. Raises ``ValueError`` as ``fetch`` does."""
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            if not Path(name).name.startswith(digest):
                raise ValueError(f"{name} has other content: its SHA-256 is {digest}")
        target = self._locate(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.utime(path)
        with replace_file(target) as part:
            path.replace(part)
        self.remove_least_used()
        return target

    def make_part_path(self) -> Path:
        """Where to write a file that is then kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / f"{uuid4().hex}.part"

    def remove_least_used(self) -> None:
        """Remove files until the rest is within the limit."""
        now, files = time.time(), sorted(self._list_files())
        total = sum(file.size for file in files)
        for file in files:
            is_half = file.path.suffix == ".part"
            if is_half and now - file.used_at < ABANDONED_SECONDS:
                continue
            if not is_half and (total <= self.limit or now - file.used_at < SPARED_SECONDS):
                continue
            file.path.unlink(missing_ok=True)
            total -= file.size

    def _locate(self, name: str) -> Path:
        return self.folder / name

    def _list_files(self) -> list[_File]:
        files = []
        for path in self.folder.rglob(self.pattern):
            try:
                status = path.stat()
            except FileNotFoundError:  # another process was first
                continue
            if path.is_file():
                files.append(_File(status.st_mtime, status.st_size, path))
        return files
