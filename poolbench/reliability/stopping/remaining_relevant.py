"""Relevant documents expected among the unjudged ones."""

from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.evaluation.judgments import Floats
from poolbench.reliability.collection.extrapolation import DRAWS, Extrapolation, extrapolate_counts
from poolbench.reliability.stopping.discoveries import ALL, JUDGED, RELEVANT, PoolState
from poolbench.statistics.draws import ResamplingOptions

Z = 1.959963984540054
"""The normal quantile of a 95 % interval."""

NOTHING_JUDGED = "no document of the pool is judged"
NO_SAMPLE = (
    "documents are not judged in random order, or some were judged for another pool, so the judged "
    "documents are not a random sample"
)
NO_DEPTH = "the pool is not a depth-k pool"

CARD = Card(
    name="remaining",
    title="Relevant documents left in the pool",
    formula="expected = Σ over topics of (N − n) · r / n, with N documents of the topic in the "
    "pool, n judged, r relevant; ± 1.96 √ Σ N² (1 − n / N) p (1 − p) / n, with "
    "p = (r + 1) / (n + 2); completeness = relevant found / (found + expected)",
    reading="What judging the rest of the pool would find: if documents are judged in random "
    "order, the judged ones are a random sample of each topic.",
    source="Stratified random sampling without replacement, topics as strata: Cochran, Sampling "
    "Techniques, 1977. Estimating p by the rule of succession, so that a topic without relevant "
    "documents so far keeps its uncertainty, is ours.",
    range="0 to the number of unjudged documents",
    edge_cases=(
        "Topics without a judgment are left out; the page gives their number.",
        "The ends of the interval are clipped to the possible range.",
        "A document counts by its first judgment.",
        "It does not cover documents outside the pool.",
    ),
    undefined="documents are judged best first, the pool is adaptive, or a document was "
    "judged for another pool or imported beyond the plan: the judged documents are not a random "
    "sample of the pool. No document is judged.",
)


@dataclass(frozen=True)
class RemainingEstimate:
    """``relevant`` documents among ``judged`` ones; ``expected`` more among ``unjudged`` ones,
    without the ``topics_unjudged``, which have no judgment.
    """

    relevant: int
    judged: int
    unjudged: int
    topics_unjudged: int
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    completeness: float | None = None
    reason: str | None = None


def estimate_remaining(state: PoolState, *, is_random: bool) -> RemainingEstimate:
    """``is_random``: the documents of a topic are judged in random order."""
    size, judged, relevant = (
        state.count(stage).astype(np.float64) for stage in (ALL, JUDGED, RELEVANT)
    )
    begun = judged > 0
    relevant_total, unjudged = int(relevant.sum()), (size - judged)[begun]
    counts = (
        relevant_total,
        int(judged.sum()),
        int(unjudged.sum()),
        int(np.count_nonzero(~begun & (size > 0))),
    )
    if not begun.any():
        return RemainingEstimate(*counts, reason=NOTHING_JUDGED)
    if not is_random and unjudged.any():
        return RemainingEstimate(*counts, reason=NO_SAMPLE)
    n, r, total = judged[begun], relevant[begun], size[begun]
    expected = float((unjudged * r / n).sum())
    p = (r + 1) / (n + 2)
    margin = Z * float(np.sqrt((total**2 * (1 - n / total) * p * (1 - p) / n).sum()))
    return RemainingEstimate(
        *counts,
        expected=expected,
        low=max(0.0, expected - margin),
        high=min(float(unjudged.sum()), expected + margin),
        completeness=relevant_total / (relevant_total + expected)
        if relevant_total + expected
        else None,
    )


def extrapolate_below_pool(
    state: PoolState, depth: int | None, *, is_random: bool, seed: int
) -> Extrapolation | str:
    """Relevant documents of the same runs below the pool's ``depth`` (Zobel's curve over
    depths), or the reason why there is no estimate. The relevant documents of a topic are
    projected to all its documents; topics without a judgment are left out.
    """
    if depth is None:
        return NO_DEPTH
    judged = state.count(JUDGED)
    if not judged.any():
        return NOTHING_JUDGED
    if not is_random and (judged < state.count(ALL)).any():
        return NO_SAMPLE
    begun = judged > 0
    return extrapolate_counts(project_unjudged(state, depth)[begun], ResamplingOptions(seed, DRAWS))


def project_unjudged(state: PoolState, depth: int) -> Floats:
    """Topics × depths: relevant documents, weighted by documents / judged documents of the
    topic.
    """
    weight = state.count(ALL) / np.maximum(state.count(JUDGED), 1)
    counts = np.zeros((len(state.topics), depth), np.int64)
    within = (state.ranks >= 1) & (state.ranks <= depth)
    counts[:, state.ranks[within] - 1] = state.counts[RELEVANT][:, within]
    return counts * weight[:, None]
