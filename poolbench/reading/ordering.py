"""Rank rows within groups: score descending, then ID descending by code point.

Files are usually in that order already, so only what is not is sorted: first the groups in which
a score rises, by score alone; then, over all groups at once, the rows that tie with a neighbor, by
ID. Sorting by score need not be stable, since the second step orders every tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolbench.reading.docnos import DocnoArray
from poolbench.reading.machine_words import Ints, Mask

Floats = NDArray[np.float64]


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
    return [int(group) for group in np.unique(np.searchsorted(starts, steps, side="right") - 1)]


def _is_tied(scores: Floats, starts: Ints) -> Mask:
    """Whether each row has the group and score of the row before; one more False at the end."""
    tied = np.zeros(len(scores) + 1, np.bool_)
    tied[1:-1] = scores[1:] == scores[:-1]
    tied[starts] = False
    return tied


def _docno_order(docnos: DocnoArray, is_first: Mask) -> Ints:
    """The order of rows by docno, descending, within ties; ``is_first`` starts each tie.

    One sort by one number: the tie's number times n, minus the docno's rank among the n docnos.
    The ranks are from 0 to n - 1, so no rank reaches into the next tie, and n * n fits into 63
    bits up to 3 billion rows.
    """
    tie = np.cumsum(is_first)
    return np.argsort(tie * len(docnos) - docnos.ranks())
