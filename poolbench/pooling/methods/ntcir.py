"""NTCIRPOOL: the depth-k pool by number of contributing runs, then by sum of ranks."""

from __future__ import annotations

import numpy as np

from poolbench.cards import Card, Parameter
from poolbench.pooling.candidates import Ints, Mask, TopicCandidates
from poolbench.pooling.method import PoolingMethod, Values

NTCIR = Card(
    name="ntcir",
    title="NTCIRPOOL order",
    formula="pool(topic) = ∪ over runs r of the first k documents of r; sorted by the number of "
    "runs with d among their first k, descending, then by Σ of rank_r(d) over those runs, "
    "ascending",
    reading="The depth-k pool, with the documents that most runs contribute first.",
    source="Sakai, Tao and Zeng 2022.",
    range="1 to the number of runs; sums of ranks from 1 to k · number of runs",
    parameters=(Parameter("k", "Ranks taken from each run.", kind="whole"),),
    edge_cases=(
        "Documents that no run ranks among its first k are not pooled.",
        "Ranks deeper than k count neither as a run nor in the sum.",
        "To judge in this order, set the order of the judging plan to “best pool rank first”.",
    ),
)


def ntcir_depth_by_run(candidates: TopicCandidates, values: Values) -> Ints:
    """By run: the number of ranks taken."""
    return np.full(len(candidates.runs), values["k"], np.int64)


def ntcir_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:  # noqa: ARG001
    """The depth-k pool by number of runs, then by sum of ranks."""
    within = candidates.rank <= values["k"]
    runs = candidates.sums(within.astype(float))
    ranks = candidates.sums(np.where(within, candidates.rank, 0).astype(float))
    order = np.lexsort((candidates.tie, ranks, -runs))
    return order[runs[order] > 0]


METHOD = PoolingMethod(NTCIR, order=ntcir_order, reach=ntcir_depth_by_run)
