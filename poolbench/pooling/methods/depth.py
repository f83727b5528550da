"""Depth-k pooling: the first k documents of every run, by best rank or in NTCIRPOOL's order."""

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Ints, Mask, TopicCandidates
from poolbench.pooling.method import PoolingMethod, Values


def depth_by_run(candidates: TopicCandidates, values: Values) -> Ints:
    """By run: the number of ranks taken."""
    k = values["k"]
    by_run = [k if isinstance(k, int) else k.get(tag, 0) for tag in candidates.runs]
    return np.array(by_run, np.int64)


def depth_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:  # noqa: ARG001
    """The documents within the depth of any run, by best rank."""
    within = candidates.rank <= depth_by_run(candidates, values)[candidates.run]
    is_pooled = np.zeros(len(candidates), bool)
    is_pooled[candidates.doc[within]] = True
    order = candidates.best_first(-candidates.min_rank.astype(float))
    return order[is_pooled[order]]


def ntcir_order(candidates: TopicCandidates, values: Values, available: Mask) -> Ints:  # noqa: ARG001
    """The depth-k pool by number of runs, then by sum of ranks."""
    within = candidates.rank <= values["k"]
    runs = candidates.sums(within.astype(float))
    ranks = candidates.sums(np.where(within, candidates.rank, 0).astype(float))
    order = np.lexsort((candidates.tie, ranks, -runs))
    return order[runs[order] > 0]


DEPTH = PoolingMethod(
    name="depth",
    title="Depth-k",
    formula="pool(topic) = ∪ over runs r of the first k documents of r, with one k for all "
    "runs or one per run",
    reading="Every document that at least one run ranks in its top k is judged, so precision at k "
    "is exact for every contributing run.",
    source="Spärck Jones and van Rijsbergen 1975; TREC since 1992.",
    range="k to k · number of runs documents per topic",
    parameters=(
        Parameter("k", "Ranks taken from each run: one number, or one per run tag.", kind="depths"),
    ),
    edge_cases=(
        "Ranks are reassigned in trec_eval's order; the file's rank column is not used.",
        "A run with fewer than k documents for a topic contributes all of them.",
        "Depth 0 excludes a run. With depths per run tag, tags that are not listed are excluded.",
    ),
    order=depth_order,
    reach=depth_by_run,
)
NTCIR = PoolingMethod(
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
    order=ntcir_order,
    reach=depth_by_run,
)
