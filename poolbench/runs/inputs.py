"""Runs and qrels from what researchers have: files, bytes, dicts, pandas frames and tables."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from poolbench.files.streams import read_bytes
from poolbench.notebooks import Frame
from poolbench.runs.file_forms import find_file_form
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.qrels import read_qrels as parse_qrels
from poolbench.runs.runs import read_run as parse_run
from poolbench.runs.runs import run_from_rows
from poolbench.runs.sampled_qrels import SampledQrels, build_prels_sample, is_frame_file, read_frame
from poolbench.runs.tables import QrelsTable, RunTable

File: TypeAlias = "str | os.PathLike[str] | bytes"
RunLike: TypeAlias = "RunTable | File | Mapping[str, Mapping[str, float]] | Frame"
RunsLike: TypeAlias = "Mapping[str, RunLike] | Iterable[RunLike]"
QrelsSource: TypeAlias = "QrelsTable | File | Mapping[str, Mapping[str, int]] | Frame"
SampleSource: TypeAlias = (
    "SampledQrels | File | Mapping[str, Mapping[str, tuple[int | None, float]]] | Frame"
)
JudgedSource: TypeAlias = "QrelsSource | SampleSource"

TOPIC = ("topic", "query_id", "qid", "query", "q_id", "topic_id")
DOCNO = ("docno", "doc_id", "docid", "document", "d_id", "document_id")
SCORE = ("score", "sim", "s")
GRADE = ("grade", "relevance", "rel", "label", "judgment")
PROBABILITY = ("probability", "pi", "inclusion")
DRAWN = ("drawn",)
TAG = ("tag", "run", "name", "run_id", "system")
ONE_RUN = (
    "expected several runs: a list, or a dict by run tag; this dict is by topic, as one run or "
    "qrels are (pass runs first, then qrels)"
)
NO_PARQUET = 'reading Parquet needs pyarrow: pip install "poolbench[parquet]"'


def read_run(source: RunLike, *, tag: str = "") -> RunTable:
    """Read a run.

    Parameters
    ----------
    source : path, bytes, dict, DataFrame or RunTable
        A file in TREC format, plain or gzip, or a ``.parquet`` file; the bytes of such a file; a
        dict ``{topic: {docno: score}}``; or a frame with columns for topic, docno and score.
    tag : str, optional
        The run tag, instead of that in the file.

    Returns
    -------
    RunTable
        Documents by topic, score descending, then docno descending.

    Raises
    ------
    InvalidFile
        With every fault of the file by line and column.
    ValueError
        For a duplicate document, a score that is not finite, or IDs that are not strings.

    Examples
    --------
    >>> import poolbench as pb
    >>> run = pb.read_run({"1": {"a": 2.0, "b": 3.0}}, tag="mine")
    >>> run.tag, len(run), run.topics
    ('mine', 2, ('1',))
    """
    if isinstance(source, RunTable):
        return replace(source, tag=tag) if tag else source
    if is_parquet(source):
        return read_run(read_parquet(source), tag=tag or Path(source).stem)
    if isinstance(source, str | os.PathLike | bytes):
        table = parse_run(read_bytes(source), file=source_name(source), lenient=True)
        return replace(table, tag=tag) if tag else table
    if isinstance(source, Mapping):
        return run_from_rows(tag or "run", _iter_table_pairs(source, float))
    named = tag or next(iter(_column(source, TAG, required=False)), "run")
    return run_from_rows(str(named), _iter_frame_rows(source, SCORE, float))


def read_runs(runs: RunsLike) -> list[RunTable]:
    """Read several runs with distinct tags.

    Parameters
    ----------
    runs : dict or iterable
        Runs as in ``read_run``, by tag or with their own tags.

    Returns
    -------
    list of RunTable

    Raises
    ------
    ValueError
        If two runs have the same tag.

    Examples
    --------
    >>> import poolbench as pb
    >>> [run.tag for run in pb.read_runs({"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})]
    ['x', 'y']
    """
    if isinstance(runs, str | bytes | os.PathLike | RunTable):
        raise TypeError("expected several runs: a list, or a dict by run tag")
    if isinstance(runs, Mapping):
        if any(isinstance(run, Mapping) and not _is_nested(run) for run in runs.values()):
            raise TypeError(ONE_RUN)
        tables = [read_run(run, tag=tag) for tag, run in runs.items()]
    else:
        tables = [read_run(run) for run in runs]
    tags = [table.tag for table in tables]
    if repeated := sorted({tag for tag in tags if tags.count(tag) > 1}):
        raise ValueError(f"duplicate run tags: {', '.join(repeated)}; pass the runs as a dict")
    return tables


def read_qrels_table(source: QrelsSource) -> QrelsTable:
    """Qrels with their docnos, for what pools, compares and writes judgments."""
    if isinstance(source, QrelsTable):
        return source
    if is_parquet(source):
        return read_qrels_table(read_parquet(source))
    if isinstance(source, str | os.PathLike | bytes):
        return parse_qrels(read_bytes(source), file=source_name(source))
    pairs = (
        _iter_table_pairs(source, to_integer_grade)
        if isinstance(source, Mapping)
        else _iter_frame_rows(source, GRADE, to_integer_grade)
    )
    return qrels_from_rows(pairs)


def has_probabilities(source: JudgedSource) -> bool:
    """Whether judgments are a sample with probabilities rather than qrels: by the first line of a
    file, the values of a dict, the columns of a frame.
    """
    if isinstance(source, QrelsTable | SampledQrels):
        return isinstance(source, SampledQrels)
    if is_parquet(source):
        return has_probabilities(read_parquet(source))
    if isinstance(source, str | os.PathLike | bytes):
        return is_frame_file(read_bytes(source))
    if isinstance(source, Mapping):
        inner = (value for documents in source.values() for value in documents.values())
        return isinstance(next(inner, None), tuple)
    return any(str(column).lower() in PROBABILITY for column in source.columns)


def read_sample_table(source: SampleSource) -> SampledQrels:
    """All pairs that could be drawn, with their grades and probabilities: a file of the format
    ``frame``, a dict ``{topic: {docno: (grade, probability)}}``, or a pandas frame with columns for
    topic, docno, grade and probability. Unjudged pairs have no grade, or -1; grades of pairs that
    are not ``drawn`` by a column of that name do not count.
    """
    if isinstance(source, SampledQrels):
        return source
    if is_parquet(source):
        return read_sample_table(read_parquet(source))
    if isinstance(source, str | os.PathLike | bytes):
        return read_frame(read_bytes(source), file=source_name(source))
    if isinstance(source, Mapping):
        return build_prels_sample(
            (topic, docno, _grade_or_none(grade), float(probability))
            for topic, docno, (grade, probability) in _iter_table_pairs(source, tuple)
        )
    columns = [_column(source, names) for names in (TOPIC, DOCNO, GRADE, PROBABILITY)]
    drawn = _column(source, DRAWN, required=False) or [True] * len(columns[0])
    return build_prels_sample(
        (_id(topic), _id(docno), _grade_or_none(grade if own else None), float(probability))
        for topic, docno, grade, probability, own in zip(*columns, drawn, strict=True)
    )


def _grade_or_none(value: Any) -> int:
    """A grade, or -1 for None, NaN and the NA of pandas, which do not equal themselves."""
    is_known = value is not None and str(value == value) == "True"
    return to_integer_grade(value) if is_known else -1


def is_swapped(runs: Iterable[Any], qrels: Any) -> bool:
    """Whether one of ``runs`` has the form of qrels, and ``qrels`` that of a run.

    Files and bytes by their first line, frames by their columns; of dicts, integers are grades and
    floats are scores.
    """
    return _find_form(qrels) == "run" and any(_find_form(run) == "qrels" for run in runs)


def _find_form(source: Any) -> str:
    if isinstance(source, str | os.PathLike | bytes) and not is_parquet(source):
        return find_file_form(read_bytes(source))
    if not isinstance(source, Mapping):
        names = {str(column).lower() for column in getattr(source, "columns", ())}
        return "run" if names & {*SCORE} else "qrels" if names & {*GRADE} else ""
    pairs = (documents for documents in source.values() if isinstance(documents, Mapping))
    kinds = {type(value) for documents in pairs for value in documents.values()}
    return "qrels" if kinds == {int} else "run" if kinds == {float} else ""


def source_name(source: File) -> str:
    return "" if isinstance(source, bytes) else Path(source).name


def to_integer_grade(value: Any) -> int:
    """A grade; accepts 1.0, rejects 1.5."""
    if int(value) != value:
        raise ValueError(f"a grade must be an integer, not {value!r}")
    return int(value)


def is_parquet(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(source, str | os.PathLike) and Path(source).suffix == ".parquet"


def read_parquet(source: str | os.PathLike[str]) -> Frame:
    """The frame in a Parquet file. Raises ``ImportError`` without pyarrow."""
    import pandas

    try:
        return pandas.read_parquet(source, dtype_backend="numpy_nullable")
    except ImportError as error:
        raise ImportError(NO_PARQUET) from error


def _is_nested(table: Mapping[str, Any]) -> bool:
    return all(isinstance(documents, Mapping) for documents in table.values())


def _iter_table_pairs(
    table: Mapping[str, Mapping[str, Any]], kind: Any
) -> Iterable[tuple[str, str, Any]]:
    if not _is_nested(table):
        raise TypeError("expected a dict by topic of dicts by docno: {topic: {docno: number}}")
    for topic, documents in table.items():
        for docno, value in documents.items():
            yield _id(topic), _id(docno), kind(value)


def _iter_frame_rows(
    frame: Frame, value: tuple[str, ...], kind: Any
) -> Iterable[tuple[str, str, Any]]:
    columns = (_column(frame, names) for names in (TOPIC, DOCNO, value))
    for topic, docno, number in zip(*columns, strict=True):
        yield _id(topic), _id(docno), kind(number)


def _column(frame: Frame, names: tuple[str, ...], *, required: bool = True) -> list[Any]:
    if not hasattr(frame, "columns"):
        raise TypeError(
            "pass the run or the qrels themselves: a path, bytes, dict or pandas frame, "
            f"not {type(frame)}"
        )
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
