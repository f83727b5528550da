"""Convert files, dicts, pandas frames and tables into runs and qrels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from campaigns.core.qrels import qrels_from_rows, read_qrels
from campaigns.core.runs import read_run, run_from_rows
from campaigns.core.sampled_qrels import SampledQrels
from campaigns.core.streams import read_bytes
from campaigns.core.tables import QrelsTable, RunTable
from evaluation.core.judgments import JudgmentTable

if TYPE_CHECKING:
    from pandas import DataFrame

File: TypeAlias = "str | os.PathLike[str] | bytes"
RunLike: TypeAlias = "RunTable | File | Mapping[str, Mapping[str, float]] | DataFrame"
QrelsLike: TypeAlias = (
    "JudgmentTable | QrelsTable | SampledQrels | File | Mapping[str, Mapping[str, int]] | DataFrame"
)

TOPIC = ("topic", "query_id", "qid", "query", "q_id", "topic_id")
DOCNO = ("docno", "doc_id", "docid", "document", "d_id", "document_id")
SCORE = ("score", "sim", "s")
GRADE = ("grade", "relevance", "rel", "label", "judgment")
TAG = ("tag", "run", "name", "run_id", "system")


def as_run(source: RunLike, *, tag: str = "") -> RunTable:
    """A run from ``source``: a path (plain or gzip), the bytes of a file, a dict ``{topic:
    {docno: score}}``, or a frame with columns for topic, docno and score (``TOPIC``, ``DOCNO``,
    ``SCORE`` list the accepted names). ``tag`` is the run tag; default: the tag in a file, a
    frame's tag column, or the file name.

    Raises ``InvalidFile`` for an invalid file; ``ValueError`` for a duplicate document in a
    topic, a score that is not a finite number, ids that are not strings, or a missing column.
    """
    if isinstance(source, RunTable):
        return source
    if isinstance(source, str | os.PathLike | bytes):
        return read_run(read_bytes(source), file=source_name(source), lenient=True)
    if isinstance(source, Mapping):
        return run_from_rows(tag or "run", _pairs(source, float))
    named = tag or next(iter(_column(source, TAG, required=False)), "run")
    return run_from_rows(str(named), _rows(source, SCORE, float))


def as_judged(source: QrelsLike) -> JudgmentTable:
    """Judgments from ``source``: as in ``as_run``, with integer grades instead of scores.

    For judgments of a sample use ``read_strata`` or ``read_prels``.
    """
    if isinstance(source, SampledQrels):
        return JudgmentTable.from_sampled(source)
    return (
        source if isinstance(source, JudgmentTable) else JudgmentTable.from_table(as_qrels(source))
    )


def as_qrels(source: QrelsTable | File | Mapping[str, Mapping[str, int]] | DataFrame) -> QrelsTable:
    """A qrels table from ``source``; see ``as_judged``."""
    if isinstance(source, QrelsTable):
        return source
    if isinstance(source, str | os.PathLike | bytes):
        return read_qrels(read_bytes(source), file=source_name(source))
    pairs = (
        _pairs(source, to_integer_grade)
        if isinstance(source, Mapping)
        else _rows(source, GRADE, to_integer_grade)
    )
    return qrels_from_rows(pairs)


def source_name(source: File) -> str:
    return "" if isinstance(source, bytes) else Path(source).name


def to_integer_grade(value: Any) -> int:
    """A grade; accepts 1.0, rejects 1.5."""
    if int(value) != value:
        raise ValueError(f"a grade must be an integer, not {value!r}")
    return int(value)


def _pairs(table: Mapping[str, Mapping[str, Any]], kind: Any) -> Iterable[tuple[str, str, Any]]:
    for topic, documents in table.items():
        for docno, value in documents.items():
            yield _id(topic), _id(docno), kind(value)


def _rows(frame: DataFrame, value: tuple[str, ...], kind: Any) -> Iterable[tuple[str, str, Any]]:
    columns = (_column(frame, names) for names in (TOPIC, DOCNO, value))
    for topic, docno, number in zip(*columns, strict=True):
        yield _id(topic), _id(docno), kind(number)


def _column(frame: DataFrame, names: tuple[str, ...], *, required: bool = True) -> list[Any]:
    if not hasattr(frame, "columns"):
        raise TypeError(f"expected a path, bytes, dict or pandas frame, not {type(frame)}")
    by_name = {str(column).lower(): column for column in frame.columns}
    for name in names:
        if name in by_name:
            return list(frame[by_name[name]].tolist())
    if required:
        raise ValueError(
            f"missing column {names[0]} in the frame (or one of {', '.join(names[1:])})"
        )
    return []


def _id(value: Any) -> str:
    if not isinstance(value, str) or not value or any(sign in value for sign in " \t\r\n\v\f\0"):
        # A topic read as the number 1 may have been "001": the original is lost.
        raise ValueError(
            f"ids must be strings without whitespace, not {value!r}: read them with "
            'dtype=str, keep_default_na=False, so that "001" and "NA" do not change'
        )
    return value
