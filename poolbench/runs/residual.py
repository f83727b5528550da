"""Residual rankings and qrels: without the documents that were judged before.

With rounds of relevance feedback, systems have seen the judgments of the earlier rounds; so the
documents judged in these leave the rankings, which close up, and the qrels (Salton & Buckley 1990;
Voorhees et al. 2020). A grade below 0 is no judgment: such a document stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from poolbench.runs.inputs import QrelsSource, RunLike, read_qrels_table, read_run
from poolbench.runs.pair_index import PairIndex
from poolbench.runs.tables import PairTable, QrelsTable, RunTable, group_starts

if TYPE_CHECKING:
    from poolbench.runs.pair_places import PairPlaces
    from poolbench.runs.run_matrix import RunMatrix

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


def remove_judged(run: RunLike, qrels: QrelsSource) -> RunTable:
    """The run without the documents that ``qrels`` have judged; the others move up.

    Parameters
    ----------
    run : path, bytes, dict, DataFrame or RunTable
        See ``read_run``.
    qrels : path, bytes, dict, DataFrame or table
        The judgments of earlier rounds. A grade below 0 is no judgment: such a document stays.

    Returns
    -------
    RunTable
        The residual ranking. A topic of which nothing is left is not in it.

    Examples
    --------
    >>> import poolbench as pb
    >>> run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> list(pb.remove_judged(run, {"1": {"a": 2, "b": -1}}).docnos)
    ['b', 'c']
    """
    table = read_run(run)
    topics, starts, rows = select_remaining(table, ~mark_judged(table, read_qrels_table(qrels)))
    docnos, scores = table.docnos.take(rows), table.scores[rows]
    return replace(table, topics=topics, starts=starts, docnos=docnos, scores=scores)


def remove_judged_pairs(qrels: QrelsTable, before: QrelsTable) -> QrelsTable:
    """``qrels`` without what ``before`` has judged: those of the round alone."""
    topics, starts, rows = select_remaining(qrels, ~mark_judged(qrels, before))
    return QrelsTable(topics, starts, qrels.docnos.take(rows), qrels.grades[rows])


def remove_coded_pairs(matrix: RunMatrix, removed: PairPlaces) -> RunMatrix:
    """``matrix`` without the pairs whose codes are in ``removed``."""
    topics, starts, rows = select_remaining(matrix, ~removed.contains(matrix.pairs))
    return replace(
        matrix, topics=topics, starts=starts, pairs=matrix.pairs[rows], scores=matrix.scores[rows]
    )


def mark_judged(table: PairTable, before: QrelsTable) -> Mask:
    """Which rows of ``table`` have been judged in ``before``."""
    places = PairIndex.from_table(before).find(table)
    if not len(before):
        return np.zeros(len(places), np.bool_)
    marked: Mask = (places >= 0) & (before.grades[places] >= 0)
    return marked


def select_remaining(
    table: PairTable | RunMatrix, remaining: Mask
) -> tuple[tuple[str, ...], Rows, Rows]:
    """The topics, starts and rows of what is left; topics without rows are left out."""
    rows = np.flatnonzero(remaining)
    sizes = np.diff(np.searchsorted(rows, table.starts))
    topics: Sequence[str] = table.topics
    left = tuple(topic for topic, size in zip(topics, sizes.tolist(), strict=True) if size)
    return left, group_starts(sizes[sizes > 0]), rows
