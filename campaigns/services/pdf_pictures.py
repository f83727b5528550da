"""Pictures of the pages of PDF documents, drawn once on each machine."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import BoundedSemaphore

from django.conf import settings

from campaigns import store
from campaigns.file_cache import FileCache
from campaigns.models import Document
from poolbench.files.replacement import replace_file
from poolbench.texts.pdf_pages import PAGE_END, UnreadablePdfError, draw_pdf_pages

PIXELS, SHARP_PIXELS = 1_400, 2_800
"""Width of a picture, for screens of high resolution too; and where it is zoomed."""
AT_ONCE = 2
"""Pages of one child process, of whose time two thirds are its start."""
MOST_DRAWN = 2
"""Child processes at the same time."""
TRIMMED_EACH = 50
"""Drawings until the cache is next held within its bound, which lists all its files."""
_drawing = BoundedSemaphore(MOST_DRAWN)
_drawings = count(1)


def get_page_picture(document: Document, number: int, pixels: int) -> bytes:
    """The picture of page ``number``, from 1, ``pixels`` wide; empty if it cannot be drawn, which
    is kept as well, so that a hostile file takes its time only once.

    All processes of this machine share the pictures. Pages are drawn ``AT_ONCE`` at a time, with
    the page that is likely to be next.
    """
    pictures = open_picture_cache()
    if (path := pictures.find(name_picture(document, number, pixels))) is None:
        draw_missing_pages(document, number, pixels)
        path = pictures.folder / name_picture(document, number, pixels)
    return path.read_bytes()


def open_picture_cache() -> FileCache:
    folder = Path(settings.VAR_DIR) / "cache" / "pages"
    return FileCache(folder, settings.POOLBENCH_CACHE_BYTES, "*.webp*")


def name_picture(document: Document, number: int, pixels: int) -> str:
    return f"{document.file}-{number}-{pixels}.webp"


def draw_missing_pages(document: Document, number: int, pixels: int) -> None:
    """Put page ``number`` into the cache with its neighbours of ``AT_ONCE``, unless another process
    has done so in the meantime.
    """
    folder, first = open_picture_cache().folder, number - (number - 1) % AT_ONCE
    last = min(first + AT_ONCE, document.body.count(PAGE_END) + 1)
    with lock_drawing(folder, document), _drawing:
        targets = {at: folder / name_picture(document, at, pixels) for at in range(first, last)}
        if targets[number].exists():
            return
        for at, picture in draw_pages(document, number, list(targets), pixels).items():
            with replace_file(targets[at], synced=False) as part:
                part.write_bytes(picture)
    if next(_drawings) % TRIMMED_EACH == 0:
        open_picture_cache().remove_least_used()


@contextmanager
def lock_drawing(folder: Path, document: Document) -> Iterator[None]:
    """Alone of all processes and threads with the pages of a file, and of some others."""
    shelf = folder / Path(document.file).parent
    shelf.mkdir(parents=True, exist_ok=True)
    with (shelf / "lock").open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def draw_pages(
    document: Document, number: int, numbers: Sequence[int], pixels: int
) -> dict[int, bytes]:
    """The pictures of ``numbers``; of ``number`` alone if they cannot be drawn together."""
    data = store.get_blob(document.file)
    for some in (numbers, [number]):
        try:
            pictures = draw_pdf_pages(data, [at - 1 for at in some], pixels)
            return dict(zip(some, pictures, strict=True))
        except UnreadablePdfError:
            continue
    return {number: b""}
