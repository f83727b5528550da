"""Remarks on a valid run: ties whose order matters, and rankings nearly those of another run.

They are warnings with their numbers: a run is never rejected for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import FaultReport, escape_excerpt, format_count
from poolbench.reading.machine_words import Places
from poolbench.reading.reader import DocnoArray
from poolbench.runs.run_ranking import RankedRows, find_rises, iter_ranked_rows
from poolbench.runs.runs import SCORE, RunRows
from poolbench.runs.tables import RunTable

CUT_OFFS = (10, 100)
"""Where measures and pools commonly cut a ranking."""
TOP = 10
"""Documents of a topic that must be the same, in the same order, in nearly identical runs."""
NEARLY_ALL = 0.9
"""The least share of common topics in which they are."""
DEEP = 100
"""Documents of a topic of which the overlap is given."""
MOST_TOPICS = 500
"""Topics that are compared; of more, so many evenly spaced ones."""


@dataclass(frozen=True)
class MovedTies:
    """Documents with tied scores in another order than by docno, of some topics: how many, of how
    many topics. ``place``: the first of them, and the docno that is ranked there.
    """

    documents: int
    topics: int
    ranked: RankedRows
    place: int
    docno: str


def check_tie_order(source: ColumnFile, rows: RunRows, ranks: Places) -> None:
    """W15 where documents with tied scores have other ranks in the file than by docno,
    descending; where scores do not descend by rank, that is W05 instead.
    """
    found: list[MovedTies] = []
    for ranked in iter_ranked_rows(rows, ranks):
        if len(find_rises(ranked)):
            return
        if moved := find_moved_ties(ranked, rows.docnos):
            found.append(moved)
    if not found:
        return
    first = found[0]
    ranked, row = first.ranked, int(first.ranked.rows[first.place])
    documents = format_count(sum(moved.documents for moved in found), "document")
    topics = format_count(sum(moved.topics for moved in found), "topic")
    source.add_fault(
        "W15",
        f"{documents} of {topics} with tied"
        f" scores have another order in the file than in the ranking: in topic"
        f" {rows.grouped.topics[ranked.codes[first.place]]}, {escape_excerpt(rows.docnos[row], 40)}"
        f" has rank {ranked.ranks[first.place]}, but {escape_excerpt(first.docno, 40)} has the same"
        " score and is ranked there.",
        "Ties are broken by docno, descending. Use scores that decrease in your order.",
        line=rows.line(row),
        field=SCORE,
    )


def find_moved_ties(ranked: RankedRows, docnos: DocnoArray) -> MovedTies | None:
    equal = ranked.same_topic & (ranked.scores[:-1] == ranked.scores[1:])
    tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
    if not len(tied):
        return None
    ids = docnos.take(ranked.rows[tied])
    group = np.cumsum(~np.append(False, equal)[tied])
    order = np.lexsort((-ids.ranks(), group))
    moved = np.flatnonzero(order != np.arange(len(order)))
    if not len(moved):
        return None
    at = int(moved[0])
    topics = ranked.count_topics(tied[moved])
    return MovedTies(len(moved), topics, ranked, int(tied[at]), ids[int(order[at])])


def check_tied_cuts(report: FaultReport, table: RunTable, cut_offs: Iterable[int]) -> None:
    """W16 where documents just before and behind a cut-off have the same score."""
    counts: list[str] = []
    example = ""
    for cut in sorted({cut for cut in cut_offs if cut > 0}):
        deep = np.flatnonzero(np.diff(table.starts) > cut)
        last = table.starts[deep] + cut - 1
        tied = deep[table.scores[last] == table.scores[last + 1]]
        if len(tied):
            counts.append(f"rank {cut:,} in {format_count(len(tied), 'topic')}")
            example = example or _describe_tie(table, int(tied[0]), cut)
    if counts:
        message = f"Tied scores lie across a cut-off: {', '.join(counts)}. {example}"
        fix = (
            "The docno decides which of these documents a measure or pool with this cut-off sees."
            " Use distinct scores."
        )
        report.add("W16", message, fix)


def _describe_tie(table: RunTable, topic: int, cut: int) -> str:
    scores = table.scores[table.rows(topic)]
    ranks = np.flatnonzero(scores == scores[cut]) + 1
    return (
        f"In topic {table.topics[topic]}, ranks {ranks[0]:,} to {ranks[-1]:,} have the score"
        f" {scores[cut]:g}."
    )


@dataclass(frozen=True)
class RankingLikeness:
    """How alike two runs are in the ``topics`` that both answer: in ``same`` of them they have the
    same first ``TOP`` documents in the same order; ``overlap``: the mean share of documents that
    their first ``DEEP`` have in common.
    """

    topics: int
    same: int
    overlap: float

    @property
    def is_near(self) -> bool:
        return self.topics > 0 and self.same >= NEARLY_ALL * self.topics


def measure_likeness(table: RunTable, other: RunTable) -> RankingLikeness:
    """The likeness of two runs.

    >>> from poolbench.runs.runs import run_from_rows
    >>> first = run_from_rows("first", [("1", "a", 2), ("1", "b", 1), ("2", "a", 1)])
    >>> second = run_from_rows("second", [("1", "a", 8), ("1", "b", 4), ("2", "c", 1)])
    >>> measure_likeness(first, second)
    RankingLikeness(topics=2, same=1, overlap=0.5)
    """
    theirs = {topic: index for index, topic in enumerate(other.topics)}
    common = [(own, theirs[t]) for own, t in enumerate(table.topics) if t in theirs]
    pairs = _space_evenly(common)
    same, overlaps = 0, []
    for own, their in pairs:
        left, right = _list_top(table, own), _list_top(other, their)
        same += left[:TOP] == right[:TOP]
        overlaps.append(len({*left}.intersection(right)) / max(len(left), len(right)))
    return RankingLikeness(len(pairs), same, float(np.mean(overlaps)) if overlaps else 0.0)


def check_near_runs(report: FaultReport, table: RunTable, others: Iterable[RunTable]) -> None:
    """W14 for each of ``others``, runs of the same team, that is nearly the same."""
    for other in others:
        likeness = measure_likeness(table, other)
        if likeness.is_near:
            report.add(
                "W14",
                f"The run is nearly your run {escape_excerpt(other.tag, 40)}: the same first"
                f" {TOP} documents in the same order in {likeness.same} of"
                f" {format_count(likeness.topics, 'common topic')}; the first {DEEP} overlap by"
                f" {likeness.overlap:.1%}.",
                "Accepted; a run that differs more adds more to the pool. Check that this is the"
                " file you meant.",
            )


def _list_top(table: RunTable, topic: int) -> list[bytes]:
    rows = table.rows(topic)
    return table.docnos.texts(slice(rows.start, min(rows.stop, rows.start + DEEP)))


def _space_evenly(pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    if len(pairs) <= MOST_TOPICS:
        return pairs
    places: NDArray[np.int64] = np.linspace(0, len(pairs) - 1, MOST_TOPICS).astype(np.int64)
    return [pairs[at] for at in places]
