"""What a pool is built from: the chosen runs, checked, cut to depth and named in a spec."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from campaigns import store
from campaigns.core.runmatrix import RunMatrix
from campaigns.core.tables import starts_of
from campaigns.errors import Refused
from campaigns.models import Campaign, Run
from campaigns.services import matrices
from pooling.core.registry import METHODS
from pooling.core.tables import PoolTable
from pooling.queries.runs import poolable_runs, topics_to_pool

MAX_RUNS = 65_535  # contributors are packed as uint16
METHOD = "depth"


def checked_runs(campaign: Campaign, runs: Iterable[Run]) -> list[Run]:
    """``runs`` as they stand now, by tag; each must be an accepted run of ``campaign``."""
    asked = {run.pk: run for run in runs}
    if not asked:
        raise Refused("no-runs", "No run is chosen.", "Choose the runs to pool.")
    if len(asked) > MAX_RUNS:
        raise Refused("too-many-runs", f"A pool is built from at most {MAX_RUNS:,} runs.")
    found = {run.pk: run for run in poolable_runs(campaign) if run.pk in asked}
    lost = sorted(str(run) for pk, run in asked.items() if pk not in found)
    if lost:
        names = ", ".join(lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        raise Refused(
            "not-accepted",
            f"Only accepted runs of this campaign can be pooled, which is not so for: {names}.",
            "Choose again; a run may have been replaced or withdrawn meanwhile.",
        )
    return sorted(found.values(), key=lambda run: run.tag)


def check_depth(campaign: Campaign, depth: int) -> None:
    if not 1 <= depth <= campaign.max_docs_per_topic:
        limit = f"a whole number from 1 to {campaign.max_docs_per_topic:,}"
        raise Refused("bad-depth", f"The depth is {limit}.", "Runs hold no more documents a topic.")


def spec_of(campaign: Campaign, depth: int, runs: Sequence[Run]) -> dict[str, Any]:
    """Everything that decides what the pool holds and in which order it is judged."""
    return {
        "version": 1,
        "method": METHOD,
        "depth": depth,
        "seed": campaign.seed,
        "cutoff": campaign.max_docs_per_topic,
        "topics": topics_to_pool(campaign),
        "runs": [
            {
                "id": run.pk,
                "tag": run.tag,
                "team": run.team.name,
                "sha256": run.sha256,
                "normalised_hash": run.normalised_hash,
            }
            for run in runs
        ],
    }


def hash_of(spec: dict[str, Any]) -> str:
    """sha256 of ``spec`` as canonical JSON: keys sorted, no blanks, UTF-8."""
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return store.sha256(text.encode())


def build(campaign: Campaign, runs: Sequence[Run], spec: dict[str, Any]) -> PoolTable:
    """The pool that ``spec`` describes, from the runs' matrices."""
    known, topics = matrices.dictionary_of(campaign), frozenset(spec["topics"])
    tables = [
        known.decode(first(matrices.matrix_of(run), spec["depth"], topics), run.tag) for run in runs
    ]
    table = METHODS[spec["method"]].build(tables, spec, spec["seed"])
    if not len(table):
        cure = "Import the topics that the runs answer, or choose other runs."
        raise Refused("empty-pool", "These runs bring no document for any topic.", cure)
    return table


def first(matrix: RunMatrix, depth: int, topics: Collection[str]) -> RunMatrix:
    """The first ``depth`` documents of each topic in ``topics``; no row for other topics."""
    wanted = np.array([topic in topics for topic in matrix.topics], bool)
    sizes = np.diff(matrix.starts)
    rank = np.arange(len(matrix.pairs)) - np.repeat(matrix.starts[:-1], sizes)
    kept = (rank < depth) & np.repeat(wanted, sizes)
    names = tuple(topic for topic in matrix.topics if topic in topics)
    starts = starts_of(np.minimum(sizes[wanted], depth))
    return RunMatrix(names, starts, matrix.pairs[kept], matrix.scores[kept])
