"""Write a file whole or not at all: under another name, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def replace_file(target: Path, *, synced: bool = True) -> Iterator[Path]:
    """Where to write the file ``target``, which takes the place of any former one at the end.

    An error leaves the former one and nothing else, the death of the process half a file that ends
    in ``.part``. After a power cut the file is whole if it is there, and it is there once this
    returned; without ``synced`` only after ``os.sync``.
    """
    part = target.with_name(f"{target.name}.{uuid4().hex}.part")
    try:
        yield part
        if synced:
            sync_path(part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if synced:
        sync_path(target.parent)


def make_synced_folder(folder: Path) -> None:
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        sync_path(folder.parent)


def sync_path(path: Path) -> None:
    """Wait until a file, or what a folder lists, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
