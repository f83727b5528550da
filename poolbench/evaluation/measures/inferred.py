"""Measures inferred from a pool of which a random sample was judged: infAP for a single rate, the
others for strata, each sampled at its own rate.

Those follow NIST's sample_eval.pl, which evaluates the first 1,000 documents.
"""

from collections.abc import Mapping
from functools import partial
from math import log2

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, Mask
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.measures.precision import CUTOFFS
from poolbench.evaluation.measures.values import Value
from poolbench.evaluation.strata import (
    EPSILON,
    Strata,
    estimate_relevant_steps,
    number_stratum_groups,
)


def inferred_average_precision(batch: ScoringBatch) -> Floats:
    hits = batch.hits
    rank = batch.ranks[hits]
    relevant = batch.relevant_at_hits - 1
    judged = relevant + batch.nonrelevant_at_hits
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
            (1, 0, -1, 1), (1, 1, 0, -1, -1), 0.8125, "(1 + 1/4 + 3/4 · 1/2) / 2, ignoring ε"
        ),
    ),
    group="sampled",
)


DEPTH = 1000
_worked = partial(WorkedExample, (1, -1, 1, 0), (1, 1, 0, -1, -1), strata="abbbb")
"""Stratum a has one document, judged relevant; b has four, two of them judged."""
_SEEN_A = (1 + EPSILON) / (1 + 3 * EPSILON)
"""Contribution of the relevant document of stratum a: 1, except for ε."""
_SOURCE = "Yilmaz, Kanoulas and Aslam, SIGIR 2008; NIST's sample_eval.pl, which calls it {name}."
_SHARE = (
    "ε = 0.00001: each pooled document of a stratum without a judgment so far counts as 1/3 "
    "relevant."
)
_FIRST = "Only the first 1,000 documents are evaluated, as in sample_eval.pl."
_LISTED = "A document not in the qrels belongs to no stratum and counts as non-relevant."
_ERROR = "`evaluate --intervals` reports its sampling error."
_NEGATIVE = "A document with a negative grade belongs to the stratum but not to its sample."
_UNDEFINED = (
    "the qrels have no strata, a stratum has no judged document, or documents without a "
    "judgment are dropped (-J)."
)
_SEEN = "Σ over strata of pooled · (rel + ε) / (judged + 3ε), all counted in the first {} documents"


def extended_inferred_ap(batch: ScoringBatch) -> Floats:
    batch, strata = batch.cut(DEPTH), Strata.from_judged(batch.judged)
    hits = batch.is_relevant
    total = np.concatenate(([0.0], np.cumsum(estimate_relevant_steps(batch, strata))))
    above = (total[:-1] - total[batch.starts[batch.segment]])[hits]
    weights = strata.weights[batch.judgment_index[hits]]
    expected = batch.sums(weights * (1.0 + above) / batch.ranks[hits], hits)
    relevant = np.minimum(_relevant(batch, strata), DEPTH)
    return _mask_undefined(batch, strata, safe_ratio(expected, relevant))


def inferred_ndcg(batch: ScoringBatch) -> Floats:
    batch, strata = batch.cut(DEPTH), Strata.from_judged(batch.judged)
    group = number_stratum_groups(batch, strata)
    rows = batch.gains > 0
    pooled, judged = np.bincount(group), np.bincount(group, batch.is_judged)
    weights = (pooled / np.maximum(judged, 1.0))[group[rows]]
    gained = weights * batch.gains[rows] / np.log2(1 + batch.ranks[rows])
    ideal = _ideal(batch, strata)[batch.topic_index]
    return _mask_undefined(batch, strata, safe_ratio(batch.sums(gained, rows), ideal))


def inferred_relevant(batch: ScoringBatch) -> Floats:
    strata = Strata.from_judged(batch.judged)
    return _mask_undefined(batch, strata, _relevant(batch, strata))


def depth_conflict(params: Mapping[str, Value]) -> str:
    """The error message for a cut-off below the documents that are evaluated; else empty."""
    k = params.get("k")
    too_deep = isinstance(k, int) and k > DEPTH
    return f"the cut-off must be at most {DEPTH:,}, the documents evaluated." if too_deep else ""


def estimate_relevant_within(batch: ScoringBatch, k: int) -> Floats:
    """The estimated number of relevant documents among the first ``k``, by segment."""
    strata = Strata.from_judged(batch.judged)
    rows = batch.ranks <= min(k, DEPTH)
    steps = estimate_relevant_steps(batch, strata)[rows]
    return _mask_undefined(batch, strata, batch.sums(steps, rows))


def _relevant(batch: ScoringBatch, strata: Strata) -> Floats:
    return strata.estimated(batch.judged.grades >= batch.options.level)[batch.topic_index]


def _ideal(batch: ScoringBatch, strata: Strata) -> Floats:
    """DCG of the ideal ranking, by judged topic.

    Each grade has as many documents as the integer part of its estimate; its ranks start after the
    estimates of the better grades, fractions included.
    """
    grades = np.unique(batch.judged.grades)
    gains = batch.options.gains_for(grades)
    places = len(batch.judged.topics)
    ideal, start = np.zeros(places), np.zeros(places)
    for index in np.argsort(-gains, kind="stable")[: np.count_nonzero(gains)]:
        many = strata.estimated(batch.judged.grades == grades[index])
        ideal += gains[index] * _discounts(start, many)
        start += many
    return ideal


