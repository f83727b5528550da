"""New documents, and new relevant ones, at each pool depth."""

from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.judgments import Ints, Mask
from poolbench.reliability.collection.inputs import PooledCollection

CARD = Card(
    name="by-depth",
    title="New documents by depth",
    formula="new(k) = documents whose best rank in any contributing run is k; rate(k) = relevant "
    "among new(k) / judged among new(k)",
    reading="Whether the pool was deep enough: if the last ranks added almost no relevant "
    "documents, these runs have few left to find.",
    source="Zobel, SIGIR 1998.",
    range="counts; rate: 0 to 1",
    edge_cases=(
        "Ranks follow trec_eval's order, over the topics of the qrels.",
        "Unjudged documents of the pool count as new, but neither as judged nor as relevant.",
        "Depths end at the pool depth, the last one to which all contributing runs were judged.",
    ),
    undefined="rate: no new document at this depth is judged.",
)


@dataclass(frozen=True)
class DepthCounts:
    depth: int
    new: int
    judged: int
    relevant: int
    rate: float | None


def count_new_by_depth(collection: PooledCollection) -> list[DepthCounts]:
    """One row per depth, from 1."""
    judged, relevant = (
        mask_by_document(collection, mask)
        for mask in (collection.is_judged, collection.is_relevant)
    )
    size = collection.pool.depth + 1
    columns = [
        np.bincount(collection.pool.best[mask], minlength=size)[1:].tolist()
        for mask in (np.ones(len(judged), np.bool_), judged, relevant)
    ]
    return [
        DepthCounts(k, new, judged_here, good, good / judged_here if judged_here else None)
        for k, (new, judged_here, good) in enumerate(zip(*columns, strict=True), 1)
    ]


def mask_by_document(collection: PooledCollection, mask: Mask) -> Mask:
    """``mask``, given by line of the qrels, by document of the pool; False without a line."""
    place = collection.pool.place
    in_qrels = place >= 0
    result = np.zeros(len(place), np.bool_)
    result[in_qrels] = mask[place[in_qrels]]
    return result


def new_relevant_by_topic(collection: PooledCollection) -> Ints:
    """Topics × depths: new relevant documents."""
    pool, relevant = collection.pool, mask_by_document(collection, collection.is_relevant)
    cell = pool.topic[relevant] * pool.depth + pool.best[relevant] - 1
    shape = (len(collection.judged.topics), pool.depth)
    return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
