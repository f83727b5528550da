"""Search length."""

from __future__ import annotations

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample


def search_length(batch: ScoringBatch) -> Floats:
    first = batch.is_relevant & (batch.relevant_so_far == 1)
    length = np.full(len(batch), np.nan)
    length[batch.segment[first]] = batch.ranks[first]
    return length


SEARCH_LENGTH = MeasureFamily(
    name="search_length",
    title="Search length",
    formula="rank of the first relevant document",
    reading="Number of documents a user views up to and including the first relevant one.",
    source="Lecture slides CS276, with a single relevant document; Cooper, American "
    "Documentation 19(1), 1968, counts the non-relevant documents before it, one less.",
    range="1 and up",
    edge_cases=("Lower is better.", "The reciprocal of recip_rank for each topic."),
    undefined="no relevant document is retrieved for the topic; the topic is left out of the mean.",
    compute=search_length,
    examples=(WorkedExample((0, None, 2, 1), (2, 1, 0), 3.0, "first relevant document at rank 3"),),
    better="lower",
)
