"""Read runs: ``topic Q0 docno rank score tag``, in trec_eval's order."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile, ColumnLayout
from poolbench.files.faults import FaultReport, escape_excerpt
from poolbench.reading.docnos import BLOCK
from poolbench.reading.packed import PackedDocnoCollector
from poolbench.reading.reader import (
    DocnoArray,
    DocnoCollector,
    Floats,
    Ints,
    LineBlock,
    parse_decimals,
    rank_rows,
)
from poolbench.runs.grouping import (
    TopicCollector,
    TopicGroups,
    find_duplicate_rows,
    group_by_topic,
    regroup_rows,
)
from poolbench.runs.tables import RunTable, split_topic_ranges

RUN_LAYOUT = ColumnLayout(
    columns=("topic", "Q0", "docno", "rank", "score", "tag"),
    not_text="E01",
    wrong_columns="E03",
    empty="E04",
    bom="W12",
)
TOPIC, Q0, DOCNO, RANK, SCORE, TAG = range(6)

_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NUMBER = re.compile(_DECIMAL.pattern + rb"|[+-]?(inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True)
class RunRows:
    """The valid lines of a run in file order, grouped by topic; ``parts`` are their numbers."""

    parts: Sequence[Sequence[int] | Ints]
    grouped: TopicGroups
    docnos: DocnoArray
    scores: NDArray[np.float64]
    tag: str = ""

    def __len__(self) -> int:
        return len(self.docnos)

    def line(self, row: int) -> int:
        """The line number of a row."""
        part = bisect_right(self._firsts, row) - 1
        return int(self.parts[part][row - self._firsts[part]])

    @cached_property
    def _firsts(self) -> list[int]:
        """The first row of each part."""
        return list(accumulate(map(len, self.parts), initial=0))[:-1]


def read_run(
    data: bytes, *, file: str = "", lenient: bool = False, report: FaultReport | None = None
) -> RunTable:
    """The run in ``data``; ranks are ignored, the tag is that of the first line.

    ``lenient`` accepts extra columns after the tag and infinite scores (``inf``, ``infinity``, or
    beyond 64 bits, such as 1e400), as trec_eval does.
    Warnings (W12, W13) go to ``report`` when one is given. Raises ``InvalidFile`` with every fault
    (E01, E03, E04, E11, E14).
    """
    report = FaultReport(file) if report is None else report
    source = ColumnFile(data, replace(RUN_LAYOUT, lenient=lenient), report)
    rows = RowCollector(source)
    for block in source.blocks():
        rows.add(block, parse_scores(source, block))
        rows.compare_tags(block)
    rows.warn_of_tags()
    table = build_run_table(source, rows.finish())
    report.raise_errors()
    return table


def run_from_rows(tag: str, rows: Iterable[tuple[str, str, float]]) -> RunTable:
    """A run from ``(topic, docno, score)`` rows in any order.

    Raises ``ValueError`` for a duplicate document in a topic or a score that is not finite.
    """
    listed = list(rows)
    scores = np.array([row[2] for row in listed], dtype=np.float64)
    docnos = DocnoArray.from_ids(row[1] for row in listed)
    grouped = group_by_topic(row[0] for row in listed)
    if not np.isfinite(scores).all() or find_duplicate_rows(docnos, grouped):
        raise ValueError("a run has each document once per topic, with a finite score")
    return sort_in_trec_order(tag, grouped, docnos, scores)


class RowCollector:
    """Collects blocks of run lines of ``source`` into one ``RunRows``. ``packed``: with docnos of
    their own bytes, so that the text of ``source`` need not stay in memory.
    """

    def __init__(self, source: ColumnFile, *, packed: bool = False) -> None:
        self._source = source
        self._lines: list[Sequence[int] | Ints] = []
        self._topics = TopicCollector()
        self._docnos = (
            PackedDocnoCollector(source.room)
            if packed
            else DocnoCollector(source.data, source.room)
        )
        self._scores = np.empty(source.room)
        self._tag = ""
        self._other_tag: tuple[int, bytes] | None = None

    def add(self, block: LineBlock, scores: NDArray[np.float64]) -> None:
        if not len(block):
            return
        self._tag = self._tag or block.column(TAG)[0]
        self._lines.append(block.lines)
        self._scores[self._topics.rows :][: len(block)] = scores
        self._topics.add(block.column(TOPIC))
        self._docnos.add(block.column(DOCNO))

    def compare_tags(self, block: LineBlock) -> None:
        """Remember the first line whose tag is not that of the first line."""
        if self._other_tag is None and len(block):
            tags = block.column(TAG)
            others = np.flatnonzero(~tags.equals_text(self._tag.encode()))
            if len(others):
                self._other_tag = int(block.lines[others[0]]), tags.text(int(others[0]))

    def warn_of_tags(self) -> None:
        if self._other_tag is not None:
            line, tag = self._other_tag
            self._source.add_fault(
                "W13",
                f"The run tag {escape_excerpt(tag, 40)} differs from that of the first line,"
                f" {self._tag[:40]}.",
                f"All lines are read as the run {self._tag[:40]}; if the file has several runs,"
                " split it.",
                line=line,
                field=TAG,
            )

    def finish(self) -> RunRows:
        grouped = self._topics.finish()
        scores = self._scores[: self._topics.rows]
        return RunRows(self._lines, grouped, self._docnos.finish(), scores, self._tag)


def parse_scores(source: ColumnFile, block: LineBlock) -> NDArray[np.float64]:
    """The scores of ``block``; one that is not a finite decimal is E14 and becomes 0 here."""
    column = block.column(SCORE)
    read = parse_decimals(column)
    if read.is_odd.any():
        rows = np.flatnonzero(read.is_odd)
        read.values[rows] = _parse_odd_scores(source, block, rows)
    return read.values


def _parse_odd_scores(source: ColumnFile, block: LineBlock, rows: Ints) -> list[float]:
    texts = block.column(SCORE).texts(rows)
    is_score = _is_number if source.layout.lenient else _is_finite_decimal
    bad = [i for i, text in enumerate(texts) if not is_score(text)]
    what, infinite = ("a number", "") if source.layout.lenient else ("a finite number", "inf, ")
    fix = (
        f"Use a format such as 12.5 or 1.25e1; nan, {infinite}commas and hexadecimal are not"
        " accepted."
    )
    entries = (
        (
            int(block.lines[rows[i]]),
            f"The score is not {what}: {escape_excerpt(texts[i], 20)}.",
            fix,
        )
        for i in bad
    )
    source.add_faults("E14", entries, len(bad), field=SCORE)
    invalid = set(bad)
    return [0.0 if i in invalid else float(text) for i, text in enumerate(texts)]


def parse_plain_score(text: bytes) -> float | None:
    """The score in ``text``; None if it is not a finite decimal."""
    return float(text) if _is_finite_decimal(text) else None


def _is_finite_decimal(text: bytes) -> bool:
    return _DECIMAL.fullmatch(text) is not None and isfinite(float(text))


def _is_number(text: bytes) -> bool:
    return _NUMBER.fullmatch(text) is not None


def build_run_table(source: ColumnFile, rows: RunRows, *, in_parts: bool = False) -> RunTable:
    """The table of ``rows``; duplicate documents in a topic are E11, the first line counts.
    ``in_parts``: in less memory, without what was computed of the docnos.
    """
    again = find_duplicate_rows(rows.docnos, rows.grouped)
    sort = _sort_in_parts if in_parts else sort_in_trec_order
    if not again:
        return sort(rows.tag, rows.grouped, rows.docnos, rows.scores)
    codes = rows.grouped.row_codes()
    entries = (_describe_duplicate(rows, codes, row, first) for row, first in again.items())
    source.add_faults("E11", entries, len(again), field=DOCNO)
    keep = np.delete(np.arange(len(rows)), list(again))
    grouped = regroup_rows(rows.grouped, keep)
    return sort(rows.tag, grouped, rows.docnos.take(keep), rows.scores[keep])


def _describe_duplicate(rows: RunRows, codes: Ints, row: int, first: int) -> tuple[int, str, str]:
    topic = rows.grouped.topics[codes[row]]
    docno = escape_excerpt(rows.docnos[row], 40)
    message = f"Duplicate docno {docno} in topic {topic}: already on line {rows.line(first)}."
    return rows.line(row), message, "Keep one line per topic and document."


def sort_in_trec_order(
    tag: str, grouped: TopicGroups, docnos: DocnoArray, scores: Floats
) -> RunTable:
    """The table of rows given in file order, in trec_eval's order: score descending, then docno
    descending by code point. Topics already in order are not sorted again.
    """
    by_topic = None if grouped.is_sorted else grouped.order()
    order, ordered = rank_rows(grouped.starts, scores, docnos, by_topic)
    docnos = docnos if order is None else docnos.take(order)
    return RunTable(tag, grouped.topics, grouped.starts, docnos, ordered)


def _sort_in_parts(tag: str, grouped: TopicGroups, docnos: DocnoArray, scores: Floats) -> RunTable:
    """The same, some topics at a time."""
    ordered = np.empty_like(scores)
    starts, lengths = np.empty_like(docnos.starts), np.empty_like(docnos.lengths)
    for first, end in split_topic_ranges(grouped.starts, BLOCK):
        rows, bounds = grouped.rows(first, end), grouped.starts[first : end + 1]
        part, own = slice(int(bounds[0]), int(bounds[-1])), docnos.take(rows)
        order, ordered[part] = rank_rows(bounds - bounds[0], scores[rows], own)
        own = own if order is None else own.take(order)
        starts[part], lengths[part] = own.starts, own.lengths
    docnos = DocnoArray(docnos.data, starts, lengths)
    return RunTable(tag, grouped.topics, grouped.starts, docnos, ordered)
