"""Checks of a whole ranking: depth, ranks, ties, the order of topics."""

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import format_count
from poolbench.reading.docnos import BLOCK
from poolbench.reading.machine_words import Mask
from poolbench.reading.reader import Ints
from poolbench.runs.rank_order import RankOrder
from poolbench.runs.runs import DOCNO, RANK, SCORE, TOPIC, RunRows
from poolbench.runs.tables import RunTable, split_topic_ranges


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


def check_ranking(source: ColumnFile, rows: RunRows, order: RankOrder, table: RunTable) -> int:
    """W04 to W08, each at most once per file. Returns the number of tied documents."""
    check_rank_order(source, rows, order)
    check_rank_steps(source, rows, order)
    check_contiguous(source, rows)
    return check_ties(source, table)


def check_rank_order(source: ColumnFile, rows: RunRows, order: RankOrder) -> None:
    """W05 when a document of a later rank has a higher score."""
    if (rise := order.rise) is None:
        return
    source.add_fault(
        "W05",
        f"Ranks and scores disagree in {format_count(order.risen, 'topic')}: in topic"
        f" {rise.topic}, rank {rise.ranks[1]} has score {rise.scores[1]:g}, above"
        f" {rise.scores[0]:g} at rank {rise.ranks[0]}.",
        "Documents are ranked by score; ranks are ignored."
        " If the ranks are correct, use decreasing scores.",
        line=rows.line(rise.row),
        field=SCORE,
    )


def check_rank_steps(source: ColumnFile, rows: RunRows, order: RankOrder) -> None:
    """W07 when the ranks of a topic are not 0, 1, 2, … or 1, 2, 3, …"""
    if order.irregular:
        topics = format_count(order.irregular, "topic")
        message = f"Ranks are not consecutive from 0 or 1 in {topics}."
        fix = "Ranks are ignored. Check that no lines are missing."
        line = rows.line(order.irregular_row)
        source.add_fault("W07", message, fix, line=line, field=RANK)


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
        tied += int(np.count_nonzero(_is_tied(scores, starts - starts[0])))
        narrow += int(np.count_nonzero(_is_tied(rounded, starts - starts[0])))
    return tied, narrow


def _is_tied(scores: NDArray[np.floating], starts: Ints) -> Mask:
    """Which rows share their score with a neighbour of the same topic (rows by score)."""
    equal = scores[:-1] == scores[1:]
    borders = starts[1:-1]
    equal[borders - 1] = False
    tied = np.zeros(len(scores), np.bool_)
    tied[:-1] |= equal
    tied[1:] |= equal
    return tied
