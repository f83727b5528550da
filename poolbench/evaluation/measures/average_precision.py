"""Average precision and its variants: at cut-off k, and as a geometric mean over topics."""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.precision import CUTOFFS

_worked = partial(WorkedExample, (1, 0, 1, 0, 1), (1, 1, 1, 0, 0))


def average_precision(batch: ScoringBatch, *, k: int | None = None) -> Floats:
    return safe_ratio(_precision_sum(batch, k), batch.relevant)


def average_over_seen(batch: ScoringBatch) -> Floats:
    return safe_ratio(_precision_sum(batch), batch.count(batch.is_relevant))


def average_over_ranks(batch: ScoringBatch) -> Floats:
    """The mean precision over all ranks down to the last relevant document retrieved."""
    hits = batch.is_relevant
    segment, ranks = batch.segment[hits], batch.ranks[hits]
    last = np.zeros(len(batch), np.int64)
    last[segment] = ranks  # ranks rise within a segment, so the last one stays
    # A document at rank r counts in the precision at r, r + 1, …: 1/r + 1/(r+1) + …
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, last.max(initial=0) + 1))))
    counted = harmonic[last[segment]] - harmonic[ranks - 1]
    return safe_ratio(batch.sums(counted, hits), last)


def _precision_sum(batch: ScoringBatch, k: int | None = None) -> Floats:
    hits, relevant = batch.hits, batch.relevant_at_hits
    if k is not None:
        within = batch.ranks[hits] <= k
        hits, relevant = hits[within], relevant[within]
    return batch.sums(relevant / batch.ranks[hits], hits)


READINGS = {"relevant": average_precision, "seen": average_over_seen, "ranks": average_over_ranks}
_OVER = Parameter(
    "over",
    "What is averaged: the precision at all R `relevant` documents, 0 for those not "
    "retrieved (the standard); at the relevant documents retrieved (`seen`); or at all "
    "`ranks` down to the last relevant document retrieved.",
    "relevant",
    tuple(READINGS),
)

_worked_of_four = partial(WorkedExample, (1, 0, 1, 0), (1, 1, 1, 0, 0))
MAP = MeasureFamily(
    name="map",
    title="Average precision (mean over topics: MAP)",
    formula="1/R · Σ over retrieved relevant documents of precision at their rank",
    reading="Mean of the precision at the rank of each relevant document; relevant "
    "documents not retrieved count as 0.",
    source="Buckley and Voorhees 2000; trec_eval map. over=seen: Modern Information "
    "Retrieval, chapter 4. over=ranks: lecture slides ISE 540, interpretation 1.",
    parameters=(_OVER,),
    edge_cases=(
        "R = 0: the value is 0.",
        "Equals the area under the uninterpolated precision–recall curve.",
        (
            "over=seen and over=ranks ignore relevant documents not retrieved: one "
            "relevant document at rank 1 can give 1."
        ),
    ),
    compute=lambda batch, *, over="relevant": READINGS[over](batch),
    examples=(
        _worked(34 / 45, "(1/1 + 2/3 + 3/5) / 3"),
        WorkedExample(
            (None, None, None, None, 1, None, 1, None), (1, 1), 17 / 70, "(1/5 + 2/7) / 2"
        ),
        _worked_of_four(5 / 6, "(1/1 + 2/3) / 2", "map(over=seen)"),
        _worked_of_four(13 / 18, "(1/1 + 1/2 + 2/3) / 3", "map(over=ranks)"),
    ),
    spellings=("AP", "MAP"),
)

GM_MAP = MeasureFamily(
    name="gm_map",
    title="Geometric mean of average precision (GMAP)",
    formula="exp(mean over topics of ln max(map, 0.00001))",
    reading="Average precision that emphasizes difficult topics: doubling 0.01 counts as "
    "much as doubling 0.4.",
    source="Robertson, CIKM 2006; trec_eval gm_map.",
    edge_cases=(
        (
            "Topic values below 0.00001 count as 0.00001, so that one failed topic does "
            "not make the mean 0."
        ),
        "Reported over all topics only.",
    ),
    compute=average_precision,
    examples=(WorkedExample((None, None, None, 1), (1,), 1 / 4, "one topic: exp(ln 1/4)"),),
    spellings=("GMAP",),
    modifiers=("rel", "list", "unjudged"),
    aggregate="geometric",
    summary_only=True,
)

MAP_CUT = MeasureFamily(
    name="map_cut",
    title="Average precision at cut-off k",
    formula="1/R · Σ over relevant documents in the first k of precision at their rank",
    reading="Average precision of the first k documents; relevant documents below rank k "
    "count as 0.",
    source="trec_eval map_cut.",
    parameters=(Parameter("k", "Rank cut-off.", kind="rank"),),
    edge_cases=("R = 0: the value is 0.", "Divided by R even if R > k; the maximum is then k / R."),
    compute=average_precision,
    examples=(_worked(5 / 9, "(1/1 + 2/3) / 3", "map_cut_3"),),
    cut_spellings=("AP", "MAP", "map"),
    suffix="k",
    bare=CUTOFFS,
)
