"""Compare the content store with the database rows that name its files."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from campaigns import store
from campaigns.models import Collection, DataFileVersion, Document, Job, PairChunk, Run
from judging.models import Qrels

NAMING_FIELDS: tuple[tuple[str, QuerySet[Any], str], ...] = (
    ("collection", Collection.objects.all(), "index"),
    ("document", Document.objects.all(), "file"),
    ("run", Run.objects.all(), "file"),
    ("run", Run.objects.all(), "matrix"),
    ("data file version", DataFileVersion.objects.all(), "path"),
    ("pair chunk", PairChunk.objects.all(), "path"),
    ("qrels", Qrels.objects.all(), "path"),
    ("qrels", Qrels.objects.all(), "manifest__aggregation__pairs_file"),
    ("qrels", Qrels.objects.all(), "manifest__aggregation__workers_file"),
)
"""Every field that holds the name of a file in the store; besides them, results of jobs do."""
STORED_NAME = re.compile(r"[0-9a-f]{2}/([0-9a-f]{64})[.a-z]*")
STEP = 1 << 20
CLEAN_AFTER_HOURS = 24.0
"""A file is written before the row that names it: younger files are left alone."""


@dataclass(frozen=True)
class StoreReport:
    """``missing`` and ``damaged`` are ``(name, the row that names it)``; ``unnamed`` are names."""

    named: int
    missing: tuple[tuple[str, str], ...]
    damaged: tuple[tuple[str, str], ...]
    unnamed: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        return not self.missing and not self.damaged


def check_stored_files() -> StoreReport:
    """Whether every named file is there with the content that its name is the SHA-256 of."""
    present, named = list_files_and_names()
    names = {name for name, _ in named}
    damaged = {name for name in names & present if not has_its_content(name)}
    return StoreReport(
        named=len(names),
        missing=tuple((name, row) for name, row in named if name not in present),
        damaged=tuple((name, row) for name, row in named if name in damaged),
        unnamed=tuple(sorted(present - names)),
    )


def list_unnamed_files() -> list[str]:
    """The names of the files in the store that no row names; their content is not read."""
    present, named = list_files_and_names()
    return sorted(present - {name for name, _ in named})


def list_files_and_names() -> tuple[frozenset[str], list[tuple[str, str]]]:
    """The names of the files that are present, and ``(name, row)`` for all that rows name."""
    # Files first, so that a file whose row is added now is not taken for an unnamed one.
    present = frozenset(file.name for file in store.list_blobs())
    return present, list(list_named_files())


def list_named_files() -> Iterator[tuple[str, str]]:
    """``(name, row)`` for every file that a row names; ``row`` says which, for a message."""
    for kind, rows, field in NAMING_FIELDS:
        named = rows.exclude(**{field: ""}).order_by("pk")
        campaign = "file__campaign__slug" if rows.model is DataFileVersion else "campaign__slug"
        for pk, slug, name in named.values_list("pk", campaign, field).iterator():
            if name is not None:
                yield name, f"{kind} {pk} of {slug} ({field})"
    for job in Job.objects.exclude(result={}).select_related("campaign").iterator():
        for key, name in job.result.items():
            if isinstance(name, str) and STORED_NAME.fullmatch(name):
                yield name, f"job {job.pk} of {job.campaign.slug} ({key})"


def has_its_content(name: str) -> bool:
    """Whether the file's SHA-256 is the one in its name."""
    match = STORED_NAME.fullmatch(name)
    digest = hashlib.sha256()
    with store.open_blob(name) as stream:
        while part := stream.read(STEP):
            digest.update(part)
    return match is not None and match[1] == digest.hexdigest()


def remove_unnamed_files(names: Iterable[str], *, hours: float = CLEAN_AFTER_HOURS) -> int:
    """Remove those of the unnamed files not written for ``hours``; return how many."""
    return sum(remove_old_file(name, hours) for name in names)


def remove_old_file(name: str, hours: float) -> bool:
    """Remove the file if it was last written more than ``hours`` ago."""
    try:
        if store.get_blob_age(name) < hours * 3600:
            return False
    except store.MissingFileError:
        return False
    store.remove_blob(name)
    return True
