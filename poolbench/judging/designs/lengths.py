"""Order documents so that short and long ones come in blocks."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

BLOCK = 10
"""Documents in a block."""


def order_in_length_blocks(lengths: Sequence[int]) -> list[int]:
    """The order of judging of documents of these ``lengths``, as indices.

    The shorter half and the longer half take turns in blocks of ``BLOCK``, a short block first, so
    that no long row of long documents comes and the eye stays with one kind of text for a while.
    Within each half the order of ``lengths`` remains, which should be a random one; documents of
    the same length go by it too. The halves' sizes differ by one at most, so that both last to the
    end.

    Source: ours. Effort grows with the length of a document (Villa and Halvey, SIGIR 2013).

    >>> order_in_length_blocks([5, 900, 3, 700])
    [0, 2, 1, 3]
    """
    by_length = sorted(range(len(lengths)), key=lambda at: (lengths[at], at))
    half = (len(lengths) + 1) // 2
    blocks = zip_longest(*(_cut(sorted(part)) for part in (by_length[:half], by_length[half:])))
    return [at for pair in blocks for block in pair if block for at in block]


def _cut(indices: list[int]) -> Iterator[tuple[int, ...]]:
    starts = range(0, len(indices), BLOCK)
    return (tuple(indices[start : start + BLOCK]) for start in starts)
