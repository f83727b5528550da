"""Inferred average precision, for pools of which a random sample was judged."""

from __future__ import annotations

from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

EPSILON = 1e-5
"""trec_eval's smoothing of the proportion of relevant documents among the judged ones."""


def inferred_average_precision(batch: ScoringBatch) -> Floats:
    hits = batch.is_relevant
    rank = batch.ranks[hits]
    relevant = batch.relevant_so_far[hits] - 1
    judged = relevant + batch.nonrelevant_so_far[hits]
    pooled = judged + batch.running(~batch.is_judged)[hits]
    share = (relevant + EPSILON) / (judged + 2 * EPSILON)
    expected = (1.0 + pooled * share) / rank
    return safe_ratio(batch.sums(expected, hits), batch.relevant)


INFAP = MeasureFamily(
    name="infAP",
    title="Inferred average precision",
    formula="1/R · Σ over retrieved relevant documents of 1/r + p/r · (rel + ε) / (rel + nonrel + "
    "2ε), with p = rel + nonrel + unjudged the pooled documents above rank r and ε = 0.00001",
    reading="Average precision when only a random sample of the pool was judged: the proportion of "
    "relevant documents among the judged ones above a rank is extrapolated to all pooled ones.",
    source="Yilmaz and Aslam, CIKM 2006; trec_eval infAP.",
    edge_cases=(
        "A document with a negative grade is pooled and unjudged.",
        "A document not in the qrels is not pooled and counts as non-relevant.",
        "The judged documents must be a random sample of the pool, with the same rate everywhere.",
        "If the rates differ, use xinfAP or statAP.",
        "R is the number of judged relevant documents. R = 0: the value is 0.",
        "If all pooled documents are judged, it equals map, except for ε.",
        "`evaluate --intervals` reports its sampling error.",
    ),
    compute=inferred_average_precision,
    examples=(
        WorkedExample(
            (1, 0, -1, 1),
            (1, 1, 0, -1, -1),
            0.8125,
            "(1 + 1/4 + 3/4 · 1/2) / 2, ignoring ε",
        ),
    ),
    group="sampled",
)
