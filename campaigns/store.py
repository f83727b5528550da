"""The content store: immutable files named by their sha256, in the storage ``store``."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn, cast
from uuid import uuid4

from django.core.files.storage import storages
from django.utils import timezone

from campaigns.storages import COLUMNS, MARKER, StoredFile, StoreStorage

KEPT, MARK_SECONDS = "kept", 86_400


class MissingFileError(FileNotFoundError):
    """The store of this machine does not have a file that a row names.

    A job that meets it goes back to its queue: another worker may see it.
    """


def get_storage() -> Any:
    """The storage of the store: one of Django's that is a ``StoreStorage`` too."""
    return storages["store"]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put_blob(data: bytes, suffix: str = "", *, synced: bool = True) -> str:
    """Store ``data`` and return its name. The same bytes are stored once.

    The file is stored for good before this returns, as it must be before the row that names it.
    Who stores many files at once leaves that to ``sync_blobs``, which waits once for all.
    """
    name = name_blob(sha256(data), suffix)
    storage = get_storage()
    # The row that will name it is still to come: ``check_store --clean`` spares new files.
    if not storage.refresh(name):
        storage.put(name, data, synced=synced)
    return name


def make_part_path() -> Path:
    """Where to write a file that ``put_file`` then stores; ``check_store`` knows it as unnamed."""
    return cast(StoreStorage, get_storage()).get_scratch_folder() / f"{uuid4().hex}.part"


def put_file(path: Path, suffix: str = "", *, digest: str = "") -> str:
    """The same of the file ``path``, however large; it is moved. ``digest``: its sha256, if it is
    known.
    """
    if not digest:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    name = name_blob(digest, suffix)
    get_storage().put_file(name, path)
    return name


def put_parts(parts: Iterable[bytes | memoryview], suffix: str = "") -> tuple[str, str, int]:
    """Store a file that need not fit into memory; return its name, sha256 and size."""
    part = make_part_path()
    try:
        with part.open("wb") as stream:
            size = sum(map(stream.write, parts))
        name = put_file(part, suffix)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return name, Path(name).name.partition(".")[0], size


def name_blob(digest: str, suffix: str) -> str:
    return f"{digest[:2]}/{digest}{suffix}"


def sync_blobs() -> None:
    """Wait until everything written so far is stored for good."""
    get_storage().sync()


def get_blob(name: str) -> bytes:
    """The content. Columns are read again and again, from this machine."""
    if name.endswith(COLUMNS):
        return find_blob_path(name).read_bytes()
    with open_blob(name) as stream:
        return stream.read()


def open_blob(name: str) -> IO[bytes]:
    """The file to read from, also from the middle. Raises ``MissingFileError``."""
    try:
        return cast(IO[bytes], get_storage().open(name))
    except FileNotFoundError as error:
        raise_missing(name, error)


def raise_missing(name: str, error: FileNotFoundError) -> NoReturn:
    """``MissingFileError``, or ``StoreAwayError`` if not the file is missing but the store."""
    cast(StoreStorage, get_storage()).require_marker()
    raise MissingFileError(f"{name} is not in the store") from error


def find_blob_path(name: str) -> Path:
    """A file on this machine with the content, for memory maps and programs that want a path;
    never written to. Raises ``MissingFileError``.
    """
    try:
        path = Path(get_storage().path(name))
        path.stat()
    except FileNotFoundError as error:
        raise_missing(name, error)
    return path


def has_blob(name: str) -> bool:
    return bool(get_storage().exists(name))


def get_blob_size(name: str) -> int:
    """In bytes. Raises ``MissingFileError``."""
    try:
        return int(get_storage().size(name))
    except FileNotFoundError as error:
        raise_missing(name, error)


def get_blob_age(name: str) -> float:
    """Seconds since the file was last stored, also again. Raises ``MissingFileError``."""
    try:
        modified = get_storage().get_modified_time(name)
    except FileNotFoundError as error:
        raise_missing(name, error)
    return float((timezone.now() - modified).total_seconds())


@contextmanager
def keep_files() -> Iterator[None]:
    """Within this block, files stay that a row has ceased to name, since a copy of the database may
    name them still. The mark lies in the store, for all processes that use it.
    """
    mark = f"{KEPT}/{uuid4().hex}.part"
    get_storage().put(mark, b"", synced=False)
    try:
        yield
    finally:
        remove_blob(mark)


def keeps_files() -> bool:
    """Whether some process is within ``keep_files``; a mark of a day was left by one that died."""
    try:
        marks = get_storage().listdir(KEPT)[1]
    except FileNotFoundError:
        return False
    return any(get_blob_age(f"{KEPT}/{mark}") < MARK_SECONDS for mark in marks)


def list_blobs() -> Iterator[StoredFile]:
    """All files of the store but its marker, also those that are being written or that no row
    names.
    """
    files = cast(StoreStorage, get_storage()).list_files()
    return (file for file in files if file.name != MARKER)


def remove_blob(name: str) -> None:
    """Remove the file if it is there. Only for files that no row names."""
    get_storage().delete(name)
