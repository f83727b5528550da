"""How many new documents, and new relevant ones, each further rank of the pool brought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.collection.inputs import PooledCollection
from evaluation.core.judgments import Ints, Mask

CARD = Card(
    name="by-depth",
    title="New documents by depth",
    formula="new(k) = documents whose best rank in any pooled run is k; rate(k) = relevant "
    "among new(k) / judged among new(k)",
    reading="Whether the pool was deep enough: where further ranks bring next to nothing "
    "relevant, little is left to find for these runs.",
    source="Zobel, SIGIR 1998.",
    range="counts; rate: 0 to 1",
    edge_cases=(
        "Ranks are those of trec_eval's order, over the topics that the qrels have.",
        "Documents of the pool without a judgment are new, and count as neither.",
        "Depths go down to that of the pool, which is all that is known of the pooled runs alike.",
    ),
    undefined="rate: no new document of this depth is judged.",
)


@dataclass(frozen=True)
class DepthCounts:
    depth: int
    new: int
    judged: int
    relevant: int
    rate: float | None


def count_new_by_depth(found: PooledCollection) -> list[DepthCounts]:
    """One row a depth, from 1."""
    judged, relevant = (
        mask_by_document(found, mask) for mask in (found.is_judged, found.is_relevant)
    )
    size = found.pool.depth + 1
    columns = [
        np.bincount(found.pool.best[mask], minlength=size)[1:].tolist()
        for mask in (np.ones(len(judged), np.bool_), judged, relevant)
    ]
    return [
        DepthCounts(k, new, seen, good, good / seen if seen else None)
        for k, (new, seen, good) in enumerate(zip(*columns, strict=True), 1)
    ]


def mask_by_document(found: PooledCollection, mask: Mask) -> Mask:
    """By document of the pool: what ``mask`` says by line of the qrels, False without one."""
    place = found.pool.place
    listed = place >= 0
    there = np.zeros(len(place), np.bool_)
    there[listed] = mask[place[listed]]
    return there


def new_relevant_by_topic(found: PooledCollection) -> Ints:
    """Topics × depths: new relevant documents."""
    pool, relevant = found.pool, mask_by_document(found, found.is_relevant)
    cell = pool.topic[relevant] * pool.depth + pool.best[relevant] - 1
    shape = (len(found.judged.topics), pool.depth)
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
