"""Measures of the first relevant document: its rank, and whether it is retrieved at all."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.precision import relevant_at_k


def reciprocal_rank(batch: ScoringBatch, *, k: int | None = None) -> Floats:
    first = _first_hits(batch)
    if k is not None:
        first = first[batch.ranks[first] <= k]
    return batch.sums(1.0 / batch.ranks[first], first)


def success(batch: ScoringBatch, *, k: int) -> Floats:
    return (relevant_at_k(batch, k) > 0).astype(np.float64)


def search_length(batch: ScoringBatch) -> Floats:
    first = _first_hits(batch)
    length = np.full(len(batch), np.nan)
    length[batch.segment[first]] = batch.ranks[first]
    return length


def _first_hits(batch: ScoringBatch) -> Ints:
    """The first relevant row of each segment that has one."""
    first: Ints = batch.hits[batch.relevant_at_hits == 1]
    return first


_worked = partial(WorkedExample, (0, None, 2, 1), (2, 1, 0))
RECIPROCAL_RANK = MeasureFamily(
    name="recip_rank",
    title="Reciprocal rank",
    formula="1 / rank of the first relevant document",
    reading="How early the first relevant document is ranked; the mean over topics is MRR.",
    source="Voorhees, TREC-8 question answering track; trec_eval recip_rank.",
    parameters=(Parameter("k", "Rank cut-off, as in MRR@10; default: no cut-off.", kind="rank"),),
    edge_cases=(
        "No relevant document retrieved (with k: in the first k): the value is 0.",
        "trec_eval has no cut-off for this measure; the equivalent is -M k.",
    ),
    compute=reciprocal_rank,
    examples=(
        _worked(1 / 3, "first relevant document at rank 3"),
        _worked(0.0, "no relevant document in the first 2", "recip_rank_2"),
    ),
    spellings=("RR", "MRR"),
    cut_spellings=("RR", "MRR"),
    suffix="k",
)

SUCCESS = MeasureFamily(
    name="success",
    title="Success at cut-off k",
    formula="1 if a relevant document is in the first k, else 0",
    reading="Whether the first k contain a relevant document; the mean is the proportion of "
    "topics for which they do.",
    source="Tomlinson, ROBUST track of TREC 2004; trec_eval success.",
    parameters=(Parameter("k", "Rank cut-off.", kind="rank"),),
    range="0 or 1",
    edge_cases=("R = 0: the value is 0.",),
    compute=success,
    examples=(
        _worked(0.0, "no relevant document in the first 1", "success_1"),
        _worked(1.0, "first relevant document at rank 3", "success_5"),
    ),
    cut_spellings=("Success",),
    suffix="k",
    bare=(1, 5, 10),
)


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
    examples=(_worked(3.0, "first relevant document at rank 3"),),
    better="lower",
)
