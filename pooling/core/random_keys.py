"""What samples share: a random order by seed, and a number shared among strata."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pooling.core.candidates import Ints, TopicCandidates
from pooling.core.order import hash_order


def draw_random_keys(candidates: TopicCandidates, documents: Ints) -> Ints:
    """A random number by seed for each of ``documents``.

    The hash that breaks ties will not do: where an earlier step cut a tie by it, what is left
    has the higher hashes. Docnos hold no blank, so no lot is the hash of another document.
    """
    seed, topic = candidates.seed, candidates.topic
    drawn = [hash_order(seed, topic, f"lot {docno}") for docno in candidates.docnos.take(documents)]
    return np.array(drawn, np.int64)


def apportion(number: int, wanted: ArrayLike) -> Ints:
    """How many of ``number`` each part gets, in proportion to ``wanted``; none more than that.

    The sum is the smaller of ``number`` and all that is wanted. What is left after rounding down
    goes to the largest remainders, of equal ones to the first. A part that wants something gets
    one at least, as far as ``number`` goes: from the part that has most.
    """
    parts = np.asarray(wanted, np.int64)
    whole = int(parts.sum())
    if number >= whole:
        return parts
    given, left = np.divmod(parts * number, whole)
    rest = number - int(given.sum())
    given[np.argsort(-left, kind="stable")[:rest]] += 1
    for empty in np.flatnonzero((given == 0) & (parts > 0)):
        if given.max() > 1:
            given[np.argmax(given)] -= 1
            given[empty] += 1
    return given
