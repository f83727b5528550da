"""The registered collection of a campaign: its docnos, and texts read from its files."""

import hashlib
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from django.conf import settings

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Collection
from poolbench.cache import Cache
from poolbench.collection.index import CollectionIndex
from poolbench.collection.texts import read_collection_texts
from poolbench.files.faults import InvalidFile
from poolbench.reading.reader import DocnoArray
from poolbench.texts.documents import DocumentText

FIX = "Put the file back as it was, or register the collection again from where it is now."
ASKED_AT_ONCE = 500
"""Docnos in a query; SQLite limits its parameters."""

_indexes: Cache[str, CollectionIndex] = Cache(4)
_hashes: Cache[tuple[str, int, int], str] = Cache(1_000)
"""SHA-256 by path, size and time of the last change."""


def find_collection(campaign: Campaign) -> Collection | None:
    """The registered collection of a campaign, if it has one."""
    return Collection.objects.filter(campaign=campaign).first()


def load_collection_index(campaign: Campaign) -> CollectionIndex | None:
    """The index of the registered collection, mapped into memory; None without one."""
    collection = find_collection(campaign)
    return open_index(collection) if collection else None


def open_index(collection: Collection) -> CollectionIndex:
    """Raises ``ActionRefused`` if the store has no index that this version can read."""
    try:
        path = store.find_blob_path(collection.index)
        return _indexes.get_or_compute(str(path), lambda: CollectionIndex.open(path))
    except (OSError, ValueError) as error:
        message = f"The index of the collection cannot be read: {error}."
        fix = "Register the same files again; that writes the index anew."
        raise ActionRefused("no-index", message, fix) from error


def iter_docnos(campaign: Campaign) -> Iterator[str]:
    """The docnos of the collection, in the order of its files; of imported documents by docno."""
    if (index := load_collection_index(campaign)) is not None:
        return iter(index)
    docnos = campaign.documents.order_by("docno").values_list("docno", flat=True)
    return docnos.iterator(chunk_size=20_000)


def count_collection_documents(campaign: Campaign) -> int:
    """Documents of the collection, in its files or imported."""
    collection = find_collection(campaign)
    return collection.documents if collection else campaign.documents.count()


def list_missing_docnos(campaign: Campaign, docnos: AbstractSet[str]) -> set[str]:
    """The ``docnos`` that are not in the collection; none if the campaign has no documents."""
    names = sorted(docnos)
    if (index := load_collection_index(campaign)) is not None:
        is_in = index.contains(DocnoArray.from_ids(names)).tolist()
        return {name for name, known in zip(names, is_in, strict=True) if not known}
    return set(list_docnos_without_row(campaign, names)) if campaign.documents.exists() else set()


def list_docnos_without_row(campaign: Campaign, docnos: Sequence[str]) -> list[str]:
    """Those of ``docnos`` that are no ``Document`` of the campaign."""
    known: set[str] = set()
    for first in range(0, len(docnos), ASKED_AT_ONCE):
        part = docnos[first : first + ASKED_AT_ONCE]
        known.update(campaign.documents.filter(docno__in=part).values_list("docno", flat=True))
    return [docno for docno in docnos if docno not in known]


def read_registered_texts(collection: Collection, docnos: Sequence[str]) -> Iterator[DocumentText]:
    """The texts of those of ``docnos`` that the collection has, each file read once.

    Raises ``ActionRefused`` if a file that is needed is not as it was registered.
    """
    index = open_index(collection)
    for number in sorted({place.file for place in index.locate(docnos)}):
        check_file_unchanged(collection.files[number])
    paths = [Path(file["path"]) for file in collection.files]
    try:
        yield from read_collection_texts(index, paths, docnos)
    except InvalidFile as bad:
        fault = bad.report.faults[0]
        raise ActionRefused("collection-changed", f"{fault.file}: {fault.message}", FIX) from bad


def check_file_unchanged(file: dict[str, object]) -> None:
    """Raise ``ActionRefused`` unless the file has the content that was registered.

    Size and time of the last change tell; a file with another time, as after a copy, is hashed.
    """
    name, path = str(file["name"]), Path(str(file["path"]))
    try:
        status = path.stat()
        if status.st_size == file["size"] and (
            status.st_mtime_ns == file["mtime_ns"]
            or hash_collection_file(path, status.st_size, status.st_mtime_ns) == file["sha256"]
        ):
            return
    except OSError as error:
        message = f"{name}: the file cannot be read ({error.strerror})."
        raise ActionRefused("collection-changed", message, FIX) from error
    message = f"{name}: the file has changed since the collection was registered."
    raise ActionRefused("collection-changed", message, FIX)


def hash_collection_file(path: Path, size: int, changed: int) -> str:
    def compute() -> str:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    return _hashes.get_or_compute((str(path), size, changed), compute)


def list_registrable_files(campaign: Campaign) -> list[Path]:
    """The files that the operator offers the campaign: those in the folder of its short name below
    ``POOLBENCH_COLLECTIONS``, by name.
    """
    if not settings.POOLBENCH_COLLECTIONS:
        return []
    folder = Path(settings.POOLBENCH_COLLECTIONS) / campaign.slug
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
