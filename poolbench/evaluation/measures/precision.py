"""Precision and recall at a cut-off, R-precision and relative precision."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_K = Parameter("k", "Rank cut-off.", kind="rank")
_worked = partial(WorkedExample, (1, 0, 1, 0, 1, 0), (1, 1, 1, 1, 0, 0, 0))


def relevant_at_k(batch: ScoringBatch, k: int | Ints | Floats) -> Ints:
    """Relevant documents in the first ``k`` of each ranking; ``k`` is one number or by segment."""
    last = k if isinstance(k, int) else k[batch.segment]
    return batch.count(batch.is_relevant & (batch.ranks <= last))


def precision(batch: ScoringBatch, *, k: int) -> Floats:
    return relevant_at_k(batch, k) / k


def recall(batch: ScoringBatch, *, k: int) -> Floats:
    return safe_ratio(relevant_at_k(batch, k), batch.relevant)


def precision_at_multiple(batch: ScoringBatch, *, multiple: float) -> Floats:
    # Keep a float: a large multiple exceeds the range of 64-bit integers.
    rank = np.floor(multiple * batch.relevant + 0.9)
    return safe_ratio(relevant_at_k(batch, rank), rank)


_at_cutoff = partial(MeasureFamily, parameters=(_K,), suffix="k", bare=CUTOFFS)
R_PRECISION = MeasureFamily(
    name="Rprec",
    title="R-precision",
    formula="relevant documents in the first R / R",
    reading="Precision at rank R, where precision and recall are equal.",
    source="trec_eval Rprec.",
    edge_cases=(
        "R = 0: the value is 0.",
        "A run that retrieves fewer than R documents is still divided by R.",
    ),
    compute=lambda batch: safe_ratio(relevant_at_k(batch, batch.relevant), batch.relevant),
    examples=(_worked(1 / 2, "R = 4: 2 of the first 4"),),
    spellings=("RPrec",),
)

R_PRECISION_MULTIPLE = MeasureFamily(
    name="Rprec_mult",
    title="Precision at a multiple of R",
    formula="relevant documents in the first k / k, k = floor(multiple · R + 0.9)",
    reading="Precision at cut-offs relative to R, comparable across topics: multiples below "
    "1 look at the top of the ranking, multiples above 1 further down.",
    source="trec_eval Rprec_mult.",
    parameters=(Parameter("multiple", "Cut-off as a multiple of R.", kind="multiple"),),
    edge_cases=(
        "R = 0, or a multiple so small that k = 0: the value is 0.",
        "A run that retrieves fewer than k documents is still divided by k.",
        "floor(… + 0.9) is the rounding rule of all versions of trec_eval and of all profiles.",
    ),
    compute=precision_at_multiple,
    examples=(
        _worked(1 / 2, "k = floor(0.5 · 4 + 0.9) = 2: 1 of 2", "Rprec_mult_0.50"),
        _worked(1 / 2, "k = floor(1.4 · 4 + 0.9) = 6: 3 of 6", "Rprec_mult_1.40"),
    ),
    suffix="multiple",
    bare=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0),
)

PRECISION = _at_cutoff(
    name="P",
    title="Precision at cut-off k",
    formula="relevant documents in the first k / k",
    reading="The proportion of the first k documents that are relevant.",
    source="trec_eval P.",
    edge_cases=("A run that retrieves fewer than k documents is still divided by k.",),
    compute=precision,
    examples=(_worked(3 / 5, "3 of 5", "P_5"),),
    cut_spellings=("P", "Precision"),
)

RECALL = _at_cutoff(
    name="recall",
    title="Recall at cut-off k",
    formula="relevant documents in the first k / R",
    reading="The proportion of the known relevant documents that are in the first k.",
    source="trec_eval recall.",
    edge_cases=("R = 0: the value is 0.",),
    compute=recall,
    examples=(_worked(3 / 4, "3 of 4", "recall_5"),),
    cut_spellings=("R", "Recall", "recall"),
)

RELATIVE_PRECISION = _at_cutoff(
    name="relative_P",
    title="Relative precision at cut-off k",
    formula="relevant documents in the first k / min(k, R)",
    reading="Precision relative to the maximum possible for the topic: P@k if R ≥ k, "
    "recall@k otherwise.",
    source="trec_eval relative_P.",
    edge_cases=(
        "R = 0: the value is 0.",
        "A run that retrieves fewer than k documents is still divided by min(k, R).",
    ),
    compute=lambda batch, *, k: safe_ratio(relevant_at_k(batch, k), np.minimum(k, batch.relevant)),
    examples=(
        _worked(2 / 3, "2 of min(3, 4)", "relative_P_3"),
        _worked(3 / 4, "3 of min(5, 4)", "relative_P_5"),
    ),
)
