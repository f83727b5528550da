"""Judgments of several assessors or workers: their agreement, and one grade per pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from poolbench.files.name_lists import choose_named
from poolbench.judging.aggregation.base import (
    AggregatedLabels,
    AggregationOptions,
    aggregate_labels,
    build_matrix_from_labels,
    count_gold_from_matrix,
)
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.agreement.labels import graded_pairs, labels_from_qrels
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.report import AgreementReport
from poolbench.notebooks import Frame
from poolbench.runs.inputs import QrelsSource, is_parquet, read_parquet, read_qrels_table
from poolbench.runs.tables import QrelsTable

ASSESSOR = ("assessor", "judge", "annotator", "worker", "user")
JudgmentsLike: TypeAlias = "Mapping[str, QrelsSource] | Frame"


def agreement(judgments: JudgmentsLike, *, level: int = 1, binary: bool = False) -> AgreementReport:
    """Compute the inter-assessor agreement.

    Parameters
    ----------
    judgments : dict by assessor, or DataFrame
        Qrels of each assessor (see ``read_qrels``), or a frame with columns for assessor, topic,
        docno and grade.
    level : int
        The lowest relevant grade.
    binary : bool
        First reduce grades to relevant and non-relevant.

    Returns
    -------
    AgreementReport
        ``to_frame()`` has a row per coefficient: over all assessors, and by pair of them.

    Raises
    ------
    ValueError
        With fewer than two assessors.

    Examples
    --------
    >>> import poolbench as pb
    >>> judgments = {"ada": {"1": {"a": 1, "b": 0}}, "ben": {"1": {"a": 1, "b": 1}}}
    >>> report = pb.agreement(judgments)
    >>> report.overall["percent"].value
    0.5
    """
    tables = read_qrels_by_assessor(judgments)
    if len(tables) < 2:
        raise ValueError("agreement needs the judgments of at least two assessors")
    return agreement_report(labels_from_qrels(tables), level, binary=binary)


def aggregate(
    labels: JudgmentsLike,
    model: str = "majority",
    *,
    ties: str = "lowest",
    gold: QrelsSource | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> AggregatedLabels:
    """Aggregate the labels of many workers to one grade per pair.

    Parameters
    ----------
    labels : dict by worker, or DataFrame
        Qrels of each worker (see ``read_qrels``), or a frame with columns for worker, topic, docno
        and grade.
    model : str
        ``majority``, ``weighted-majority``, ``dawid-skene``, ``dawid-skene-one-coin``, ``glad``,
        ``mace`` or ``ordinal``.
    ties : {"lowest", "highest", "undecided"}
        The grade of equally probable ones.
    gold : optional
        Known grades (see ``read_qrels``), by which ``weighted-majority`` weighs the workers.
    iterations : int, optional
        At most so many; default: the model's.
    seed : int
        Of random starts.

    Returns
    -------
    AggregatedLabels
        ``to_frame()`` has a row per pair: grade, labels, entropy and the probability of each grade;
        ``workers_to_frame()`` a row per worker.

    Raises
    ------
    ValueError
        For an unknown model, or one that needs gold without any.

    Examples
    --------
    >>> import poolbench as pb
    >>> labels = {"x": {"1": {"a": 1}}, "y": {"1": {"a": 1, "b": 0}}, "z": {"1": {"a": 0}}}
    >>> pb.aggregate(labels).to_frame()[["docno", "grade", "labels", "p_1"]]
      docno  grade  labels       p_1
    0     a      1       3  0.666667
    1     b      0       1  0.000000
    """
    chosen = choose_named(MODELS, model, "model")
    matrix = build_matrix_from_labels(labels_from_qrels(read_qrels_by_assessor(labels)))
    known = None if gold is None else read_qrels_table(gold)
    counts = count_gold_from_matrix(matrix, {} if known is None else graded_pairs(known))
    options = AggregationOptions(ties, counts, iterations, seed=seed)
    return aggregate_labels(chosen, matrix, options)


def read_qrels_by_assessor(judgments: JudgmentsLike) -> dict[str, QrelsTable]:
    """The qrels of each assessor, from a dict by assessor, or a frame with one row per judgment."""
    if isinstance(judgments, Mapping):
        return {str(name): read_qrels_table(source) for name, source in judgments.items()}
    frame = read_parquet(judgments) if is_parquet(judgments) else judgments
    if not hasattr(frame, "columns"):
        raise TypeError("expected a dict of qrels by assessor, or a pandas frame")
    named = {str(column).lower(): column for column in frame.columns}
    column = next((named[name] for name in ASSESSOR if name in named), None)
    if column is None:
        raise ValueError(f"missing column {ASSESSOR[0]} (or one of {', '.join(ASSESSOR[1:])})")
    return {str(name): read_qrels_table(part) for name, part in frame.groupby(column)}
