"""Counts: topics, documents retrieved, relevant documents."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import MeasureFamily, WorkedExample

_SOURCE = "trec_eval."
_RANKED, _JUDGED = (1, 0, None, 2), (2, 1, 1, 0, 0, -1)


def count_topics(batch: ScoringBatch) -> Floats:
    return np.ones(len(batch))


def count_retrieved(batch: ScoringBatch) -> Floats:
    return batch.lengths.astype(np.float64)


def count_relevant(batch: ScoringBatch) -> Floats:
    return batch.relevant.astype(np.float64)


def relevant_of_grade_1(batch: ScoringBatch) -> float | None:
    """trec_eval's sum over all judged topics counts grades above 0 at any relevance level."""
    options = batch.options
    if not options.profile.counts_grade_1 or options.topics != "judged":
        return None
    return float((batch.judged.grades > 0).sum())


def relevant_retrieved(batch: ScoringBatch) -> Floats:
    return batch.count(batch.is_relevant).astype(np.float64)


def nonrelevant_retrieved(batch: ScoringBatch) -> Floats:
    return batch.count(batch.is_nonrelevant).astype(np.float64)


NUM_Q = MeasureFamily(
    Card(
        name="num_q",
        title="Topics",
        formula="number of topics in the means",
        reading="Number of topics over which the means are taken.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("Reported over all topics only.",),
    ),
    count_topics,
    (WorkedExample(_RANKED, _JUDGED, 1.0, "one topic"),),
    spellings=("NumQ",),
    modifiers=("rel",),
    aggregate="sum",
    whole=True,
    group="counts",
    summary_only=True,
    better="neither",
)

NUM_RET = MeasureFamily(
    Card(
        name="num_ret",
        title="Documents retrieved",
        formula="number of documents retrieved (after -M and -J), summed over topics",
        reading="Number of documents of the run that are evaluated.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("Topics without judgments are not counted.",),
    ),
    count_retrieved,
    (WorkedExample(_RANKED, _JUDGED, 4.0, "4 documents"),),
    spellings=("NumRet",),
    modifiers=("list",),
    aggregate="sum",
    whole=True,
    group="counts",
    better="neither",
)

NUM_REL = MeasureFamily(
    Card(
        name="num_rel",
        title="Relevant documents",
        formula="R = number of documents with grade ≥ level, summed over topics",
        reading="Number of relevant documents that the assessors found.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("With a relevance level above 1, trec_eval -c sums grades above 0 instead.",),
    ),
    count_relevant,
    (WorkedExample(_RANKED, _JUDGED, 3.0, "grades 2, 1 and 1 are ≥ level 1"),),
    spellings=("NumRel",),
    modifiers=("rel",),
    aggregate="sum",
    overall=relevant_of_grade_1,
    whole=True,
    group="counts",
    better="neither",
)

NUM_REL_RET = MeasureFamily(
    Card(
        name="num_rel_ret",
        title="Relevant documents retrieved",
        formula="number of retrieved documents with grade ≥ level, summed over topics",
        reading="Number of relevant documents that the run retrieved at any rank.",
        source=_SOURCE,
        range="0 to num_rel",
    ),
    relevant_retrieved,
    (WorkedExample(_RANKED, _JUDGED, 2.0, "at ranks 1 and 4"),),
    spellings=("NumRelRet",),
    modifiers=("rel",),
    aggregate="sum",
    whole=True,
    group="counts",
)

NUM_NONREL_JUDGED_RET = MeasureFamily(
    Card(
        name="num_nonrel_judged_ret",
        title="Judged non-relevant documents retrieved",
        formula="number of retrieved documents with 0 ≤ grade < level, summed over topics",
        reading="Number of retrieved documents that were judged non-relevant.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("Unjudged documents and grades below 0 are not counted.",),
    ),
    nonrelevant_retrieved,
    (WorkedExample(_RANKED, _JUDGED, 1.0, "at rank 2"),),
    modifiers=("rel",),
    aggregate="sum",
    whole=True,
    group="counts",
    better="neither",
)
