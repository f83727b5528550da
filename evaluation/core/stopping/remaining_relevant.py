"""How many relevant documents are to be expected among those that nobody has judged yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.collection.extrapolation import DRAWS, Extrapolation, extrapolate_counts
from evaluation.core.comparison.estimate import ResamplingOptions
from evaluation.core.judgments import Floats
from evaluation.core.stopping.pool_state import PoolState

Z = 1.959963984540054
"""The normal quantile of an interval of 95 %."""

NOTHING_JUDGED = "no document of the pool is judged"
NO_SAMPLE = (
    "documents do not come in random order, or some were judged for another pool: those judged are "
    "no sample of those that are not"
)
NO_DEPTH = "the pool is not all that its runs have down to one depth"

CARD = Card(
    name="remaining",
    title="Relevant documents left in the pool",
    formula="expected = Σ over topics of (N − n) · r / n, with N documents of the topic in the "
    "pool, n judged, r relevant; ± 1.96 √ Σ N² (1 − n / N) p (1 − p) / n, with "
    "p = (r + 1) / (n + 2); completeness = relevant found / (found + expected)",
    reading="What is gained by judging the rest of the pool: where documents come in random "
    "order, those judged are a random sample of each topic.",
    source="Stratified random sampling without replacement, topics as strata: Cochran, Sampling "
    "Techniques, 1977. Taking p by the rule of succession, so that a topic in which nothing was "
    "found yet is not taken for certain, is ours.",
    range="0 to the number of documents that are not judged",
    edge_cases=(
        "Topics in which nothing is judged are left out, and counted.",
        "Ends of the interval are cut to what is possible.",
        "A document counts by its first judgment.",
        "It says nothing of documents that are not in the pool.",
    ),
    undefined="documents come best first, the pool grows by what is found, or a document was "
    "judged for another pool or imported beyond the plan: then what is judged is no sample of the "
    "rest. Nothing is judged.",
)


@dataclass(frozen=True)
class RemainingEstimate:
    """``found`` relevant documents among ``judged`` ones; ``expected`` more among ``unjudged``,
    those of ``silent`` topics, in which nothing is judged, left out.
    """

    found: int
    judged: int
    unjudged: int
    silent: int
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    completeness: float | None = None
    reason: str | None = None


def estimate_remaining(held: PoolState, *, is_random: bool) -> RemainingEstimate:
    """``is_random``: documents of a topic come to assessors in random order."""
    size = np.bincount(held.topic, minlength=len(held.topics)).astype(np.float64)
    judged, relevant = (
        held.count(mask).astype(np.float64) for mask in (held.judged, held.relevant)
    )
    heard = judged > 0
    found, unjudged = int(relevant.sum()), (size - judged)[heard]
    known = (
        found,
        int(judged.sum()),
        int(unjudged.sum()),
        int(np.count_nonzero(~heard & (size > 0))),
    )
    if not heard.any():
        return RemainingEstimate(*known, reason=NOTHING_JUDGED)
    if not is_random and unjudged.any():
        return RemainingEstimate(*known, reason=NO_SAMPLE)
    n, r, total = judged[heard], relevant[heard], size[heard]
    expected = float((unjudged * r / n).sum())
    p = (r + 1) / (n + 2)
    apart = Z * float(np.sqrt((total**2 * (1 - n / total) * p * (1 - p) / n).sum()))
    return RemainingEstimate(
        *known,
        expected=expected,
        low=max(0.0, expected - apart),
        high=min(float(unjudged.sum()), expected + apart),
        completeness=found / (found + expected) if found + expected else None,
    )


def extrapolate_below_pool(
    held: PoolState, depth: int | None, *, is_random: bool, seed: int
) -> Extrapolation | str:
    """What the same runs would bring below the pool's ``depth`` (Zobel's curve over depths), or
    why that cannot be told. What a topic found so far is projected on all its documents; topics
    in which nothing is judged are left out.
    """
    if depth is None:
        return NO_DEPTH
    if not held.judged.any():
        return NOTHING_JUDGED
    if not is_random and not held.judged.all():
        return NO_SAMPLE
    heard = held.count(held.judged) > 0
    return extrapolate_counts(project_unjudged(held, depth)[heard], ResamplingOptions(seed, DRAWS))


def project_unjudged(held: PoolState, depth: int) -> Floats:
    """Topics × depths: relevant documents found, times the documents of the topic for each that
    is judged.
    """
    size = np.bincount(held.topic, minlength=len(held.topics))
    judged = held.count(held.judged)
    weight = size / np.maximum(judged, 1)
    there = held.relevant & (held.rank <= depth)
    cell = held.topic[there] * depth + held.rank[there] - 1
    shape = (len(held.topics), depth)
    counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    return counts * weight[:, None]
