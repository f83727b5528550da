"""Checks of a whole ranking: depth, ranks, ties, the order of topics."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import format_count
from poolbench.runs.run_fields import list_topic_rows
from poolbench.runs.runs import DOCNO, RANK, SCORE, TOPIC, RunRows
from poolbench.runs.tables import RunTable


@dataclass(frozen=True)
class RankedRows:
    """Rows as arrays, in file order: number, topic code, rank, score and line number. ``by_topic``
    has the row numbers sorted by topic.
    """

    topics: tuple[str, ...]
    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]
    lines: NDArray[np.int64]
    by_topic: NDArray[np.int64]

    @classmethod
    def from_rows(cls, rows: RunRows, ranks: NDArray[np.int64]) -> RankedRows:
        grouped, numbers = rows.grouped, np.arange(len(rows))
        columns = grouped.row_codes(), ranks, rows.scores, rows.lines
        return cls(grouped.topics, numbers, *columns, grouped.order())

    def by_rank(self) -> RankedRows:
        """Sorted by topic, then rank; equal ranks by score descending."""
        listed = self._select(self.by_topic)
        same_topic = listed.codes[:-1] == listed.codes[1:]
        if (~same_topic | (listed.ranks[:-1] < listed.ranks[1:])).all():
            return listed
        return self._select(np.lexsort((-self.scores, self.ranks, self.codes)))

    def _select(self, rows: NDArray[np.int64]) -> RankedRows:
        columns = ("rows", "codes", "ranks", "scores", "lines")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})


def check_depths(source: ColumnFile, rows: RunRows, most: int | None) -> None:
    """E12, once per topic, at its first line over the limit."""
    for topic, members in list_topic_rows(rows.grouped):
        if most is not None and len(members) > most:
            size = f"Topic {topic} has {format_count(len(members), 'document')}"
            message = f"{size}; the limit is {most:,}."
            fix = f"Keep at most {most:,} documents per topic."
            line = int(rows.lines[members[most]])
            source.add_fault("E12", message, fix, line=line, field=DOCNO)


def check_ranking(
    source: ColumnFile, ranking: RankedRows, by_rank: RankedRows, table: RunTable
) -> int:
    """W04 to W08, each at most once per file. Returns the number of tied documents."""
    check_rank_order(source, by_rank)
    check_rank_steps(source, by_rank)
    check_contiguous(source, ranking)
    return check_ties(source, table)


def check_ties(source: ColumnFile, table: RunTable) -> int:
    """W04 for equal scores, W06 for scores that are equal only as 32-bit numbers."""
    tied = np.count_nonzero(_is_tied(table.scores, table.starts))
    if tied:
        source.report.add(
            "W04",
            f"{tied:,} of {len(table):,} documents ({tied / len(table):.1%}) have the same score"
            " as another document of the topic.",
            "Ties are broken by docno, descending. Use distinct scores to control the order.",
        )
    with np.errstate(over="ignore", under="ignore"):
        narrow = table.scores.astype(np.float32).astype(np.float64)
    collapsed = np.count_nonzero(_is_tied(narrow, table.starts)) - tied
    if collapsed > 0:
        source.report.add(
            "W06",
            f"{collapsed:,} documents have tied scores in tools that read 32-bit numbers.",
            "trec_eval 9 ranks them by docno. Use scores that differ by more.",
        )
    return int(tied)


def check_rank_order(source: ColumnFile, ranking: RankedRows) -> None:
    """W05 when a document of a later rank has a higher score. ``ranking`` is by rank."""
    same_topic = ranking.codes[:-1] == ranking.codes[1:]
    wrong = np.flatnonzero(same_topic & (ranking.scores[:-1] < ranking.scores[1:]))
    if not len(wrong):
        return
    at = int(wrong[0])
    topics = len(np.unique(ranking.codes[wrong]))
    source.add_fault(
        "W05",
        f"Ranks and scores disagree in {format_count(topics, 'topic')}: in topic"
        f" {ranking.topics[ranking.codes[at]]}, rank {ranking.ranks[at + 1]} has score"
        f" {ranking.scores[at + 1]:g}, above {ranking.scores[at]:g} at rank {ranking.ranks[at]}.",
        "Documents are ranked by score; ranks are ignored."
        " If the ranks are correct, use decreasing scores.",
        line=int(ranking.lines[at + 1]),
        field=SCORE,
    )


def check_rank_steps(source: ColumnFile, ranking: RankedRows) -> None:
    """W07 when the ranks of a topic are not 0, 1, 2, … or 1, 2, 3, …"""
    same_topic = ranking.codes[:-1] == ranking.codes[1:]
    irregular = np.concatenate(([False], same_topic & (np.diff(ranking.ranks) != 1)))
    first = np.concatenate(([True], ~same_topic))
    irregular |= first & (ranking.ranks != 0) & (ranking.ranks != 1)
    wrong = np.flatnonzero(irregular)
    if not len(wrong):
        return
    message = (
        f"Ranks are not consecutive from 0 or 1 in"
        f" {format_count(len(np.unique(ranking.codes[wrong])), 'topic')}."
    )
    fix = "Ranks are ignored. Check that no lines are missing."
    source.add_fault("W07", message, fix, line=int(ranking.lines[wrong[0]]), field=RANK)


def check_contiguous(source: ColumnFile, ranking: RankedRows) -> None:
    """W08 when the lines of a topic are not contiguous."""
    starts = np.concatenate(([0], np.flatnonzero(np.diff(ranking.codes)) + 1))
    blocks = ranking.codes[starts]
    if len(blocks) == len(ranking.topics):
        return
    _, first = np.unique(blocks, return_index=True)
    again = np.setdiff1d(np.arange(len(blocks)), first)
    message = (
        f"The lines of {format_count(len(np.unique(blocks[again])), 'topic')} are not contiguous."
    )
    fix = "Accepted; some tools require the lines of a topic to be contiguous."
    source.add_fault("W08", message, fix, line=int(ranking.lines[starts[again[0]]]), field=TOPIC)


def _is_tied(scores: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows share their score with a neighbour of the same topic (rows by score)."""
    equal = scores[:-1] == scores[1:]
    borders = starts[1:-1]
    equal[borders - 1] = False
    tied = np.zeros(len(scores), np.bool_)
    tied[:-1] |= equal
    tied[1:] |= equal
    return tied
