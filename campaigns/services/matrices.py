"""Store and load run matrices and the campaign's pair dictionary."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import overload

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.file_cache import FileCache
from campaigns.models import Campaign, CampaignTask, PairChunk, Run
from campaigns.queries.tasks import load_judged_before
from poolbench.cache import Cache
from poolbench.pooling.run_listing import truncate_matrix
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.residual import remove_coded_pairs
from poolbench.runs.run_matrix import (
    MatrixHead,
    PairArray,
    PairDictionary,
    RunMatrix,
    StoredPairs,
    iter_matrix_parts,
    iter_pair_parts,
    locate_matrix,
    open_pairs,
    read_matrix,
    read_pairs,
    select_pairs,
)
from poolbench.runs.segment_files import SegmentFolder
from poolbench.runs.tables import PairTable, RunTable

_dictionaries: Cache[int, PairDictionary] = Cache(2)
"""By campaign, with the chunks read so far."""
_judged_places: Cache[tuple[object, ...], PairPlaces] = Cache(4)
"""By campaign and qrels version."""
_heads: Cache[str, MatrixHead] = Cache(2_000)
"""By file: 10 kB for 600 topics."""
APPENDS = 100
MOST_PAIRS = 2**31 - 1
"""Codes are 32-bit integers."""
MAPPED = 1 << 16
"""A run of so many lines is mapped into memory while it is used, not read: from 800 kB on."""
MAPPED_CHUNK = 1 << 14
"""The same for chunks of the dictionary, which stay in memory otherwise: from some 400 kB on."""


def get_pair_dictionary(campaign: Campaign) -> PairDictionary:
    """The campaign's dictionary: all chunks in order. Chunks are immutable and named by
    their content, so a cached dictionary is valid as long as its chunks still come first.
    """

    def extend(cached: PairDictionary | None) -> PairDictionary:
        chunks = campaign.pair_chunks.order_by("start").values_list("path", "count")
        paths, counts = map(list, zip(*chunks, strict=True)) if chunks else ([], [])
        known = cached
        if known is None or paths[: len(known.names)] != known.names:
            folder = SegmentFolder(get_segment_folder() / str(campaign.pk), remove_excess_segments)
            known = PairDictionary(folder=folder)
        new = len(known.names)
        return known.extended(map(open_chunk, paths[new:], counts[new:]), paths[new:])

    return _dictionaries.renew(campaign.pk, extend)


def get_segment_folder() -> Path:
    """Where this machine has the segments of dictionaries, a folder for each campaign."""
    return Path(settings.VAR_DIR) / "cache" / "pairs"


def remove_excess_segments() -> None:
    """Keep the segments of all campaigns within the bound of this machine's caches."""
    limit = settings.POOLBENCH_CACHE_BYTES
    FileCache(get_segment_folder(), limit, "*.pairs").remove_least_used()


def remove_unused_segments() -> int:
    """Remove the folders of campaigns that are no longer there; return their number."""
    known = {str(pk) for pk in Campaign.objects.values_list("pk", flat=True)}
    folders = [path for path in get_segment_folder().glob("*") if path.name not in known]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return len(folders)


def open_chunk(name: str, count: int) -> StoredPairs:
    """The chunk in the file ``name``; a large one is mapped each time that docnos are read."""
    if count >= MAPPED_CHUNK:
        return open_pairs(partial(map_file, name))
    return read_pairs(store.get_blob(name))


def map_file(name: str) -> mmap:
    """The file of the content store, mapped: the system frees its pages where memory is short."""
    with store.find_blob_path(name).open("rb") as stream:
        return mmap(stream.fileno(), 0, access=ACCESS_READ)


def store_run_matrix(campaign: Campaign, table: RunTable) -> str:
    """Store ``table`` as a run matrix and return its name in the content store.

    New pairs are appended to the dictionary by compare-and-swap on ``PairChunk.start``: a
    writer that loses looks for them in what the other has appended and tries again.
    """
    codes: NDArray[np.int32] = np.full(len(table), -1, np.int32)
    pairs: PairTable = table
    for _ in range(APPENDS):
        dictionary, new = get_pair_dictionary(campaign), np.flatnonzero(codes < 0)
        codes[new] = dictionary.find(pairs)
        new = np.flatnonzero(codes < 0)
        pairs, start = select_pairs(table, new), len(dictionary)
        if len(new):
            check_room(start + len(new))
            if not append_pair_chunk(campaign, start=start, pairs=pairs):
                continue
            codes[new] = np.arange(start, start + len(new), dtype=np.int32)
        matrix = RunMatrix(table.topics, table.starts, codes, table.scores)
        return store.put_parts(iter_matrix_parts(matrix), ".columns")[0]
    raise RuntimeError(f"appending a chunk failed {APPENDS} times: other writers were first")


