"""Read and write qrels: ``topic iteration docno grade``."""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from poolbench.files.columns import ColumnFile, ColumnLayout
from poolbench.files.faults import FaultReport, escape_excerpt
from poolbench.reading.reader import DocnoArray, DocnoCollector, LineBlock, Mask, parse_decimals
from poolbench.runs.grouping import TopicCollector, TopicGroups, find_duplicate_rows, group_by_topic
from poolbench.runs.tables import QrelsTable

MAX_GRADE = 10_000
"""Grades beyond this, positive or negative, are rejected (measures count per grade)."""

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
    """The qrels in ``data``; column 2 is ignored, negative grades are kept.

    Warnings go to ``report`` when one is given. Raises ``InvalidFile`` with every fault
    (EQ01 to EQ06); a duplicate pair is an error even if the grades are equal.
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
        _add_duplicates(source, again, grouped, values, numbers.tolist())
    report.raise_errors()
    return _sort_table(grouped, ids, values)


def qrels_from_rows(rows: Iterable[Row]) -> QrelsTable:
    """Qrels from ``(topic, docno, grade)`` rows in any order.

    Raises ``ValueError`` for a duplicate pair or a grade beyond ``MAX_GRADE``.
    """
    listed = list(rows)
    names, docnos, values = zip(*listed, strict=True) if listed else ((), (), ())
    if any(abs(grade) > MAX_GRADE for grade in set(values)):
        raise ValueError(f"grades are integers between -{MAX_GRADE} and {MAX_GRADE}")
    topics, ids = group_by_topic(names), DocnoArray.from_ids(docnos)
    if find_duplicate_rows(ids, topics):
        raise ValueError("qrels have one grade per topic and document")
    return _sort_table(topics, ids, np.array(values, np.int32))


def write_qrels(table: QrelsTable) -> bytes:
    """The qrels as text, topics then docnos ascending by code point, column 2 always 0."""
    docnos, grades = table.docnos, sorted(set(table.grades.tolist()))
    heads = [topic.encode() + b" 0 " for topic in table.topics]
    texts = [*heads, *(b" %d\n" % grade for grade in grades)]
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    starts = len(docnos.data) + np.cumsum(sizes) - sizes
    before = np.repeat(np.arange(len(heads)), np.diff(table.starts))
    behind = len(heads) + np.searchsorted(grades, table.grades)
    # Each line is three texts of one byte string, which are copied at once.
    lines = DocnoArray(
        b"".join((docnos.data, *texts)),
        np.stack((starts[before], docnos.starts, starts[behind]), axis=1).ravel(),
        np.stack((sizes[before], docnos.lengths, sizes[behind]), axis=1).ravel(),
    )
    return lines.joined()


def _read_grades(source: ColumnFile, block: LineBlock) -> tuple[Grades, Mask]:
    """``(grades, which of them are invalid)``; invalid ones are EQ04."""
    column = block.column(GRADE)
    read = parse_decimals(column)
    grades = np.where(read.is_odd, 0, read.values)
    is_bad = read.has_point & ~read.is_odd
    is_bad |= np.abs(grades) > MAX_GRADE
    for row in np.flatnonzero(read.is_odd | is_bad).tolist():
        text = column.text(row)
        is_bad[row] = not is_grade(text)
        grades[row] = 0 if is_bad[row] else int(text)
    for row in np.flatnonzero(is_bad).tolist():
        fault = describe_invalid_grade(column.text(row))
        source.add_fault("EQ04", *fault, line=int(block.lines[row]), field=GRADE)
    return grades.astype(np.int32), is_bad


def is_grade(text: bytes) -> bool:
    """Whether ``text`` is an integer of at most ``MAX_GRADE``, positive or negative."""
    return _INTEGER.fullmatch(text) is not None and abs(int(text)) <= MAX_GRADE


def describe_invalid_grade(text: bytes) -> tuple[str, str]:
    """What is wrong with it, and the fix."""
    grade = escape_excerpt(text, 20)
    message = f"The grade is not an integer between -{MAX_GRADE} and {MAX_GRADE}: {grade}."
    return message, "Use an integer grade, e.g. 0, 1, 2 or -1."


def _add_duplicates(
    source: ColumnFile,
    again: dict[int, int],
    grouped: TopicGroups,
    grades: Grades,
    lines: list[int],
) -> None:
    codes = grouped.row_codes()
    for row, seen in again.items():
        grade, earlier = int(grades[row]), int(grades[seen])
        topic, first = grouped.topics[codes[row]], lines[seen]
        other = "" if grade == earlier else f", here {grade}"
        message = f"Duplicate document in topic {topic}: grade {earlier} on line {first}{other}."
        fix = "Keep one line per topic and document."
        source.add_fault(
            "EQ05" if grade == earlier else "EQ06", message, fix, line=lines[row], field=DOCNO
        )


def _sort_table(grouped: TopicGroups, docnos: DocnoArray, grades: Grades) -> QrelsTable:
    order = np.argsort(grouped.row_codes() * len(docnos) + docnos.ranks())
    return QrelsTable(grouped.topics, grouped.starts, docnos.take(order), grades[order])
