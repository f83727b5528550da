"""A judgment budget split over topics, adding up exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pooling.core.candidates import Ints
from pooling.core.order import hash_order


def split_budget(total: int, available: ArrayLike, topics: Sequence[str], seed: int) -> Ints:
    """How many of ``total`` judgments each topic gets; ``available`` counts its documents.

    All topics get the same number, at most what they have. What cannot be divided evenly goes
    one by one to topics with documents left, in seeded hash order. The sum is the smaller of
    ``total`` and the number of documents. Raises ``ValueError`` for a negative total. After the
    split of Lipani et al. 2017, which instead reduces the smallest topics to match the total.
    """
    if total < 0:
        raise ValueError("the budget must be 0 or more")
    room = np.asarray(available, np.int64)
    level = equal_share(total, room)
    shares = np.minimum(room, level)
    rest = min(total, int(room.sum())) - int(shares.sum())
    wanting = np.flatnonzero(room > level).tolist()
    shares[sorted(wanting, key=lambda at: hash_order(seed, topics[at], ""))[:rest]] += 1
    return shares


def equal_share(total: int, room: Ints) -> int:
    """The largest share per topic within ``total``, where smaller topics get all they have."""
    low, high = 0, int(room.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(room, middle).sum()) <= total:
            low = middle
        else:
            high = middle - 1
    return low
