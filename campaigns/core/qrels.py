"""Read and write qrels: ``topic iteration docno grade``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from campaigns.core.columns import Block, ColumnFile, Layout, decode_column
from campaigns.core.faults import BadFile, FaultReport
from campaigns.core.runs import group_by_topic
from campaigns.core.tables import QrelsTable

MAX_GRADE = 10_000
"""Grades beyond this, up or down, are taken for a slip (measures count per grade)."""

QRELS_LAYOUT = Layout(
    columns=("topic", "0", "docno", "grade"),
    not_text="EQ01",
    wrong_columns="EQ02",
    empty="EQ03",
    bom="WQ01",
)
DOCNO, GRADE = 2, 3
_INTEGER = re.compile(rb"[+-]?\d{1,9}")

Row = tuple[str, str, int]


def read_qrels(data: bytes, *, file: str = "", report: FaultReport | None = None) -> QrelsTable:
    """The qrels in ``data``; column 2 is not kept, negative grades are.

    Warnings go to ``report`` when one is given. Raises ``BadFile`` with every fault
    (EQ01 to EQ06); a pair judged twice is a fault even when the grades agree.
    """
    report = FaultReport(file) if report is None else report
    source = ColumnFile(data, QRELS_LAYOUT, report)
    blocks = [_good_grades(source, block) for block in source.blocks()]
    rows = list(chain.from_iterable(_rows(block) for block in blocks))
    if len({row[:2] for row in rows}) < len(rows):
        _add_duplicates(source, rows, list(chain.from_iterable(b.lines for b in blocks)))
    if report.has_errors:
        raise BadFile(report)
    return _table(rows)


def qrels_from_rows(rows: Iterable[Row]) -> QrelsTable:
    """Qrels out of ``(topic, docno, grade)`` rows in any order.

    Raises ``ValueError`` for a pair that stands twice or a grade beyond ``MAX_GRADE``.
    """
    listed = list(rows)
    if len({row[:2] for row in listed}) < len(listed):
        raise ValueError("qrels hold one grade for each topic and document")
    if any(abs(grade) > MAX_GRADE for _, _, grade in listed):
        raise ValueError(f"grades are whole numbers from -{MAX_GRADE} to {MAX_GRADE}")
    return _table(listed)


def write_qrels(table: QrelsTable) -> bytes:
    """The qrels as text, topics then docnos ascending by code point, column 2 always 0."""
    grades = table.grades.tolist()
    lines = [
        f"{topic} 0 {table.docnos[row]} {grades[row]}\n"
        for index, topic in enumerate(table.topics)
        for row in range(int(table.starts[index]), int(table.starts[index + 1]))
    ]
    return "".join(lines).encode()


def _rows(block: Block) -> Iterable[Row]:
    topics, docnos = decode_column(block.columns[0]), decode_column(block.columns[DOCNO])
    return zip(topics, docnos, map(int, block.columns[GRADE]), strict=True)


def _good_grades(source: ColumnFile, block: Block) -> Block:
    """``block`` without the lines whose grade is no whole number; those are EQ04."""
    good = {text for text in set(block.columns[GRADE]) if _is_grade(text)}
    bad = {i for i, text in enumerate(block.columns[GRADE]) if text not in good}
    for i in sorted(bad):
        source.fault(
            "EQ04",
            f"The grade is not a whole number from -{MAX_GRADE} to {MAX_GRADE}.",
            "Write the grade as a whole number, for example 0, 1, 2 or -1.",
            line=block.lines[i],
            field=GRADE,
        )
    return block.without(bad) if bad else block


def _is_grade(text: bytes) -> bool:
    return _INTEGER.fullmatch(text) is not None and abs(int(text)) <= MAX_GRADE


def _add_duplicates(source: ColumnFile, rows: list[Row], lines: Sequence[int]) -> None:
    first: dict[tuple[str, str], int] = {}
    for at, (topic, docno, grade) in enumerate(rows):
        seen = first.setdefault((topic, docno), at)
        if seen == at:
            continue
        same = rows[seen][2] == grade
        message = f"Topic {topic} and this document have grade {rows[seen][2]}"
        source.fault(
            "EQ05" if same else "EQ06",
            f"{message} on line {lines[seen]} already{'' if same else f', here {grade}'}.",
            "Keep one line for each topic and document.",
            line=lines[at],
            field=DOCNO,
        )


def _table(rows: list[Row]) -> QrelsTable:
    rows = sorted(rows)
    grouped = group_by_topic([row[0] for row in rows])
    grades = np.array([row[2] for row in rows], dtype=np.int32)
    return QrelsTable(grouped.topics, grouped.starts, [row[1] for row in rows], grades)
