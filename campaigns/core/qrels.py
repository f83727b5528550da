"""Read and write qrels: ``topic iteration docno grade``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.core.columns import ColumnFile, ColumnLayout, LineBlock
from campaigns.core.decimals import parse_decimals
from campaigns.core.docnos import DocnoArray, DocnoCollector
from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.core.grouping import TopicCollector, TopicGroups, find_duplicate_rows, group_by_topic
from campaigns.core.machine_words import Mask
from campaigns.core.tables import QrelsTable

MAX_GRADE = 10_000
"""Grades beyond this, up or down, are taken for a slip (measures count per grade)."""

QRELS_LAYOUT = ColumnLayout(
    columns=("topic", "0", "docno", "grade"),
    not_text="EQ01",
    wrong_columns="EQ02",
    empty="EQ03",
    bom="WQ01",
)
TOPIC, DOCNO, GRADE = 0, 2, 3
_INTEGER = re.compile(rb"[+-]?\d{1,9}")

Row = tuple[str, str, int]
Grades = NDArray[np.int32]


def read_qrels(data: bytes, *, file: str = "", report: FaultReport | None = None) -> QrelsTable:
    """The qrels in ``data``; column 2 is not kept, negative grades are.

    Warnings go to ``report`` when one is given. Raises ``BadFile`` with every fault
    (EQ01 to EQ06); a pair judged twice is a fault even when the grades agree.
    """
    report = FaultReport(file) if report is None else report
    source = ColumnFile(data, QRELS_LAYOUT, report)
    topics, docnos = TopicCollector(), DocnoCollector(source.data, source.room)
    lines, grades = [], []
    for block in source.blocks():
        read, is_bad = _read_grades(source, block)
        good = block.where(~is_bad) if is_bad.any() else block
        if len(good):
            topics.add(good.column(TOPIC))
            docnos.add(good.column(DOCNO))
        lines.append(good.lines)
        grades.append(read[~is_bad])
    grouped, ids = topics.finish(), docnos.finish()
    values = np.concatenate([np.empty(0, np.int32), *grades])
    if again := find_duplicate_rows(ids, grouped):
        numbers = np.concatenate([np.asarray(part) for part in lines])
        _add_duplicates(source, _QrelsWarnings(grouped, values, numbers.tolist()), again)
    if report.has_errors:
        raise InvalidFile(report)
    return _table(grouped, ids, values)


def qrels_from_rows(rows: Iterable[Row]) -> QrelsTable:
    """Qrels out of ``(topic, docno, grade)`` rows in any order.

    Raises ``ValueError`` for a pair that stands twice or a grade beyond ``MAX_GRADE``.
    """
    listed = list(rows)
    if len({row[:2] for row in listed}) < len(listed):
        raise ValueError("qrels hold one grade for each topic and document")
    if any(abs(grade) > MAX_GRADE for _, _, grade in listed):
        raise ValueError(f"grades are whole numbers from -{MAX_GRADE} to {MAX_GRADE}")
    grades = np.array([row[2] for row in listed], dtype=np.int32)
    topics = group_by_topic(row[0] for row in listed)
    return _table(topics, DocnoArray.of(row[1] for row in listed), grades)


def write_qrels(table: QrelsTable) -> bytes:
    """The qrels as text, topics then docnos ascending by code point, column 2 always 0."""
    grades = table.grades.tolist()
    lines = [
        f"{topic} 0 {docno} {grade}\n"
        for topic, rows in ((topic, table.rows(at)) for at, topic in enumerate(table.topics))
        for docno, grade in zip(table.docnos[rows], grades[rows], strict=True)
    ]
    return "".join(lines).encode()


def _read_grades(source: ColumnFile, block: LineBlock) -> tuple[Grades, Mask]:
    """``(grades, which of them are none)``; those are EQ04."""
    column = block.column(GRADE)
    read = parse_decimals(column)
    grades = np.where(read.is_odd, 0, read.values)
    is_bad = read.has_point & ~read.is_odd
    is_bad |= np.abs(grades) > MAX_GRADE
    for row in np.flatnonzero(read.is_odd | is_bad).tolist():
        text = column.text(row)
        is_bad[row] = not _is_grade(text)
        grades[row] = 0 if is_bad[row] else int(text)
    for row in np.flatnonzero(is_bad).tolist():
        source.fault(
            "EQ04",
            f"The grade is not a whole number from -{MAX_GRADE} to {MAX_GRADE}.",
            "Write the grade as a whole number, for example 0, 1, 2 or -1.",
            line=int(block.lines[row]),
            field=GRADE,
        )
    return grades.astype(np.int32), is_bad


def _is_grade(text: bytes) -> bool:
    return _INTEGER.fullmatch(text) is not None and abs(int(text)) <= MAX_GRADE


class _QrelsWarnings(NamedTuple):
    """What is told of rows in file order."""

    grouped: TopicGroups
    grades: Grades
    lines: list[int]


def _add_duplicates(source: ColumnFile, rows: _QrelsWarnings, again: dict[int, int]) -> None:
    codes = rows.grouped.row_codes()
    for row, seen in again.items():
        grade, earlier = int(rows.grades[row]), int(rows.grades[seen])
        message = f"Topic {rows.grouped.topics[codes[row]]} and this document have grade {earlier}"
        here = "" if grade == earlier else f", here {grade}"
        source.fault(
            "EQ05" if grade == earlier else "EQ06",
            f"{message} on line {rows.lines[seen]} already{here}.",
            "Keep one line for each topic and document.",
            line=rows.lines[row],
            field=DOCNO,
        )


def _table(grouped: TopicGroups, docnos: DocnoArray, grades: Grades) -> QrelsTable:
    order = np.argsort(grouped.row_codes() * len(docnos) + docnos.ranks())
    return QrelsTable(grouped.topics, grouped.starts, docnos.take(order), grades[order])
