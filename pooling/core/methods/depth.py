"""Depth-k pooling: the first k documents of every run."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Ints, Mask, TopicCandidates
from pooling.core.method import PoolingMethod, Values

DEPTH = Card(
    name="depth",
    title="Depth-k",
    formula="pool(topic) = ∪ over runs r of the first k documents of r, k the same for all "
    "runs or one a run",
    reading="Judges see what at least one run ranked among its first k, so precision at k "
    "of every pooled run is exact.",
    source="Spärck Jones and van Rijsbergen 1975; TREC since 1992.",
    range="between k and k · number of runs documents a topic",
    parameters=(Parameter("k", "Ranks taken from each run, or by run tag.", kind="depths"),),
    edge_cases=(
        "Ranks are assigned anew in trec_eval's order; the file's rank column is not used.",
        "A run with fewer than k documents for a topic gives all it has.",
        "Depth 0 leaves a run out; by tag, a tag that is not named is left out.",
    ),
)


def depth_by_run(candidates: TopicCandidates, values: Values) -> Ints:
    """By run: the ranks that are taken."""
    k = values["k"]
    by_run = [k if isinstance(k, int) else k.get(tag, 0) for tag in candidates.runs]
    return np.array(by_run, np.int64)


def depth_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:  # noqa: ARG001
    """What some run has within its depth, by best rank."""
    within = candidates.rank <= depth_by_run(candidates, values)[candidates.run]
    wanted = np.zeros(len(candidates), bool)
    wanted[candidates.doc[within]] = True
    order = candidates.best_first(-candidates.min_rank.astype(float))
    return order[wanted[order]]


METHOD = PoolingMethod(DEPTH, order=depth_order, reach=depth_by_run)
