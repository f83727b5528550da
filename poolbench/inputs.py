"""What every function of the library accepts as runs, qrels and judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from campaigns.core.sampled_qrels import READERS, SampledQrels
from campaigns.core.streams import read_bytes
from campaigns.core.tables import QrelsTable, RunTable
from evaluation.core.inputs import (
    File,
    QrelsLike,
    RunLike,
    as_judged,
    as_qrels,
    as_run,
    source_name,
)
from evaluation.core.judgments import JudgmentTable
from pooling.core.spec import PoolSpec, depth_spec
from pooling.core.spec_file import read_spec as parse_spec

if TYPE_CHECKING:
    from pandas import DataFrame

ASSESSOR = ("assessor", "judge", "annotator", "worker", "user")
RunsLike: TypeAlias = "Mapping[str, RunLike] | Iterable[RunLike]"
SpecLike: TypeAlias = "PoolSpec | int | File | Mapping[str, Any]"
JudgmentsLike: TypeAlias = "Mapping[str, QrelsLike] | DataFrame"
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
    table = as_run(load_parquet(source), tag=tag)
    if is_parquet(source) and table.tag == "run":
        table = replace(table, tag=Path(source).stem)
    return replace(table, tag=tag) if tag else table


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
        tables = [read_run(run, tag=tag) for tag, run in runs.items()]
    else:
        tables = [read_run(run) for run in runs]
    tags = [table.tag for table in tables]
    if repeated := sorted({tag for tag in tags if tags.count(tag) > 1}):
        raise ValueError(f"duplicate run tags: {', '.join(repeated)}; pass the runs as a dict")
    return tables


def read_qrels(source: QrelsLike, *, form: str = "qrels") -> JudgmentTable:
    """Read qrels, once for many runs.

    Parameters
    ----------
    source : path, bytes, dict, DataFrame or table
        As in ``read_run``, with integer grades instead of scores.
    form : {"qrels", "strata", "prels"}
        The form of a file; the last two have the judgments of a sample.

    Returns
    -------
    JudgmentTable

    Examples
    --------
    >>> import poolbench as pb
    >>> pb.read_qrels({"1": {"a": 2, "b": 0}}).topics
    ('1',)
    """
    if isinstance(source, JudgmentTable):
        return source
    if form != "qrels" and isinstance(source, str | os.PathLike | bytes):
        if form not in READERS:
            raise ValueError(f"unknown form {form!r}; use one of {', '.join(READERS)}")
        return as_judged(READERS[form](read_bytes(source), file=source_name(source)))
    return as_judged(load_parquet(source))


def read_spec(source: SpecLike) -> PoolSpec:
    """Read a pool spec.

    Parameters
    ----------
    source : int, path, bytes or dict
        A pool depth, or a spec: a YAML or JSON file, its bytes, or its content.

    Returns
    -------
    PoolSpec

    Raises
    ------
    InvalidFile
        With every fault of the spec.

    Examples
    --------
    >>> import poolbench as pb
    >>> pb.read_spec(10).cutoff
    10
    >>> pb.read_spec({"version": 1, "steps": [{"method": "depth", "k": 5}]}).is_adaptive
    False
    """
    if isinstance(source, PoolSpec):
        return source
    if isinstance(source, int):
        if source < 1:
            raise ValueError(f"the pool depth must be at least 1, not {source}")
        return depth_spec(source)
    if isinstance(source, Mapping):
        return parse_spec(dict(source))
    return parse_spec(read_bytes(source), file=source_name(source) or "the spec")


def read_table(source: QrelsLike) -> QrelsTable:
    """Qrels with their docnos, for what pools and compares judgments."""
    if isinstance(source, JudgmentTable | SampledQrels):
        raise TypeError("pass the qrels themselves: a path, bytes, dict or frame")
    return as_qrels(load_parquet(source))


def read_qrels_by_assessor(judgments: JudgmentsLike) -> dict[str, QrelsTable]:
    """The qrels of each assessor, from a dict by assessor, or a frame with one row per judgment."""
    if isinstance(judgments, Mapping):
        return {str(name): read_table(source) for name, source in judgments.items()}
    frame = load_parquet(judgments)
    if not hasattr(frame, "columns"):
        raise TypeError("expected a dict of qrels by assessor, or a pandas frame")
    named = {str(column).lower(): column for column in frame.columns}
    column = next((named[name] for name in ASSESSOR if name in named), None)
    if column is None:
        raise ValueError(f"missing column {ASSESSOR[0]} (or one of {', '.join(ASSESSOR[1:])})")
    return {str(name): read_table(part) for name, part in frame.groupby(column)}


def is_parquet(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(source, str | os.PathLike) and Path(source).suffix == ".parquet"


def load_parquet(source: Any) -> Any:
    """``source`` itself, or the frame in a Parquet file. Raises ``ImportError`` without pyarrow."""
    if not is_parquet(source):
        return source
    import pandas

    try:
        return pandas.read_parquet(source, dtype_backend="numpy_nullable")
    except ImportError as error:
        raise ImportError(NO_PARQUET) from error
