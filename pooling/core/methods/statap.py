"""A sample with unequal probabilities: what average precision would weigh most is likeliest."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from pooling.core.candidates import Floats, Mask, TopicCandidates
from pooling.core.method import DocumentSample, PoolingMethod, Values
from pooling.core.order import hash_order
from pooling.core.random_keys import draw_random_keys

STATAP = Card(
    name="statap",
    title="Sample for statAP",
    formula="W_r(d) = (1 + Σ for i from rank_r(d) to n_r of 1/i) / (2 n_r), n_r documents in run "
    "r; w(d) = mean over runs r of W_r(d); π(d) = min(1, c · w(d)), c such that Σ π = the number "
    "of documents",
    reading="Documents are drawn with probabilities by how much they weigh in average precision "
    "before anything is judged, so that statAP varies little.",
    source="Aslam, Pavlu and Yilmaz 2006 (the weights); Hartley and Rao 1962 (systematic "
    "sampling in random order).",
    range="0 to 1",
    edge_cases=(
        (
            "The number is `documents` or what the budget leaves; fewer than that are taken only "
            "where there are no more."
        ),
        (
            "Systematic: documents stand in an order drawn by seeded hash, each as long as its π; "
            "those at u, u + 1, u + 2, … are taken, u between 0 and 1 by seed. So the number is "
            "fixed and no document is drawn twice."
        ),
        (
            "π is exact for one document. For two together it is not known exactly: estimators of "
            "the error take draws for independent, which is about right for statAP and too "
            "wide for counts."
        ),
        "Documents that earlier steps chose are certain (probability 1) and not in Σ π.",
        "A run that retrieved nothing for the topic weighs nothing.",
    ),
)


def statap_weights(candidates: TopicCandidates) -> Floats:
    """By document: the prior of average precision, averaged over the runs. They sum to 1."""
    length = candidates.lengths[candidates.run]
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, length.max(initial=0) + 1))))
    tail = harmonic[length] - harmonic[candidates.rank - 1]
    answered = max(1, int((candidates.lengths > 0).sum()))
    return candidates.sums((1 + tail) / (2 * length) / answered)


def inclusion_probabilities(weight: Floats, number: int) -> Floats:
    """Probabilities in proportion to ``weight``, 1 at most, that sum to ``number``."""
    probability = np.ones(len(weight))
    if number >= len(weight):
        return probability
    order = np.argsort(-weight, kind="stable")
    ranked = weight[order]
    below = np.cumsum(ranked[::-1])[::-1]
    left = number - np.arange(len(ranked))
    # Taking the heaviest for certain lowers what is left to share; stop at the first below 1.
    certain = int(np.argmax(left * ranked < below))
    probability[order[certain:]] = (number - certain) * ranked[certain:] / below[certain]
    return probability


def statap_sample(
    candidates: TopicCandidates,
    values: Values,  # noqa: ARG001
    available: Mask,
    documents: int | None,
) -> DocumentSample:
    """The frame comes by falling probability; it has no strata."""
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
    """``number`` of a row of ``probability``, which sum to it: those at ``start`` + 0, 1, 2, …"""
    end = np.cumsum(probability)
    # Sums of fractions end beside the whole number by a hair.
    end[-1:] = number
    return np.diff(np.ceil(end - start), prepend=0) > 0


METHOD = PoolingMethod(STATAP, sample=statap_sample)
