"""Reciprocal rank."""

from __future__ import annotations

from campaigns.core.cards import Card
from evaluation.core.batch import Batch, Floats
from evaluation.core.measures.family import Example, Family


def reciprocal_rank(batch: Batch) -> Floats:
    first = batch.is_relevant & (batch.relevant_so_far == 1)
    return batch.sums(1.0 / batch.ranks[first], first)


RECIPROCAL_RANK = Family(
    Card(
        name="recip_rank",
        title="Reciprocal rank",
        formula="1 / rank of the first relevant document",
        reading="How early the first relevant document comes; its mean over topics is MRR.",
        source="Voorhees, TREC-8 question answering track; trec_eval recip_rank.",
        edge_cases=("Nothing relevant retrieved counts as 0.",),
    ),
    reciprocal_rank,
    (Example((0, None, 2, 1), (2, 1, 0), 1 / 3, "the first is at rank 3"),),
    spellings=("RR", "MRR"),
)
