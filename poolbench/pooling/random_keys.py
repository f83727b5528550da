"""What samples share: a seeded random order, and an allocation to strata."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poolbench.pooling.candidates import Ints, TopicCandidates, hash_order


def draw_random_keys(candidates: TopicCandidates, documents: Ints) -> Ints:
    """A seeded random number for each of ``documents``.

    The tie-breaking hash is unsuitable: where an earlier step cut a tie by it, the remaining
    documents have the higher hashes. Docnos contain no space, so keys never coincide with it.
    """
    seed, topic = candidates.seed, candidates.topic
    drawn = [hash_order(seed, topic, f"lot {docno}") for docno in candidates.docnos.take(documents)]
    return np.array(drawn, np.int64)


def apportion(number: int, requested: ArrayLike) -> Ints:
    """Allocate ``number`` to parts in proportion to ``requested``, at most that much to each.

    The sum is the smaller of ``number`` and the total requested. What rounding down leaves goes
    to the largest remainders, ties to the first part. Every part that requests anything gets at
    least 1, as far as ``number`` allows: taken from the largest part.
    """
    parts = np.asarray(requested, np.int64)
    whole = int(parts.sum())
    if number >= whole:
        return parts
    shares, left = np.divmod(parts * number, whole)
    rest = number - int(shares.sum())
    shares[np.argsort(-left, kind="stable")[:rest]] += 1
    for empty in np.flatnonzero((shares == 0) & (parts > 0)):
        if shares.max() > 1:
            shares[np.argmax(shares)] -= 1
            shares[empty] += 1
    return shares
