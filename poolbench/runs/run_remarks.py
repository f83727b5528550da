"""Remarks on a valid run: ties whose order matters, and rankings nearly those of another run.

They are warnings with their numbers: a run is never rejected for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import FaultReport, escape_excerpt, format_count
from poolbench.runs.rank_order import RankOrder
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


def check_tie_order(source: ColumnFile, rows: RunRows, order: RankOrder) -> None:
    """W15 where documents with tied scores have other ranks in the file than by docno,
    descending; where scores do not descend by rank, that is W05 instead.
    """
    if (tie := order.tie) is None or order.rise is not None:
        return
    source.add_fault(
        "W15",
        f"{format_count(order.moved, 'document')} of {format_count(order.moved_topics, 'topic')}"
        f" with tied scores have another order in the file than in the ranking: in topic"
        f" {tie.topic}, {escape_excerpt(rows.docnos[tie.row], 40)} has rank"
        f" {tie.rank}, but {escape_excerpt(tie.ranked, 40)} has the same score and is ranked"
        " there.",
        "Ties are broken by docno, descending. Use scores that decrease in your order.",
        line=rows.line(tie.row),
        field=SCORE,
    )


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
