"""Measures inferred from strata of a pool, each sampled at a rate of its own.

They are those of NIST's sample_eval.pl, which looks at the first 1,000 documents.
"""

from __future__ import annotations

from math import log2

import numpy as np

from campaigns.core.cards import Card, Parameter
from evaluation.core.batch import ScoringBatch, safe_ratio, sum_by_place
from evaluation.core.judgments import Floats, Mask
from evaluation.core.measures.family import MeasureFamily, WorkedExample
from evaluation.core.measures.precision import CUTOFFS
from evaluation.core.strata import EPSILON, Strata, StratumGroups

DEPTH = 1000
_RANKED, _JUDGED, _STRATA = (1, -1, 1, 0), (1, 1, 0, -1, -1), "abbbb"
"""Stratum a has one document, judged relevant; b has four, of which two were judged."""
_SEEN_A = (1 + EPSILON) / (1 + 3 * EPSILON)
"""What the relevant document of stratum a counts, which is 1 but for ε."""
_SOURCE = "Yilmaz, Kanoulas and Aslam, SIGIR 2008; NIST's sample_eval.pl, which calls it {name}."
_SHARE = (
    "ε = 0.00001: pooled documents of a stratum of which none was judged so far count as 1/3 "
    "relevant each."
)
_FIRST = "Only the first 1,000 documents are looked at, as in the program."
_LISTED = "A document without a line in the qrels is in no stratum and counts as non-relevant."
_ERROR = "Its sampling error is told by `evaluate --intervals`."
_NEGATIVE = "A negative grade is in the stratum and not in its sample."
_UNDEFINED = (
    "the qrels tell no strata, a stratum has no judged document, or documents without a "
    "judgment are dropped (-J)."
)
_SEEN = "Σ over strata of pooled · (rel + ε) / (judged + 3ε), all counted in the first {} documents"


def extended_inferred_ap(batch: ScoringBatch) -> Floats:
    batch, strata = batch.cut(DEPTH), Strata.from_judged(batch.judged)
    hits = batch.is_relevant
    total = np.concatenate(([0.0], np.cumsum(StratumGroups.from_batch(batch, strata).steps)))
    above = (total[:-1] - total[batch.starts[batch.segment]])[hits]
    weights = strata.weights[batch.judgment_index[hits]]
    expected = batch.sums(weights * (1.0 + above) / batch.ranks[hits], hits)
    return _where_known(
        batch, strata, safe_ratio(expected, np.minimum(_relevant(batch, strata), DEPTH))
    )


def inferred_ndcg(batch: ScoringBatch) -> Floats:
    batch, strata = batch.cut(DEPTH), Strata.from_judged(batch.judged)
    group = StratumGroups.from_batch(batch, strata).group
    rows = batch.gains > 0
    pooled, judged = np.bincount(group), np.bincount(group, batch.is_judged)
    weights = (pooled / np.maximum(judged, 1.0))[group[rows]]
    gained = weights * batch.gains[rows] / np.log2(1 + batch.ranks[rows])
    ideal = _ideal(batch, strata)[batch.topic_index]
    return _where_known(batch, strata, safe_ratio(batch.sums(gained, rows), ideal))


def inferred_precision(batch: ScoringBatch, *, k: int) -> Floats:
    return estimate_relevant_within(batch, k) / k


def inferred_relevant_retrieved(batch: ScoringBatch) -> Floats:
    return estimate_relevant_within(batch, DEPTH)


def inferred_relevant(batch: ScoringBatch) -> Floats:
    strata = Strata.from_judged(batch.judged)
    return _where_known(batch, strata, _relevant(batch, strata))


def estimate_relevant_within(batch: ScoringBatch, k: int) -> Floats:
    """How many of the first ``k`` documents are relevant, by segment; an estimate."""
    strata = Strata.from_judged(batch.judged)
    rows = batch.ranks <= min(k, DEPTH)
    return _where_known(
        batch, strata, batch.sums(StratumGroups.from_batch(batch, strata).steps[rows], rows)
    )


def _relevant(batch: ScoringBatch, strata: Strata) -> Floats:
    return strata.estimated(batch.judged.grades >= batch.options.level)[batch.topic_index]


