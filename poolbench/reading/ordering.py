"""Rank rows within groups: score descending, then ID descending by code point.

Files are usually in that order already, so only what is not is sorted: first the groups in which
a score rises, by score alone; then, over all groups at once, the rows that tie with a neighbor, by
ID. Sorting by score need not be stable, since the second step orders every tie.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.docnos import DocnoArray
from poolbench.reading.machine_words import Ints, Mask, Places, Words

Floats = NDArray[np.float64]

_FEW = 32
"""Ties of at most so many rows are ordered by comparing each with each."""


class RankedOrder(NamedTuple):
    """The rows in rank order, None if they are so already; and their scores in that order."""

    rows: Ints | None
    scores: Floats


def rank_rows(
    starts: Ints, scores: Floats, docnos: DocnoArray, rows: Ints | None = None
) -> RankedOrder:
    """Rank the rows of each group by score, then ID, both descending. Scores are not NaN.

    Group ``i`` is ``rows[starts[i]:starts[i + 1]]``, and none is empty; without ``rows`` the rows
    are by group already. ``rows`` is overwritten.
    """
    ordered = scores if rows is None else scores[rows]
    if unsorted := _find_unsorted_groups(ordered, starts):
        rows = np.arange(len(scores)) if rows is None else rows
        for group in unsorted:
            part = slice(int(starts[group]), int(starts[group + 1]))
            rows[part] = rows[part][np.argsort(-ordered[part])]
        ordered = scores[rows]
    tied = _is_tied(ordered, starts)
    if tied.any():
        rows = np.arange(len(scores)) if rows is None else rows
        places = np.flatnonzero(tied[1:] | tied[:-1])
        rows[places] = rows[places][_docno_order(docnos.take(rows[places]), ~tied[places])]
        # Equal scores can differ in their bits: one may be -0.0.
        ordered = ordered.copy() if ordered is scores else ordered
        ordered[places] = scores[rows[places]]
    return RankedOrder(rows, ordered)


def _find_unsorted_groups(scores: Floats, starts: Ints) -> list[int]:
    """The groups in which a score is higher than that of the row before."""
    rises = scores[1:] > scores[:-1]
    rises[starts[1:-1] - 1] = False
    steps = np.flatnonzero(rises)
    if not len(steps):
        return []
    return sorted({*(np.searchsorted(starts, steps, side="right") - 1).tolist()})


def _is_tied(scores: Floats, starts: Ints) -> Mask:
    """Whether each row has the group and score of the row before; one more False at the end."""
    tied = np.zeros(len(scores) + 1, np.bool_)
    tied[1:-1] = scores[1:] == scores[:-1]
    tied[starts] = False
    return tied


def _docno_order(docnos: DocnoArray, is_first: Mask) -> Ints:
    """The order of rows by docno, descending, within ties; ``is_first`` starts each tie."""
    tie = np.cumsum(is_first, dtype=np.int32)
    largest = int(np.bincount(tie).max())
    keys = docnos.sort_keys() if largest <= _FEW else None
    return _sort_ties(tie, docnos) if keys is None else _count_in_ties(tie, keys, largest)


def _sort_ties(tie: Places, docnos: DocnoArray) -> Ints:
    """One sort by one number: the tie's number times n, minus the docno's rank among the n docnos.

    The ranks are from 0 to n - 1, so no rank reaches into the next tie, and n * n fits into 63
    bits up to 3 billion rows.
    """
    return np.argsort(tie.astype(np.int64) * len(docnos) - docnos.ranks())


def _count_in_ties(tie: Places, keys: list[Words | Places], largest: int) -> Ints:
    """The place of a row in its tie is the number of rows with a larger docno: each row is compared
    with the next one, the next but one and so on, all rows at once. A sort compares the rows of a
    small tie as often, but one by one.
    """
    places = np.flatnonzero(np.diff(tie, prepend=0))
    place = np.repeat(places, np.diff(places, append=len(tie)))
    for step in range(1, largest):
        firsts = np.flatnonzero(tie[step:] == tie[:-step])
        seconds = firsts + step
        behind = _is_less(keys, firsts, seconds)
        place[firsts] += behind
        place[seconds] += ~behind
    order = np.empty(len(tie), np.int64)
    order[place] = np.arange(len(tie))
    return order


def _is_less(keys: list[Words | Places], rows: Ints, others: Ints) -> Mask:
    """Whether the first key that differs is less in ``rows`` than in ``others``."""
    less = np.zeros(len(rows), np.bool_)
    for key in reversed(keys):
        own, other = key[rows], key[others]
        less &= own == other
        less |= own < other
    return less
