"""Writing and reading run matrices and the campaign's pair dictionary."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from campaigns import store
from campaigns.core.run_matrix import (
    PairArray,
    PairDictionary,
    RunMatrix,
    read_matrix,
    read_pairs,
    write_matrix,
    write_pairs,
)
from campaigns.core.tables import RunTable
from campaigns.models import Campaign, PairChunk, Run

_cached: dict[int, tuple[list[str], PairDictionary]] = {}
CACHED_CAMPAIGNS = 2
APPENDS = 100


def get_pair_dictionary(campaign: Campaign) -> PairDictionary:
    """The campaign's dictionary: all chunks in order. Chunks are immutable and named by
    their content, so a cached dictionary holds as long as its chunks still come first.
    """
    paths = list(campaign.pair_chunks.order_by("start").values_list("path", flat=True))
    read, known = _cached.pop(campaign.pk, ([], PairDictionary()))
    if paths[: len(read)] != read:
        read, known = [], PairDictionary()
    for path in paths[len(read) :]:
        known.extend(read_pairs(store.get_blob(path)))
    while len(_cached) >= CACHED_CAMPAIGNS:
        # Another thread may have dropped it meanwhile.
        _cached.pop(next(iter(_cached), 0), None)
    _cached[campaign.pk] = (paths, known)
    return known


def store_run_matrix(campaign: Campaign, table: RunTable) -> str:
    """Keep ``table`` as a run matrix and return its name in the content store.

    New pairs are appended to the dictionary by compare-and-swap on ``PairChunk.start``:
    a writer that lost reads what the other appended and tries again.
    """
    for _ in range(APPENDS):
        known = get_pair_dictionary(campaign)
        # Read first: another thread may extend the cached dictionary while this one looks.
        start = len(known)
        fresh = known.missing(table)
        if not len(fresh) or append_pair_chunk(campaign, start=start, pairs=fresh):
            return store.put_blob(
                write_matrix(get_pair_dictionary(campaign).encode(table)), ".columns"
            )
    raise RuntimeError(f"{APPENDS} times another writer was first to append a chunk")


def append_pair_chunk(campaign: Campaign, *, start: int, pairs: PairArray) -> bool:
    """Add a chunk at ``start``; False if another writer was first."""
    path = store.put_blob(write_pairs(pairs), ".columns")
    try:
        with transaction.atomic():
            PairChunk.objects.create(campaign=campaign, start=start, count=len(pairs), path=path)
    except IntegrityError:
        return False
    return True


def load_run_matrix(run: Run) -> RunMatrix:
    return read_matrix(store.get_blob(run.matrix))


def load_run_table(run: Run) -> RunTable:
    """The accepted run as strings, in trec_eval order."""
    return get_pair_dictionary(run.campaign).decode(load_run_matrix(run), run.tag)
