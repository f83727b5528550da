"""Labels of many workers to one grade per pair."""

from __future__ import annotations

from campaigns.core.tables import QrelsTable
from evaluation.core.inputs import QrelsLike
from judging.core.aggregation.base import AggregatedLabels, AggregationOptions, aggregate_labels
from judging.core.aggregation.inputs import build_matrix_from_labels, count_gold_from_matrix
from judging.core.aggregation.registry import MODELS
from judging.core.agreement.labels import graded_pairs, labels_from_qrels
from poolbench.inputs import JudgmentsLike, read_qrels_by_assessor, read_table


def aggregate(
    labels: JudgmentsLike,
    model: str = "majority",
    *,
    ties: str = "lowest",
    gold: QrelsLike | None = None,
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
    if model not in MODELS:
        raise ValueError(f"unknown model {model!r}; use one of {', '.join(MODELS)}")
    matrix = build_matrix_from_labels(labels_from_qrels(read_qrels_by_assessor(labels)))
    known: QrelsTable | None = None if gold is None else read_table(gold)
    counts = count_gold_from_matrix(matrix, {} if known is None else graded_pairs(known))
    options = AggregationOptions(ties, counts, iterations, seed=seed)
    return aggregate_labels(MODELS[model], matrix, options)
