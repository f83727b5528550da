"""Sort a run in trec_eval's order: score descending, then docno descending by code point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from campaigns.core.docnos import DocnoArray
from campaigns.core.grouping import TopicGroups
from campaigns.core.machine_words import Ints
from campaigns.core.tables import RunTable

Floats = NDArray[np.float64]


def sort_in_trec_order(
    tag: str, grouped: TopicGroups, docnos: DocnoArray, scores: Floats
) -> RunTable:
    """The table of rows given in file order. Topics already in order are not sorted again."""
    order = None if grouped.is_sorted else grouped.order()
    ordered = scores if order is None else scores[order]
    if unsorted := _unsorted_topics(ordered, grouped.starts):
        order = grouped.order() if order is None else order
        for index in unsorted:
            part = slice(int(grouped.starts[index]), int(grouped.starts[index + 1]))
            order[part] = order[part][np.argsort(-ordered[part])]
        ordered = scores[order]
    tied = _is_tied(ordered, grouped.starts)
    if tied.any():
        order = grouped.order() if order is None else order
        rows = np.flatnonzero(tied[1:] | tied[:-1])
        order[rows] = order[rows][_docno_order(docnos.take(order[rows]), ~tied[rows])]
        # Equal scores can differ in their bits: one may be -0.0.
        ordered = ordered.copy() if ordered is scores else ordered
        ordered[rows] = scores[order[rows]]
    docnos = docnos if order is None else docnos.take(order)
    return RunTable(tag, grouped.topics, grouped.starts, docnos, ordered)


def _unsorted_topics(scores: Floats, starts: Ints) -> list[int]:
    """The topics in which a score is higher than that of the row before."""
    rises = scores[1:] > scores[:-1]
    rises[starts[1:-1] - 1] = False
    steps = np.flatnonzero(rises)
    return [int(index) for index in np.unique(np.searchsorted(starts, steps, side="right") - 1)]


def _is_tied(scores: Floats, starts: Ints) -> NDArray[np.bool_]:
    """Whether each row has the topic and score of the row before; one more False at the end."""
    tied = np.zeros(len(scores) + 1, np.bool_)
    tied[1:-1] = scores[1:] == scores[:-1]
    tied[starts] = False
    return tied


def _docno_order(docnos: DocnoArray, is_first: NDArray[np.bool_]) -> Ints:
    """The order of rows by docno, descending, within groups; ``is_first`` starts each group."""
    group = np.cumsum(is_first)
    return np.argsort(group * len(docnos) - docnos.ranks())
