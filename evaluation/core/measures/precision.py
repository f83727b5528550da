"""Precision and recall at a rank, and R-precision."""

from __future__ import annotations

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import Batch, Floats, ratio
from evaluation.core.measures.family import Example, Family

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_K = Parameter("k", "Ranks looked at.")
_RANKED, _JUDGED = (1, 0, 1, 0, 1, 0), (1, 1, 1, 1, 0, 0, 0)


def precision(batch: Batch, *, k: int) -> Floats:
    return batch.count(batch.is_relevant & (batch.ranks <= k)) / k


def recall(batch: Batch, *, k: int) -> Floats:
    return ratio(batch.count(batch.is_relevant & (batch.ranks <= k)), batch.relevant)


def r_precision(batch: Batch) -> Floats:
    within = batch.ranks <= batch.relevant[batch.segment]
    return ratio(batch.count(batch.is_relevant & within), batch.relevant)


R_PRECISION = Family(
    Card(
        name="Rprec",
        title="R-precision",
        formula="relevant documents in the first R / R",
        reading="Precision at the rank where precision and recall are equal.",
        source="trec_eval Rprec.",
        edge_cases=("R = 0 counts as 0.", "A run shorter than R is divided by R all the same."),
    ),
    r_precision,
    (Example(_RANKED, _JUDGED, 1 / 2, "R = 4: 2 of the first 4"),),
    spellings=("RPrec",),
)

PRECISION = Family(
    Card(
        name="P",
        title="Precision at rank k",
        formula="relevant documents in the first k / k",
        reading="The share of the first k documents that is relevant.",
        source="trec_eval P.",
        parameters=(_K,),
        edge_cases=("A run with fewer than k documents is divided by k all the same.",),
    ),
    precision,
    (Example(_RANKED, _JUDGED, 3 / 5, "3 of 5", "P_5"),),
    cut_spellings=("P", "Precision"),
    cutoffs=CUTOFFS,
)

RECALL = Family(
    Card(
        name="recall",
        title="Recall at rank k",
        formula="relevant documents in the first k / R",
        reading="The share of the known relevant documents that the first k hold.",
        source="trec_eval recall.",
        parameters=(_K,),
        edge_cases=("R = 0 counts as 0.",),
    ),
    recall,
    (Example(_RANKED, _JUDGED, 3 / 4, "3 of 4", "recall_5"),),
    cut_spellings=("R", "Recall", "recall"),
    cutoffs=CUTOFFS,
)
