"""Store and load run matrices and the campaign's pair dictionary."""

from __future__ import annotations

import numpy as np
from django.db import IntegrityError, transaction
from numpy.typing import NDArray

from campaigns import store
from campaigns.models import Campaign, CampaignTask, PairChunk, Run
from campaigns.queries.tasks import load_judged_before
from poolbench.cache import Cache
from poolbench.runs.residual import remove_coded_pairs
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
_judged_codes: Cache[tuple[object, ...], NDArray[np.bool_]] = Cache(4)
"""By campaign and qrels version; one byte for each pair."""
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
    """The accepted run by pair codes; of a run of a round, what was not judged before."""
    matrix = read_matrix(store.get_blob(run.matrix))
    if run.task is None or run.task.judged_before is None or not len(matrix.pairs):
        return matrix
    return remove_coded_pairs(matrix, mark_judged_codes(run.task, int(matrix.pairs.max())))


def mark_judged_codes(task: CampaignTask, most: int) -> NDArray[np.bool_]:
    """By code of the campaign's pairs, up to ``most`` at least: whether an earlier round has judged
    the pair.
    """

    def extend(marks: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        if marks is not None and len(marks) > most:
            return marks
        before, dictionary = load_judged_before(task), get_pair_dictionary(task.campaign)
        assert before is not None  # noqa: S101  # for mypy
        places = dictionary.places(before)
        marked: NDArray[np.bool_] = np.zeros(len(places), np.bool_)
        if len(before):
            marked = (places >= 0) & (before.grades[places] >= 0)
        return marked

    origin = task.campaign_id, task.campaign.created_at, task.judged_before
    return _judged_codes.renew(origin, extend)


def load_run_table(run: Run) -> RunTable:
    """The accepted run as strings, in trec_eval order."""
    return get_pair_dictionary(run.campaign).decode(load_run_matrix(run), run.tag)
