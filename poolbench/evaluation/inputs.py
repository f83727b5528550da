"""Judgments to score runs against, and both sources of a score."""

import os
from collections.abc import Mapping
from typing import TypeAlias

from poolbench.evaluation.judgments import JudgmentTable
from poolbench.files.streams import read_bytes
from poolbench.runs.inputs import (
    QrelsSource,
    RunsLike,
    is_swapped,
    read_qrels_table,
    read_runs,
    source_name,
)
from poolbench.runs.sampled_qrels import READERS, SampledQrels
from poolbench.runs.tables import RunTable

SWAPPED = "these look swapped: pass the run first, then the qrels"
QrelsLike: TypeAlias = "JudgmentTable | SampledQrels | QrelsSource"


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
    if form not in READERS:
        raise ValueError(f"unknown form {form!r}; use one of {', '.join(READERS)}")
    if isinstance(source, JudgmentTable):
        return source
    if form != "qrels" and isinstance(source, str | os.PathLike | bytes):
        return read_qrels(READERS[form](read_bytes(source), file=source_name(source)))
    if isinstance(source, SampledQrels):
        return JudgmentTable.from_sampled(source)
    return JudgmentTable.from_table(read_qrels_table(source))


def read_sources(runs: RunsLike, qrels: QrelsLike) -> tuple[list[RunTable], JudgmentTable]:
    """Runs and qrels; raises ``ValueError`` if they look swapped, else what reading them raises."""
    listed = runs if isinstance(runs, Mapping | str | bytes | os.PathLike | RunTable) else [*runs]
    sources = listed.values() if isinstance(listed, Mapping) else listed
    if isinstance(qrels, Mapping) and is_swapped(sources, qrels):
        raise ValueError(SWAPPED)
    try:
        return read_runs(listed), read_qrels(qrels)
    except ValueError as error:
        if not is_swapped(sources, qrels):
            raise
        raise ValueError(SWAPPED) from error
