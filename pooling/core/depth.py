"""Depth-k pooling: the first k documents of every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from campaigns.core.cards import Card, Parameter
from campaigns.core.tables import RunTable, starts_of
from pooling.core.tables import PoolTable

DEPTH = Card(
    name="depth",
    title="Depth-k",
    formula="pool(topic) = ∪ over runs r of the first k documents of r, k the same for all "
    "runs or one a run",
    reading="Judges see what at least one run ranked among its first k, so precision at k "
    "of every pooled run is exact.",
    source="Spärck Jones and van Rijsbergen 1975; TREC since 1992.",
    range="between k and k · number of runs documents a topic",
    parameters=(Parameter("depth", "Ranks taken from each run, or by run tag."),),
    edge_cases=(
        "Ranks are assigned anew in trec_eval's order; the file's rank column is not used.",
        "A run with fewer than k documents for a topic gives all it has.",
        "The order of runs and of their lines changes nothing.",
        "Depth 0 leaves a run out.",
    ),
)

Found = dict[str, list[tuple[int, int]]]


def depth_pool(runs: Sequence[RunTable], depth: int | Mapping[str, int]) -> PoolTable:
    """The pool of ``runs``; a mapping gives the depth by tag, and a tag it lacks is left out.

    Topics are those that a pooled run answers. Raises ``ValueError`` for a negative depth
    or for two runs with one tag.
    """
    named = {run.tag: run for run in runs}
    if len(named) < len(runs):
        raise ValueError("two runs of a pool have the same tag")
    depths = {tag: depth if isinstance(depth, int) else depth.get(tag, 0) for tag in named}
    if min(depths.values(), default=0) < 0:
        raise ValueError("a depth is 0 or more")
    pooled = [named[tag] for tag in sorted(named) if depths[tag] > 0]
    places = [{topic: i for i, topic in enumerate(run.topics)} for run in pooled]
    topics = sorted(set().union(*places))
    found = [_topic_pool(pooled, places, topic, depths) for topic in topics]
    return _packed(tuple(run.tag for run in pooled), tuple(topics), found)


def _topic_pool(
    runs: Sequence[RunTable],
    places: Sequence[Mapping[str, int]],
    topic: str,
    depths: Mapping[str, int],
) -> Found:
    """``(rank, run)`` pairs by docno, docnos ascending, runs ascending for each."""
    found: Found = {}
    for number, (run, place) in enumerate(zip(runs, places, strict=True)):
        if (index := place.get(topic)) is None:
            continue
        start, stop = int(run.starts[index]), int(run.starts[index + 1])
        taken = run.docnos[start : min(stop, start + depths[run.tag])]
        for rank, docno in enumerate(taken, 1):
            found.setdefault(docno, []).append((rank, number))
    return dict(sorted(found.items()))


def _packed(runs: tuple[str, ...], topics: tuple[str, ...], found: Sequence[Found]) -> PoolTable:
    documents = [brought for by_docno in found for brought in by_docno.values()]
    contributors = chain.from_iterable((run for _, run in brought) for brought in documents)
    return PoolTable(
        runs=runs,
        topics=topics,
        starts=starts_of([len(by_docno) for by_docno in found]),
        docnos=[docno for by_docno in found for docno in by_docno],
        min_rank=np.array([min(brought)[0] for brought in documents], np.int32),
        bounds=starts_of([len(brought) for brought in documents]),
        contributors=np.fromiter(contributors, np.int32),
    )
