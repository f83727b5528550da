"""A budget of judgments, split over topics so that it adds up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pooling.core.candidates import Ints
from pooling.core.order import hash_order


def split_budget(total: int, available: ArrayLike, topics: Sequence[str], seed: int) -> Ints:
    """How many of ``total`` judgments each topic gets; ``available`` are its documents.

    All topics get the same number, but none more than it has. What cannot be shared evenly goes
    one by one to topics that have more, in seeded hash order. The sum is the smaller of
    ``total`` and all documents. Raises ``ValueError`` for a negative total. After the split of
    Lipani et al. 2017, which cuts the smallest topics to make ends meet.
    """
    if total < 0:
        raise ValueError("a budget is 0 or more")
    room = np.asarray(available, np.int64)
    level = equal_share(total, room)
    given = np.minimum(room, level)
    rest = min(total, int(room.sum())) - int(given.sum())
    wanting = np.flatnonzero(room > level).tolist()
    given[sorted(wanting, key=lambda at: hash_order(seed, topics[at], ""))[:rest]] += 1
    return given


def equal_share(total: int, room: Ints) -> int:
    """The largest number that every topic can get, or all that it has, within ``total``."""
    low, high = 0, int(room.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(room, middle).sum()) <= total:
            low = middle
        else:
            high = middle - 1
    return low
