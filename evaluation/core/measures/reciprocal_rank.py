"""The first relevant document: how early, and whether it comes at all."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.precision import relevant_at_k


def reciprocal_rank(batch: ScoringBatch, *, k: int | None = None) -> Floats:
    first = batch.is_relevant & (batch.relevant_so_far == 1)
    if k is not None:
        first &= batch.ranks <= k
    return batch.sums(1.0 / batch.ranks[first], first)


def success(batch: ScoringBatch, *, k: int) -> Floats:
    return (relevant_at_k(batch, k) > 0).astype(np.float64)


RECIPROCAL_RANK = MeasureFamily(
    Card(
        name="recip_rank",
        title="Reciprocal rank",
        formula="1 / rank of the first relevant document",
        reading="How early the first relevant document comes; its mean over topics is MRR.",
        source="Voorhees, TREC-8 question answering track; trec_eval recip_rank.",
        parameters=(Parameter("k", "Ranks looked at, as in MRR@10; without it all.", kind="rank"),),
        edge_cases=(
            "Nothing relevant retrieved counts as 0, with k nothing in the first k.",
            "trec_eval has no cut-off: it would be -M k.",
        ),
    ),
    reciprocal_rank,
    (
        WorkedExample((0, None, 2, 1), (2, 1, 0), 1 / 3, "the first is at rank 3"),
        WorkedExample((0, None, 2, 1), (2, 1, 0), 0.0, "none in the first 2", "recip_rank_2"),
    ),
    spellings=("RR", "MRR"),
    cut_spellings=("RR", "MRR"),
    suffix="k",
)

SUCCESS = MeasureFamily(
    Card(
        name="success",
        title="Success at rank k",
        formula="1 if a relevant document is in the first k, else 0",
        reading="Whether the first k answer at all; its mean is the share of topics they answer.",
        source="Tomlinson, ROBUST track of TREC 2004; trec_eval success.",
        parameters=(Parameter("k", "Ranks looked at.", kind="rank"),),
        range="0 or 1",
        edge_cases=("R = 0 counts as 0.",),
    ),
    success,
    (
        WorkedExample((0, None, 2, 1), (2, 1, 0), 0.0, "none in the first 1", "success_1"),
        WorkedExample((0, None, 2, 1), (2, 1, 0), 1.0, "the first is at rank 3", "success_5"),
    ),
    cut_spellings=("Success",),
    suffix="k",
    bare=(1, 5, 10),
)
