"""Where the content store keeps its files: a folder here; behind Django's STORAGES, so that an
object store can take its place.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

from poolbench.files.replacement import make_synced_folder, replace_file, sync_path

MARKER = "marker"
"""The file that says whose store this is (``campaigns.services.store_marker``)."""
FULL = (errno.ENOSPC, errno.EDQUOT)
COLUMNS = ".columns"
"""The ending of column files, which are read again and again."""


class StoreAwayError(Exception):
    """The store does not answer. Pages say so, and jobs go back to their queue."""


class OtherStoreError(StoreAwayError):
    """What answers is not the installation's store: nothing may be written to it."""


def accept_any(_token: str) -> str:
    return ""


class MarkedStorage:
    """A storage that knows whose it is, by the token of its marker.

    The token is compared with the one that this process has seen last, or that the web process has
    read from the database as it began; only another one is looked up again, by ``find_fault``,
    which says why the store of a token is not the installation's. So an empty folder is another
    store only to processes that know better.
    """

    find_fault: ClassVar[Callable[[str], str]] = staticmethod(accept_any)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.tokens: dict[str, str] = {}

    def expect_token(self, place: str, token: str) -> None:
        self.tokens[place] = token

    def check_token(self, place: str, token: str | None) -> None:
        """Raise ``StoreAwayError`` unless the store at ``place`` is ours; ``token``: its marker."""
        if token == self.tokens.get(place):
            return
        if token is None:
            raise StoreAwayError("The store is not mounted, or another is in its place.")
        if fault := MarkedStorage.find_fault(token):
            raise OtherStoreError(fault)
        self.tokens[place] = token


def is_store_away(error: BaseException | None) -> bool:
    """Whether the error is that, or that the disk of an upload or a cache is full."""
    full = isinstance(error, OSError) and error.errno in FULL
    return full or isinstance(error, StoreAwayError)


class StoredFile(NamedTuple):
    """A file of the store: its name, its bytes, and when it was last written."""

    name: str
    size: int
    modified_at: datetime


class StoreStorage(Protocol):
    """What ``campaigns.store`` asks of a storage, besides ``exists``, ``open``, ``size`` and
    ``delete`` of Django's. Names are those that it has made, never from a request.

    ``put`` and ``put_file`` write a file whole or not at all and, once they return, for good;
    ``put`` without ``synced`` only after ``sync``. ``refresh`` makes a file that is there as young
    as a new one, since the row that will name it is still to come; False if it is not there.
    ``path`` is a file on this machine that has the content, which a memory map may read for as long
    as it likes. ``require_marker`` refuses a store that is away or another, where both look like
    one without a file; ``expect_marker`` says whose it is to be. ``count_free_bytes`` is None where
    there is no limit to know. All raise ``StoreAwayError`` if the store does not answer.
    """

    def put(self, name: str, data: bytes, *, synced: bool) -> None: ...
    def put_file(self, name: str, path: Path) -> None: ...
    def refresh(self, name: str) -> bool: ...
    def sync(self) -> None: ...
    def path(self, name: str) -> str: ...
    def require_marker(self) -> None: ...
    def expect_marker(self, token: str) -> None: ...
    def get_scratch_folder(self) -> Path: ...
    def list_files(self) -> Iterator[StoredFile]: ...
    def count_free_bytes(self) -> int | None: ...


class StoreFolder(MarkedStorage, FileSystemStorage):
    """The folder ``STORE_DIR``. It is away if it cannot be written, and if it had a marker and has
    none any more: the file system was unmounted, and what is written to the empty folder below
    would be hidden once it is mounted again.
    """

    def expect_marker(self, token: str) -> None:
        self.expect_token(self.location, token)

    def require_marker(self) -> None:
        marker = Path(self.location, MARKER)
        with raise_absence():
            token = marker.read_text().strip() if marker.exists() else None
        self.check_token(self.location, token)

    @property
    def base_location(self) -> Path:
        return Path(settings.STORE_DIR)

    @property
    def location(self) -> str:
        return os.path.abspath(settings.STORE_DIR)  # noqa: PTH100  # asked for with each file

    def open(self, name: str, mode: str = "rb") -> File[Any]:
        with raise_absence():
            return super().open(name, mode)

    def put(self, name: str, data: bytes, *, synced: bool) -> None:
        with self.make_part(name, synced=synced) as part:
            part.write_bytes(data)

    def put_file(self, name: str, path: Path) -> None:
        with self.make_part(name) as part:
            path.chmod(self.file_permissions_mode or 0o644)  # a temporary file is its owner's alone
            # To another disk, as that of a shared folder, it is moved as a copy, and synced there.
            shutil.move(path, part)

    @contextmanager
    def make_part(self, name: str, *, synced: bool = True) -> Iterator[Path]:
        """Where to write the file ``name``, which is there once it is whole."""
        if name != MARKER:
            self.require_marker()
        target = Path(self.path(name))
        with raise_absence():
            make_synced_folder(target.parent)
            with replace_file(target, synced=synced) as part:
                yield part

    def refresh(self, name: str) -> bool:
        target = Path(self.path(name))
        try:
            os.utime(target)
        except FileNotFoundError:
            return False
        sync_path(target.parent)
        return True

    def sync(self) -> None:
        os.sync()

    def get_scratch_folder(self) -> Path:
        """On the same disk, so that a file is moved by renaming it."""
        self.base_location.mkdir(parents=True, exist_ok=True)
        return self.base_location

    def list_files(self) -> Iterator[StoredFile]:
        for path in self.base_location.rglob("*"):
            if path.is_file():
                stat = path.stat()
                name = path.relative_to(self.base_location).as_posix()
                yield StoredFile(name, stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))

    def count_free_bytes(self) -> int | None:
        return shutil.disk_usage(self.get_scratch_folder()).free


@contextmanager
def raise_absence() -> Iterator[None]:
    """``StoreAwayError`` for what the disk answers when it is full, broken, read-only or gone."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreAwayError(f"The store does not work: {error.strerror or error}.") from error
