"""The content store: immutable files named by their sha256, below ``STORE_DIR``."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from django.conf import settings


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put_blob(data: bytes, suffix: str = "", *, synced: bool = True) -> str:
    """Store ``data`` and return its name. The same bytes are stored once.

    The file is on disk before this returns, as it must be before the row that names it. Who
    stores many files at once leaves that to ``sync_blobs``, which waits once for all.
    """
    digest = sha256(data)
    name = f"{digest[:2]}/{digest}{suffix}"
    target = blob_path(name)
    if target.exists():
        # The row that will name it is still to come: ``check_store --clean`` spares new files.
        target.touch()
    else:
        make_synced_folder(target.parent)
        # Written to a temporary file and renamed, so that no reader sees half a file.
        part = target.with_name(f"{target.name}.{uuid4().hex}.part")
        try:
            write_file(part, data, synced=synced)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    if synced:
        sync_folder(target.parent)
    return name


def make_part_path() -> Path:
    """Where to write a file that ``put_file`` then stores; ``check_store`` knows it as unnamed."""
    root = Path(settings.STORE_DIR)
    root.mkdir(parents=True, exist_ok=True)
    return root / f"{uuid4().hex}.part"


def put_file(path: Path, suffix: str = "") -> str:
    """The same of the file ``path``, however large; it is moved."""
    with path.open("rb+") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    name = f"{digest[:2]}/{digest}{suffix}"
    target = blob_path(name)
    make_synced_folder(target.parent)
    part = target.with_name(f"{target.name}.{uuid4().hex}.part")
    try:
        shutil.move(path, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    return name


def put_parts(parts: Iterable[bytes], suffix: str = "") -> tuple[str, str, int]:
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


def sync_blobs() -> None:
    """Wait until everything written so far is on disk."""
    os.sync()


def write_file(path: Path, data: bytes, *, synced: bool = True) -> None:
    """Write a file that a power cut leaves whole; its name lasts once its folder is synced."""
    with path.open("wb") as stream:
        stream.write(data)
        if synced:
            stream.flush()
            os.fsync(stream.fileno())


def make_synced_folder(folder: Path) -> None:
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def get_blob(name: str) -> bytes:
    return blob_path(name).read_bytes()


def blob_path(name: str) -> Path:
    """The path of the file ``name``. ``name`` comes from ``put_blob``, never from a request."""
    return Path(settings.STORE_DIR) / name
