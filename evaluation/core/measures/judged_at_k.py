"""How much of what a run retrieved was judged at all."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch
from evaluation.core.judgments import Floats
from evaluation.core.measures.family import MeasureFamily, WorkedExample


def judged_at_k(batch: ScoringBatch, *, k: int) -> Floats:
    seen = np.minimum(batch.lengths, k)
    found = batch.count(batch.is_judged & (batch.ranks <= k))
    share = np.full(len(batch), np.nan)
    np.divide(found, seen, out=share, where=seen > 0)
    return share


def unjudged_at_k(batch: ScoringBatch, *, k: int) -> Floats:
    seen = np.minimum(batch.lengths, k)
    return (seen - batch.count(batch.is_judged & (batch.ranks <= k))) / k


JUDGED = MeasureFamily(
    Card(
        name="judged",
        title="Judged at rank k",
        formula="documents with a grade ≥ 0 in the first k / min(k, documents retrieved)",
        reading="How much of the first k was judged: where it is low, the other measures guess.",
        source="Judged@k of ir_measures, with negative grades counted as not judged.",
        parameters=(Parameter("k", "Ranks looked at.", kind="rank"),),
        edge_cases=("A run with fewer than k documents is divided by what it has.",),
        undefined="nothing is retrieved for the topic; the topic is left out of the mean.",
    ),
    judged_at_k,
    (WorkedExample((1, None, 0, -1), (2, 1, 0, -1), 1 / 2, "2 of min(10, 4)", "judged_10"),),
    cut_spellings=("Judged", "judged"),
    suffix="k",
    bare=(5, 10, 20, 100),
    group="incomplete",
    better="neither",
)

UNJUDGED = MeasureFamily(
    Card(
        name="unj",
        title="Unjudged at rank k",
        formula="documents without a grade ≥ 0 in the first k / k",
        reading="A red flag: where it is high, the run goes where the judges have not been.",
        source="trec_eval 10 unj (9 has none).",
        parameters=(Parameter("k", "Ranks looked at.", kind="rank"),),
        edge_cases=(
            "A run with fewer than k documents is divided by k all the same.",
            "It is 1 − judged@k only where k documents are retrieved.",
            "Nothing retrieved counts as 0.",
        ),
    ),
    unjudged_at_k,
    (WorkedExample((1, None, 0, -1), (2, 1, 0, -1), 2 / 5, "2 of 5", "unj_5"),),
    suffix="k",
    bare=(5, 10, 20),
    group="incomplete",
    better="neither",
)