def check_room(pairs: int) -> None:
    """Raises ``ActionRefused`` if a campaign cannot have so many pairs."""
    if pairs > MOST_PAIRS:
        message = f"The runs of a campaign can have {MOST_PAIRS:,} pairs of topic and document."
        fix = "Collect further runs in a campaign of their own."
        raise ActionRefused("too-many-pairs", message, fix)


def append_pair_chunk(campaign: Campaign, *, start: int, pairs: PairArray) -> bool:
    """Add a chunk at ``start``; False if another writer was first."""
    path, *_ = store.put_parts(iter_pair_parts(pairs), ".columns")
    chunk = PairChunk(campaign=campaign, start=start, count=len(pairs), path=path)
    # Without an error, whose traceback would keep the arrays of this run in a cycle.
    PairChunk.objects.bulk_create([chunk], ignore_conflicts=True)
    return PairChunk.objects.filter(campaign=campaign, start=start, path=path).exists()


def load_run_matrix(run: Run) -> RunMatrix:
    """The accepted run by pair codes; of a run of a round, what was not judged before. A large one
    is mapped.
    """
    matrix = read_stored_matrix(run.matrix, is_mapped=run.lines >= MAPPED)
    if run.task is None or run.task.judged_before is None or not len(matrix.pairs):
        return matrix
    return remove_coded_pairs(matrix, find_judged_before(run.task, int(matrix.pairs.max())))


def read_stored_matrix(name: str, *, is_mapped: bool) -> RunMatrix:
    if not is_mapped:
        return read_matrix(store.get_blob(name))
    data = map_file(name)
    # Reading the names of 600 topics takes longer than everything else.
    topics, columns = _heads.get_or_compute(name, lambda: locate_matrix(data))
    return RunMatrix(topics, *(np.frombuffer(data, *column) for column in columns))


def find_judged_before(task: CampaignTask, most: int) -> PairPlaces:
    """The campaign's pairs, of codes up to ``most`` at least, that an earlier round has judged."""

    def extend(places: PairPlaces | None) -> PairPlaces:
        if places is not None and len(places) > most:
            return places
        before, dictionary = load_judged_before(task), get_pair_dictionary(task.campaign)
        assert before is not None  # noqa: S101  # for mypy
        return dictionary.places(select_pairs(before, np.flatnonzero(before.grades >= 0)))

    origin = task.campaign_id, task.campaign.created_at, task.judged_before
    return _judged_places.renew(origin, extend)


@dataclass(frozen=True)
class StoredMatrices(Sequence[RunMatrix]):
    """The matrices of ``runs``, each loaded where it is used."""

    runs: Sequence[Run]

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, index: int) -> RunMatrix: ...
    @overload
    def __getitem__(self, index: slice) -> "StoredMatrices": ...
    def __getitem__(self, index: int | slice) -> "RunMatrix | StoredMatrices":
        if isinstance(index, slice):
            return StoredMatrices(self.runs[index])
        return load_run_matrix(self.runs[index])


@dataclass(frozen=True)
class MatricesByTag(Mapping[str, RunMatrix]):
    """The same of ``runs`` by tag."""

    runs: Mapping[str, Run]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __getitem__(self, tag: str) -> RunMatrix:
        return load_run_matrix(self.runs[tag])


def load_run_top(run: Run, depth: int) -> RunTable:
    """The first ``depth`` documents of each topic of the accepted run, as strings."""
    matrix = truncate_matrix(load_run_matrix(run), depth, None)
    return get_pair_dictionary(run.campaign).decode(matrix, run.tag)


def load_run_table(run: Run) -> RunTable:
    """The accepted run as strings, in trec_eval order."""
    return get_pair_dictionary(run.campaign).decode(load_run_matrix(run), run.tag)
