"""A sample with unequal probabilities, by prior weight in average precision."""

from __future__ import annotations

import numpy as np

from poolbench.pooling.candidates import Floats, Mask, TopicCandidates, hash_order
from poolbench.pooling.method import DocumentSample, PoolingMethod, Values
from poolbench.pooling.random_keys import draw_random_keys


def statap_weights(candidates: TopicCandidates) -> Floats:
    """By document: the prior weight in average precision, averaged over runs. The sum is 1."""
    length = candidates.lengths[candidates.run]
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, length.max(initial=0) + 1))))
    tail = harmonic[length] - harmonic[candidates.rank - 1]
    answered = max(1, int((candidates.lengths > 0).sum()))
    return candidates.sums((1 + tail) / (2 * length) / answered)


def inclusion_probabilities(weight: Floats, number: int) -> Floats:
    """Probabilities proportional to ``weight``, at most 1, with sum ``number``."""
    probability = np.ones(len(weight))
    if number >= len(weight):
        return probability
    order = np.argsort(-weight, kind="stable")
    ranked = weight[order]
    below = np.cumsum(ranked[::-1])[::-1]
    left = number - np.arange(len(ranked))
    # Each certain document lowers the rest; stop at the first probability below 1.
    certain = int(np.argmax(left * ranked < below))
    probability[order[certain:]] = (number - certain) * ranked[certain:] / below[certain]
    return probability


def statap_sample(
    candidates: TopicCandidates,
    values: Values,  # noqa: ARG001
    available: Mask,
    documents: int | None,
) -> DocumentSample:
    """The frame is sorted by descending probability and has no strata."""
    weight = statap_weights(candidates)
    order = candidates.best_first(weight)
    frame = order[available[order]]
    number = len(frame) if documents is None else min(documents, len(frame))
    probability = inclusion_probabilities(weight[frame], number)
    drawn = probability >= 1
    chance = np.flatnonzero(~drawn)
    lot = chance[np.argsort(draw_random_keys(candidates, frame[chance]), kind="stable")]
    start = hash_order(candidates.seed, candidates.topic, "where the sample starts") / 2**63
    drawn[lot] = systematic_sample(probability[lot], number - int(drawn.sum()), start)
    return DocumentSample(frame, np.zeros(len(frame), np.int64), probability, drawn)


def systematic_sample(probability: Floats, number: int, start: float) -> Mask:
    """Systematic draw of ``number`` = Σ ``probability``: those at ``start`` + 0, 1, 2, …"""
    end = np.cumsum(probability)
    # Rounding: the sum of fractions misses the integer by a few ulps.
    end[-1:] = number
    return np.diff(np.ceil(end - start), prepend=0) > 0


METHOD = PoolingMethod(
    name="statap",
    title="statAP sample",
    formula="W_r(d) = (1 + Σ for i from rank_r(d) to n_r of 1/i) / (2 n_r), n_r documents in run "
    "r; w(d) = mean over runs r of W_r(d); π(d) = min(1, c · w(d)), c such that Σ π = the sample "
    "size",
    reading="Inclusion probabilities follow the prior weight of each document in average "
    "precision, so that statAP has a low variance.",
    source="Aslam, Pavlu and Yilmaz 2006 (the weights); Hartley and Rao 1962 (systematic "
    "sampling in random order).",
    range="0 to 1",
    edge_cases=(
        (
            "The sample size is `documents` or the remaining budget; it is smaller only if there "
            "are fewer documents."
        ),
        (
            "Systematic: documents are put in a seeded random order, each with length π; those at "
            "u, u + 1, u + 2, … are drawn, with u between 0 and 1 by seed. The sample size is "
            "therefore fixed, and no document is drawn twice."
        ),
        (
            "π is exact for single documents. Joint probabilities are not known exactly: "
            "estimators of the error treat draws as independent, which is about right for statAP "
            "and too wide for counts."
        ),
        "Documents selected by earlier steps are certain (probability 1) and not in Σ π.",
        "Runs without documents for the topic have no weight.",
    ),
    sample=statap_sample,
)