def _ideal(batch: ScoringBatch, strata: Strata) -> Floats:
    """DCG of the best ranking, by judged topic.

    Each grade has as many documents as its estimate has whole ones, and its ranks start
    after the estimates of the better grades, fractions included.
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
    """Sum of the discounts of the ranks ``start`` + 1 … ``start`` + ``many``, by topic."""
    # A count that is whole but for rounding is whole.
    whole = np.floor(np.minimum(many, np.maximum(0.0, DEPTH - start)) + 1e-9).astype(np.int64)
    topic = np.repeat(np.arange(len(whole)), whole)
    rank = np.arange(1, len(topic) + 1) - (np.cumsum(whole) - whole)[topic] + start[topic]
    return sum_by_place(topic, 1.0 / np.log2(1 + rank), len(whole))


def _where_known(batch: ScoringBatch, strata: Strata, values: Floats) -> Floats:
    """``values``, NaN where the judgments do not tell what is asked."""
    known: Mask = strata.is_estimable[batch.topic_index]
    if batch.judged.strata is None or batch.options.judged_only:
        known = np.zeros(len(batch), np.bool_)
    return np.where(known, values, np.nan)


XINFAP = MeasureFamily(
    Card(
        name="xinfAP",
        title="Inferred average precision of a stratified sample",
        formula="1/R̂ · Σ over retrieved judged relevant documents of N/n · (1 + seen) / r, with "
        "N pooled and n judged documents in their stratum, R̂ = Σ over strata of N/n · judged "
        "relevant, and seen = " + _SEEN.format("r − 1"),
        reading="Average precision where parts of the pool were judged at different rates.",
        source=_SOURCE.format(name="infAP"),
        edge_cases=(
            "R̂ = 0 counts as 0.",
            _SHARE,
            _LISTED,
            _NEGATIVE,
            _FIRST,
            "R̂ above 1,000 is taken for 1,000.",
            "With every pooled document judged it is map, but for ε.",
            "The estimate can exceed 1.",
            _ERROR,
        ),
        undefined=_UNDEFINED,
    ),
    extended_inferred_ap,
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            (1 + 2 * (1 + _SEEN_A + 1 / 3) / 3) / 3,
            "R̂ = 1 + 4/2 · 1 = 3, above rank 3 are 1 + 1/3 relevant: (1/1 + 2 · (1 + 4/3) / 3) / 3",
            strata=_STRATA,
        ),
    ),
    modifiers=("rel", "mean"),
    group="sampled",
)

INFNDCG = MeasureFamily(
    Card(
        name="infNDCG",
        title="Inferred normalised discounted cumulated gain",
        formula="Σ over retrieved judged documents of m/j · gain / log2(1 + r), with m retrieved "
        "documents in their stratum, of which j are judged, / ideal; in the ideal each grade has "
        "⌊Σ over strata of N/n · judged with the grade⌋ documents",
        reading="nDCG where parts of the pool were judged at different rates.",
        source=_SOURCE.format(name="infNDCG"),
        edge_cases=(
            "A topic without any gain counts as 0.",
            "The relevance level is not used, as in ndcg.",
            "In the ideal a grade starts after the estimates of the better ones, with fractions.",
            _LISTED,
            _NEGATIVE,
            _FIRST + " The ideal ends there too.",
            "With every pooled document judged it is ndcg.",
            "The estimate can exceed 1.",
            _ERROR,
        ),
        undefined=_UNDEFINED,
    ),
    inferred_ndcg,
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            (1 + 3 / 2 / 2) / (1 + 1 / log2(3) + 1 / 2),
            "of stratum b three are retrieved and two of them judged: (1 + 3/2 · 1/log2 4) / "
            "(1 + 1/log2 3 + 1/log2 4)",
            strata=_STRATA,
        ),
    ),
    modifiers=("mean",),
    group="sampled",
)

IP = MeasureFamily(
    Card(
        name="iP",
        title="Inferred precision at rank k",
        formula="1/k · " + _SEEN.format("k"),
        reading="Precision where parts of the pool were judged at different rates.",
        source=_SOURCE.format(name="iP5, iP10, …"),
        parameters=(Parameter("k", "Ranks looked at.", kind="rank"),),
        edge_cases=(_SHARE, _LISTED, _NEGATIVE, _FIRST),
        undefined=_UNDEFINED,
    ),
    inferred_precision,
    (
        WorkedExample(
            _RANKED, _JUDGED, (_SEEN_A + 1 / 3) / 2, "(1 + 1/3) / 2", "iP_2", strata=_STRATA
        ),
    ),
    suffix="k",
    bare=CUTOFFS,
    modifiers=("rel", "mean"),
    group="sampled",
)

INUM_REL = MeasureFamily(
    Card(
        name="inum_rel",
        title="Inferred relevant documents",
        formula="R̂ = Σ over strata of N/n · judged relevant, summed over topics",
        reading="How many relevant documents the pools hold, by estimate.",
        source=_SOURCE.format(name="inum_rel"),
        range="0 and up",
        edge_cases=(_NEGATIVE, _ERROR),
        undefined=_UNDEFINED,
    ),
    inferred_relevant,
    (WorkedExample(_RANKED, _JUDGED, 3.0, "1 + 4/2 · 1", strata=_STRATA),),
    modifiers=("rel",),
    aggregate="sum",
    group="sampled",
    better="neither",
)

INUM_REL_RET = MeasureFamily(
    Card(
        name="inum_rel_ret",
        title="Inferred relevant documents retrieved",
        formula=_SEEN.format("1,000") + ", summed over topics",
        reading="How many relevant documents the run found, by estimate.",
        source=_SOURCE.format(name="inum_rel_ret"),
        range="0 and up",
        edge_cases=(_SHARE, _LISTED, _NEGATIVE, _FIRST, _ERROR),
        undefined=_UNDEFINED,
    ),
    inferred_relevant_retrieved,
    (
        WorkedExample(
            _RANKED,
            _JUDGED,
            _SEEN_A + 3 * (1 + EPSILON) / (2 + 3 * EPSILON),
            "1 + 3 · 1/2",
            strata=_STRATA,
        ),
    ),
    modifiers=("rel",),
    aggregate="sum",
    group="sampled",
)