def _discounts(start: Floats, many: Floats) -> Floats:
    """Sum of the discounts of ranks ``start`` + 1 … ``start`` + ``many``, by topic."""
    # A count that is an integer except for rounding is that integer.
    whole = np.floor(np.minimum(many, np.maximum(0.0, DEPTH - start)) + 1e-9).astype(np.int64)
    topic = np.repeat(np.arange(len(whole)), whole)
    rank = np.arange(1, len(topic) + 1) - (np.cumsum(whole) - whole)[topic] + start[topic]
    return sum_by_place(topic, 1.0 / np.log2(1 + rank), len(whole))


def _mask_undefined(batch: ScoringBatch, strata: Strata, values: Floats) -> Floats:
    """``values``, NaN where the estimate is undefined."""
    known: Mask = strata.is_estimable[batch.topic_index]
    if batch.judged.strata is None or batch.options.judged_only:
        known = np.zeros(len(batch), np.bool_)
    return np.where(known, values, np.nan)


_inferred = partial(MeasureFamily, undefined=_UNDEFINED, group="sampled")
XINFAP = _inferred(
    name="xinfAP",
    title="Inferred average precision of a stratified sample",
    formula="1/R̂ · Σ over retrieved judged relevant documents of N/n · (1 + seen) / r, with "
    "N pooled and n judged documents in their stratum, R̂ = Σ over strata of N/n · judged "
    "relevant, and seen = " + _SEEN.format("r − 1"),
    reading="Average precision for pools whose strata were judged at different rates.",
    source=_SOURCE.format(name="infAP"),
    edge_cases=(
        "R̂ = 0: the value is 0.",
        _SHARE,
        _LISTED,
        _NEGATIVE,
        _FIRST,
        "R̂ above 1,000 is set to 1,000.",
        "If all pooled documents are judged, it equals map, except for ε.",
        "The estimate can exceed 1.",
        _ERROR,
    ),
    compute=extended_inferred_ap,
    examples=(
        _worked(
            (1 + 2 * (1 + _SEEN_A + 1 / 3) / 3) / 3,
            "R̂ = 1 + 4/2 · 1 = 3, 1 + 1/3 relevant above rank 3: (1/1 + 2 · (1 + 4/3) / 3) / 3",
        ),
    ),
    modifiers=("rel", "mean"),
)

INFNDCG = _inferred(
    name="infNDCG",
    title="Inferred normalized discounted cumulated gain",
    formula="Σ over retrieved judged documents of m/j · gain / log2(1 + r), with m retrieved "
    "documents in their stratum, of which j are judged, / ideal; in the ideal each grade has "
    "⌊Σ over strata of N/n · judged with the grade⌋ documents",
    reading="nDCG for pools whose strata were judged at different rates.",
    source=_SOURCE.format(name="infNDCG"),
    edge_cases=(
        "A topic without any gain: the value is 0.",
        "The relevance level is not used, as in ndcg.",
        (
            "In the ideal ranking the ranks of a grade start after the estimates of the "
            "better grades, fractions included."
        ),
        _LISTED,
        _NEGATIVE,
        _FIRST + " So does the ideal ranking.",
        (
            "sample_eval.pl gives the ideal ranking one more document for each grade that "
            "begins after rank 1,000; such values differ in the fourth decimal."
        ),
        "If all pooled documents are judged, it equals ndcg.",
        "The estimate can exceed 1.",
        _ERROR,
    ),
    compute=inferred_ndcg,
    examples=(
        _worked(
            (1 + 3 / 2 / 2) / (1 + 1 / log2(3) + 1 / 2),
            "three documents of stratum b are retrieved, two of them judged: (1 + 3/2 · "
            "1/log2 4) / (1 + 1/log2 3 + 1/log2 4)",
        ),
    ),
    modifiers=("mean",),
)

IP = _inferred(
    name="iP",
    title="Inferred precision at cut-off k",
    formula="1/k · " + _SEEN.format("k"),
    reading="Precision for pools whose strata were judged at different rates.",
    source=_SOURCE.format(name="iP5, iP10, …"),
    parameters=(Parameter("k", "Rank cut-off.", kind="rank"),),
    edge_cases=(_SHARE, _LISTED, _NEGATIVE, _FIRST),
    compute=lambda batch, *, k: estimate_relevant_within(batch, k) / k,
    examples=(_worked((_SEEN_A + 1 / 3) / 2, "(1 + 1/3) / 2", "iP_2"),),
    suffix="k",
    bare=CUTOFFS,
    modifiers=("rel", "mean"),
    conflict=depth_conflict,
)

INUM_REL = _inferred(
    name="inum_rel",
    title="Inferred number of relevant documents",
    formula="R̂ = Σ over strata of N/n · judged relevant, summed over topics",
    reading="Estimated number of relevant documents in the pools.",
    source=_SOURCE.format(name="inum_rel"),
    range="0 and up",
    edge_cases=(_NEGATIVE, _ERROR),
    compute=inferred_relevant,
    examples=(_worked(3.0, "1 + 4/2 · 1"),),
    modifiers=("rel",),
    aggregate="sum",
    better="neither",
)

INUM_REL_RET = _inferred(
    name="inum_rel_ret",
    title="Inferred number of relevant documents retrieved",
    formula=_SEEN.format("1,000") + ", summed over topics",
    reading="Estimated number of relevant documents that the run retrieved.",
    source=_SOURCE.format(name="inum_rel_ret"),
    range="0 and up",
    edge_cases=(_SHARE, _LISTED, _NEGATIVE, _FIRST, _ERROR),
    compute=lambda batch: estimate_relevant_within(batch, DEPTH),
    examples=(_worked(_SEEN_A + 3 * (1 + EPSILON) / (2 + 3 * EPSILON), "1 + 3 · 1/2"),),
    modifiers=("rel",),
    aggregate="sum",
)
