"""Read runs: ``topic Q0 docno rank score tag``, in trec_eval's order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from campaigns.core.columns import Block, ColumnFile, Layout, decode_column
from campaigns.core.faults import BadFile, FaultReport
from campaigns.core.tables import RunTable, starts_of

RUN_LAYOUT = Layout(
    columns=("topic", "Q0", "docno", "rank", "score", "tag"),
    not_text="E01",
    wrong_columns="E03",
    empty="E04",
    bom="W12",
)
TOPIC, Q0, DOCNO, RANK, SCORE, TAG = range(6)

_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NUMBER = re.compile(_DECIMAL.pattern + rb"|[+-]?(inf|infinity)", re.IGNORECASE)


@dataclass
class RunRows:
    """The good lines of a run in file order; ``lines[i]`` is the line number of row ``i``."""

    lines: NDArray[np.int64]
    topics: list[str]
    docnos: list[str]
    scores: NDArray[np.float64]
    tag: str = ""

    def __len__(self) -> int:
        return len(self.docnos)


@dataclass(frozen=True)
class GroupedRows:
    """Rows grouped by topic: ``order[starts[i]:starts[i + 1]]`` are the rows of ``topics[i]``."""

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    order: NDArray[np.int64]

    def groups(self) -> Iterable[tuple[int, int]]:
        return pairwise(self.starts.tolist())


def read_run(
    data: bytes, *, file: str = "", lenient: bool = False, report: FaultReport | None = None
) -> RunTable:
    """The run in ``data``; ranks are ignored, the tag is that of the first line.

    ``lenient`` takes extra columns after the tag and infinite scores, as trec_eval does.
    Warnings go to ``report`` when one is given. Raises ``BadFile`` with every fault
    (E01, E03, E04, E11, E14).
    """
    report = FaultReport(file) if report is None else report
    source = ColumnFile(data, replace(RUN_LAYOUT, lenient=lenient), report)
    rows = RowCollector()
    for block in source.blocks():
        rows.add(block, read_scores(source, block))
    table = tabulate(source, rows.finish())
    if report.has_errors:
        raise BadFile(report)
    return table


def run_from_rows(tag: str, rows: Iterable[tuple[str, str, float]]) -> RunTable:
    """A run out of ``(topic, docno, score)`` rows in any order.

    Raises ``ValueError`` for a document twice in a topic or a score that is not finite.
    """
    listed = list(rows)
    scores = np.array([row[2] for row in listed], dtype=np.float64)
    topics, docnos = [row[0] for row in listed], [row[1] for row in listed]
    found = RunRows(np.arange(len(listed)), topics, docnos, scores, tag)
    grouped = group_by_topic(topics)
    if not np.isfinite(scores).all() or next(iter(duplicates(grouped, docnos)), None):
        raise ValueError("a run holds each document once a topic, with a finite score")
    return _sorted_table(found, grouped)


@dataclass
class RowCollector:
    """Gathers blocks of run lines into one ``RunRows``."""

    lines: list[Sequence[int]] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    docnos: list[str] = field(default_factory=list)
    scores: list[NDArray[np.float64]] = field(default_factory=list)
    tag: str = ""

    def add(self, block: Block, scores: NDArray[np.float64]) -> None:
        if not block.lines:
            return
        self.tag = self.tag or block.columns[TAG][0].decode()
        self.lines.append(block.lines)
        self.topics += _shared_strings(block.columns[TOPIC])
        self.docnos += decode_column(block.columns[DOCNO])
        self.scores.append(scores)

    def finish(self) -> RunRows:
        numbers = np.fromiter(chain.from_iterable(self.lines), np.int64, len(self.docnos))
        scores = np.concatenate(self.scores) if self.scores else np.empty(0)
        return RunRows(numbers, self.topics, self.docnos, scores, self.tag)


def read_scores(source: ColumnFile, block: Block) -> NDArray[np.float64]:
    """The scores of ``block``; one that is no finite decimal is E14 and stands as 0 here."""
    column = block.columns[SCORE]
    if (scores := _fast_scores(column)) is not None:
        return scores
    is_score = _is_number if source.layout.lenient else _is_finite_decimal
    bad = [i for i, text in enumerate(column) if not is_score(text)]
    message = "The score is not a finite decimal number."
    cure = "Write it like 12.5 or 1.25e1; nan, inf, commas and hexadecimal are not taken."
    source.faults("E14", ((block.lines[i], message, cure) for i in bad), len(bad), field=SCORE)
    refused = set(bad)
    texts = (b"0" if i in refused else text for i, text in enumerate(column))
    return np.fromiter(map(float, texts), np.float64, len(column))


def _is_finite_decimal(text: bytes) -> bool:
    return _DECIMAL.fullmatch(text) is not None and bool(np.isfinite(float(text)))


def _is_number(text: bytes) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _fast_scores(column: Sequence[bytes]) -> NDArray[np.float64] | None:
    try:
        scores = np.fromiter(map(float, column), np.float64, len(column))
    except ValueError:
        return None
    # float() takes 1_000, which no other reader of runs does.
    return scores if np.isfinite(scores).all() and b"_" not in b" ".join(column) else None


def _shared_strings(column: Sequence[bytes]) -> list[str]:
    """Decoded fields with one string object a distinct value."""
    known = {raw: raw.decode() for raw in set(column)}
    return [known[raw] for raw in column]


def group_by_topic(topics: list[str]) -> GroupedRows:
    """Group rows by topic, topics ascending by code point, rows in file order within."""
    names = tuple(sorted(set(topics)))
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.fromiter((code_of[t] for t in topics), np.int64, len(topics))
    counts = np.bincount(codes, minlength=len(names))
    starts = starts_of(counts)
    return GroupedRows(names, starts, np.argsort(codes, kind="stable"))


def duplicates(grouped: GroupedRows, docnos: list[str]) -> Iterable[tuple[int, int]]:
    """Yield ``(row, first row)`` for every docno that already stands in its topic."""
    order = grouped.order.tolist()
    for start, end in grouped.groups():
        rows = order[start:end]
        if len({docnos[row] for row in rows}) == end - start:
            continue
        first: dict[str, int] = {}
        for row in rows:
            if first.setdefault(docnos[row], row) != row:
                yield row, first[docnos[row]]


def tabulate(source: ColumnFile, rows: RunRows) -> RunTable:
    """The table of ``rows``; documents twice in a topic are E11, their first line counts."""
    grouped = group_by_topic(rows.topics)
    again = dict(duplicates(grouped, rows.docnos))
    if not again:
        return _sorted_table(rows, grouped)
    told = (_told_again(rows, row, first) for row, first in sorted(again.items()))
    source.faults("E11", told, len(again), field=DOCNO)
    keep = [row for row in range(len(rows)) if row not in again]
    topics, docnos = [rows.topics[i] for i in keep], [rows.docnos[i] for i in keep]
    kept = RunRows(rows.lines[keep], topics, docnos, rows.scores[keep], rows.tag)
    return _sorted_table(kept, group_by_topic(topics))


def _told_again(rows: RunRows, row: int, first: int) -> tuple[int, str, str]:
    where = f"in topic {rows.topics[row]} already, on line {rows.lines[first]}"
    cure = "Keep one line for each topic and document."
    return int(rows.lines[row]), f"The document stands {where}.", cure


def _sorted_table(rows: RunRows, grouped: GroupedRows) -> RunTable:
    order = grouped.order
    scores = rows.scores[order]
    for index in _unsorted_topics(scores, grouped.starts):
        part = slice(int(grouped.starts[index]), int(grouped.starts[index + 1]))
        ranked = sorted(order[part].tolist(), key=lambda row: rows.docnos[row], reverse=True)
        ranked_scores = rows.scores[ranked]
        order[part] = np.array(ranked)[np.argsort(-ranked_scores, kind="stable")]
    docnos = [rows.docnos[row] for row in order.tolist()]
    return RunTable(rows.tag, grouped.topics, grouped.starts, docnos, rows.scores[order])


def _unsorted_topics(scores: NDArray[np.float64], starts: NDArray[np.int64]) -> list[int]:
    """The topics whose scores do not strictly fall."""
    steps = np.flatnonzero(~(scores[:-1] > scores[1:]))
    topic_of = np.searchsorted(starts, steps, side="right") - 1
    within = steps + 1 < starts[topic_of + 1]
    return [int(index) for index in np.unique(topic_of[within])]
