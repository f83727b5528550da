"""Checks of a whole ranking: depth, ranks, ties, the order of topics.

Topics are checked some at a time, so that the arrays of one step stay in the processor's cache and
the memory of a check does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import format_count
from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Mask, Places
from poolbench.reading.reader import Floats, Ints
from poolbench.runs.runs import DOCNO, RANK, SCORE, TOPIC, RunRows
from poolbench.runs.tables import RunTable, split_topic_ranges


@dataclass(frozen=True)
class RankedRows:
    """The rows of some topics by topic, then rank; equal ranks by score descending. By position:
    row of the file, index of the topic, rank, score.
    """

    rows: Ints
    codes: Ints
    ranks: Ints
    scores: Floats

    @property
    def same_topic(self) -> Mask:
        """Whether each row but the last has the topic of the next one."""
        same: Mask = self.codes[:-1] == self.codes[1:]
        return same

    def sort(self) -> RankedRows:
        if (~self.same_topic | (self.ranks[:-1] < self.ranks[1:])).all():
            return self
        order = np.lexsort((-self.scores, self.ranks, self.codes))
        return RankedRows(
            self.rows[order], self.codes[order], self.ranks[order], self.scores[order]
        )

    def count_topics(self, places: Ints) -> int:
        return len(np.unique(self.codes[places]))


def iter_ranked_rows(rows: RunRows, ranks: Places) -> Iterator[RankedRows]:
    """All rows, some topics at a time. ``ranks`` are by row of the file."""
    grouped = rows.grouped
    for first, end in split_topic_ranges(grouped.starts, BLOCK):
        listed = grouped.rows(first, end)
        codes = np.repeat(np.arange(first, end), np.diff(grouped.starts[first : end + 1]))
        numbers = listed if isinstance(listed, np.ndarray) else np.arange(listed.start, listed.stop)
        own = ranks[listed].astype(np.int64)
        yield RankedRows(numbers, codes, own, rows.scores[listed]).sort()


def check_depths(source: ColumnFile, rows: RunRows, most: int | None) -> None:
    """E12, once per topic, at its first line over the limit."""
    if most is None:
        return
    grouped, sizes = rows.grouped, np.diff(rows.grouped.starts)
    for at in np.flatnonzero(sizes > most).tolist():
        topic, members = grouped.topics[at], grouped.rows(at, at + 1)
        row = members.start + most if isinstance(members, slice) else int(members[most])
        message = (
            f"Topic {topic} has {format_count(int(sizes[at]), 'document')}; the limit is {most:,}."
        )
        fix = f"Keep at most {most:,} documents per topic."
        source.add_fault("E12", message, fix, line=rows.line(row), field=DOCNO)


def check_ranking(source: ColumnFile, rows: RunRows, ranks: Places, table: RunTable) -> int:
    """W04 to W08, each at most once per file. Returns the number of tied documents."""
    check_ranks(source, rows, ranks)
    check_contiguous(source, rows)
    return check_ties(source, table)


def check_ranks(source: ColumnFile, rows: RunRows, ranks: Places) -> None:
    """W05 when a document of a later rank has a higher score, W07 when the ranks of a topic are not
    0, 1, 2, … or 1, 2, 3, …
    """
    risen, irregular = 0, 0
    first_rise: tuple[RankedRows, int] | None = None
    first_irregular = -1
    for ranked in iter_ranked_rows(rows, ranks):
        if len(wrong := find_rises(ranked)):
            risen += ranked.count_topics(wrong)
            first_rise = first_rise or (ranked, int(wrong[0]))
        if len(wrong := find_irregular_ranks(ranked)):
            irregular += ranked.count_topics(wrong)
            first_irregular = int(ranked.rows[wrong[0]]) if first_irregular < 0 else first_irregular
    if first_rise is not None:
        add_rise(source, rows, *first_rise, risen)
    if irregular:
        message = f"Ranks are not consecutive from 0 or 1 in {format_count(irregular, 'topic')}."
        fix = "Ranks are ignored. Check that no lines are missing."
        source.add_fault("W07", message, fix, line=rows.line(first_irregular), field=RANK)


def find_rises(ranked: RankedRows) -> Ints:
    """The places before a higher score of the same topic."""
    return np.flatnonzero(ranked.same_topic & (ranked.scores[:-1] < ranked.scores[1:]))


def find_irregular_ranks(ranked: RankedRows) -> Ints:
    same_topic = ranked.same_topic
    irregular = np.concatenate(([False], same_topic & (np.diff(ranked.ranks) != 1)))
    first = np.concatenate(([True], ~same_topic))
    return np.flatnonzero(irregular | (first & (ranked.ranks != 0) & (ranked.ranks != 1)))


def add_rise(source: ColumnFile, rows: RunRows, ranked: RankedRows, at: int, topics: int) -> None:
    """Add W05, of which ``at`` is the first place."""
    source.add_fault(
        "W05",
        f"Ranks and scores disagree in {format_count(topics, 'topic')}: in topic"
        f" {rows.grouped.topics[ranked.codes[at]]}, rank {ranked.ranks[at + 1]} has score"
        f" {ranked.scores[at + 1]:g}, above {ranked.scores[at]:g} at rank {ranked.ranks[at]}.",
        "Documents are ranked by score; ranks are ignored."
        " If the ranks are correct, use decreasing scores.",
        line=rows.line(int(ranked.rows[at + 1])),
        field=SCORE,
    )


def check_contiguous(source: ColumnFile, rows: RunRows) -> None:
    """W08 when the lines of a topic are not contiguous."""
    grouped = rows.grouped
    # A block of the file begins another stretch, not always another topic.
    begins = np.flatnonzero(np.diff(grouped.codes, prepend=-1))
    stretches = grouped.codes[begins]
    if len(stretches) == len(grouped.topics):
        return
    _, first = np.unique(stretches, return_index=True)
    again = np.setdiff1d(np.arange(len(stretches)), first)
    message = (
        f"The lines of {format_count(len(np.unique(stretches[again])), 'topic')} are not"
        " contiguous."
    )
    fix = "Accepted; some tools require the lines of a topic to be contiguous."
    line = rows.line(int(grouped.firsts[begins[again[0]]]))
    source.add_fault("W08", message, fix, line=line, field=TOPIC)


def check_ties(source: ColumnFile, table: RunTable) -> int:
    """W04 for equal scores, W06 for scores that are equal only as 32-bit numbers."""
    tied, narrow = count_ties(table)
    if tied:
        source.report.add(
            "W04",
            f"{tied:,} of {len(table):,} documents ({tied / len(table):.1%}) have the same score"
            " as another document of the topic.",
            "Ties are broken by docno, descending. Use distinct scores to control the order.",
        )
    if narrow > tied:
        source.report.add(
            "W06",
            f"{narrow - tied:,} documents have tied scores in tools that read 32-bit numbers.",
            "trec_eval 9 ranks them by docno. Use scores that differ by more.",
        )
    return tied


def count_ties(table: RunTable) -> tuple[int, int]:
    """How many documents share their score with another one, and how many in 32 bits."""
    tied = narrow = 0
    for first, end in split_topic_ranges(table.starts, BLOCK):
        starts = table.starts[first : end + 1]
        scores = table.scores[int(starts[0]) : int(starts[-1])]
        with np.errstate(over="ignore", under="ignore"):
            rounded = scores.astype(np.float32)
        tied += np.count_nonzero(_is_tied(scores, starts - starts[0]))
        narrow += np.count_nonzero(_is_tied(rounded, starts - starts[0]))
    return int(tied), int(narrow)


def _is_tied(scores: NDArray[np.floating], starts: Ints) -> Mask:
    """Which rows share their score with a neighbour of the same topic (rows by score)."""
    equal = scores[:-1] == scores[1:]
    borders = starts[1:-1]
    equal[borders - 1] = False
    tied = np.zeros(len(scores), np.bool_)
    tied[:-1] |= equal
    tied[1:] |= equal
    return tied
