"""Which documents come to an assessor a second time, and how much later."""

import math
from fractions import Fraction
from hashlib import blake2b

SOONEST, LATEST = 12, 30
"""The fewest documents that the assessor judges between the first judgment and its repeat, and
the most of the topic while others are left.
"""


def repeats_after(documents: int, share: float, key: str) -> int:
    """The number of repeats that the first ``documents`` of an assessor in a topic lead to.

    The documents in their order are divided into blocks of ``1 / share`` (rounded so that the
    blocks stay in step), and one of each block is drawn by the hash of ``key`` and its number. So
    a total with its repeats is known from the start, and does not depend on which are drawn.
    """
    if documents <= 0 or share <= 0:
        return 0
    exact = min(Fraction(str(share)), Fraction(1))
    block = math.floor((documents - 1) * exact)
    first, last = math.ceil(block / exact) + 1, math.ceil((block + 1) / exact)
    drawn = first + int((last - first + 1) * hash_fraction(f"{key}:{block}"))
    return block + (drawn <= documents)


def future_repeats(judged: int, left: int, share: float, key: str) -> int:
    """The number of repeats still to be drawn after ``judged`` documents, with ``left`` to come.

    None of the last ``SOONEST``: too few documents would come before the repeat.
    """
    last = max(judged, judged + left - SOONEST)
    return repeats_after(last, share, key) - repeats_after(judged, share, key)


def is_drawn(judged: int, share: float, key: str) -> bool:
    """Whether the document that was judged as number ``judged`` is to come again."""
    return repeats_after(judged, share, key) > repeats_after(judged - 1, share, key)


def choose_gap(left: int, key: str) -> int:
    """How many documents of the topic later the repeat comes, of the ``left`` ones that remain."""
    latest = max(SOONEST, min(LATEST, left))
    return SOONEST + int((latest - SOONEST + 1) * hash_fraction(key))


def hash_fraction(key: str) -> float:
    """A number in [0, 1) that is the same for the same ``key``."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest()) / 2**64
