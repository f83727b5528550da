"""How much was retrieved, how much of it is relevant, over how many topics."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from evaluation.core.batch import Batch, Floats
from evaluation.core.measures.family import Example, Family

_SOURCE = "trec_eval."
_RANKED, _JUDGED = (1, 0, None, 2), (2, 1, 1, 0, 0, -1)


def topics(batch: Batch) -> Floats:
    return np.ones(len(batch))


def retrieved(batch: Batch) -> Floats:
    return batch.lengths.astype(np.float64)


def relevant(batch: Batch) -> Floats:
    return batch.relevant.astype(np.float64)


def relevant_retrieved(batch: Batch) -> Floats:
    return batch.count(batch.is_relevant).astype(np.float64)


NUM_Q = Family(
    Card(
        name="num_q",
        title="Topics averaged",
        formula="number of topics in the means",
        reading="Over how many topics the means below are taken.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("Printed for all topics together only.",),
    ),
    topics,
    (Example(_RANKED, _JUDGED, 1.0, "one topic"),),
    spellings=("NumQ",),
    aggregate="sum",
    whole=True,
    summary_only=True,
)

NUM_RET = Family(
    Card(
        name="num_ret",
        title="Documents retrieved",
        formula="number of documents retrieved (after -M and -J), summed over topics",
        reading="How many documents of the run were looked at.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("Topics without judgments do not count.",),
    ),
    retrieved,
    (Example(_RANKED, _JUDGED, 4.0, "four documents"),),
    spellings=("NumRet",),
    aggregate="sum",
    whole=True,
)

NUM_REL = Family(
    Card(
        name="num_rel",
        title="Relevant documents",
        formula="R = number of documents with grade ≥ level, summed over topics",
        reading="How many relevant documents the judges found.",
        source=_SOURCE,
        range="0 and up",
        edge_cases=("With a level above 1, trec_eval -c sums grades above 0 instead.",),
    ),
    relevant,
    (Example(_RANKED, _JUDGED, 3.0, "grades 2, 1 and 1 reach level 1"),),
    spellings=("NumRel",),
    aggregate="sum",
    whole=True,
)

NUM_REL_RET = Family(
    Card(
        name="num_rel_ret",
        title="Relevant documents retrieved",
        formula="number of retrieved documents with grade ≥ level, summed over topics",
        reading="How many of the relevant documents the run found at any rank.",
        source=_SOURCE,
        range="0 to num_rel",
    ),
    relevant_retrieved,
    (Example(_RANKED, _JUDGED, 2.0, "at ranks 1 and 4"),),
    spellings=("NumRelRet",),
    aggregate="sum",
    whole=True,
)
