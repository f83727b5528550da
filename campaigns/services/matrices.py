"""Store and load run matrices and the campaign's pair dictionary."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from campaigns import store
from campaigns.models import Campaign, PairChunk, Run
from poolbench.cache import Cache
from poolbench.runs.run_matrix import (
    PairArray,
    PairDictionary,
    RunMatrix,
    read_matrix,
    read_pairs,
    write_matrix,
    write_pairs,
)
from poolbench.runs.tables import RunTable

_dictionaries: Cache[int, tuple[list[str], PairDictionary]] = Cache(2)
"""By campaign: the chunks read so far, and their dictionary."""
APPENDS = 100


def get_pair_dictionary(campaign: Campaign) -> PairDictionary:
    """The campaign's dictionary: all chunks in order. Chunks are immutable and named by
    their content, so a cached dictionary is valid as long as its chunks still come first.
    """

    def extend(cached: tuple[list[str], PairDictionary] | None) -> tuple[list[str], PairDictionary]:
        paths = list(campaign.pair_chunks.order_by("start").values_list("path", flat=True))
        read, dictionary = cached or ([], PairDictionary())
        if paths[: len(read)] != read:
            read, dictionary = [], PairDictionary()
        for path in paths[len(read) :]:
            dictionary.extend(read_pairs(store.get_blob(path)))
        return paths, dictionary

    return _dictionaries.renew(campaign.pk, extend)[1]


def store_run_matrix(campaign: Campaign, table: RunTable) -> str:
    """Store ``table`` as a run matrix and return its name in the content store.

    New pairs are appended to the dictionary by compare-and-swap on ``PairChunk.start``: a
    writer that loses reads what the other has appended and tries again.
    """
    for _ in range(APPENDS):
        dictionary = get_pair_dictionary(campaign)
        # Before the lookup: another thread may extend the cached dictionary during it.
        start = len(dictionary)
        new_pairs = dictionary.missing(table)
        if not len(new_pairs) or append_pair_chunk(campaign, start=start, pairs=new_pairs):
            return store.put_blob(
                write_matrix(get_pair_dictionary(campaign).encode(table)), ".columns"
            )
    raise RuntimeError(f"appending a chunk failed {APPENDS} times: other writers were first")


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
