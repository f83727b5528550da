"""Average precision estimated from a sample with known inclusion probabilities."""

from functools import partial

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, JudgmentTable
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.evaluation.strata import Strata

_worked = partial(WorkedExample, (1, -1, 1, 0), (1, 1, 0, -1, -1), strata="abbbb")
"""The only document of stratum a was judged, and two of the four of b: π is 1 and 1/2."""
_SOURCE = "Pavlu and Aslam, A practical sampling strategy, 2007; TREC Million Query track, {name}."
_OUTSIDE = "Documents outside the sample, judged or not, only affect the ranks of others."
_ERROR = "`evaluate --intervals` reports its sampling error."
_UNDEFINED = "the qrels have no inclusion probabilities, or unjudged documents are dropped (-J)."


def sampled_average_precision(batch: ScoringBatch) -> Floats:
    weights = inverse_inclusion(batch.judged, batch.options.level)[batch.judgment_index]
    hits = weights > 0
    precision = (1.0 + relevant_weight_above(batch, weights)[hits]) / batch.ranks[hits]
    gained = batch.sums(weights[hits] * precision, hits)
    return _mask_undefined(batch, safe_ratio(gained, _relevant(batch)))


def relevant_weight_above(batch: ScoringBatch, weights: Floats) -> Floats:
    """By row: estimated number of relevant documents above it."""
    total = np.concatenate(([0.0], np.cumsum(weights)))
    return total[:-1] - total[batch.starts[batch.segment]]


def inverse_inclusion(judged: JudgmentTable, level: int) -> Floats:
    """By judgment: 1 / inclusion probability for the relevant documents in the sample, 0 for all
    others."""
    inclusion = (
        np.full(len(judged.grades), np.nan) if judged.inclusion is None else judged.inclusion
    )
    rows = (judged.grades >= level) & ~np.isnan(inclusion)
    weights = np.zeros(len(inclusion))
    weights[rows] = 1.0 / inclusion[rows]
    return weights


def _relevant(batch: ScoringBatch) -> Floats:
    judged = batch.judged
    weights = inverse_inclusion(judged, batch.options.level)
    return sum_by_place(judged.topic_index, weights, len(judged.topics))[batch.topic_index]


def _mask_undefined(batch: ScoringBatch, values: Floats) -> Floats:
    """``values``, NaN where the estimate is undefined."""
    judged = batch.judged
    if judged.inclusion is None or batch.options.judged_only:
        return np.full(len(batch), np.nan)
    if judged.strata is None:
        return values
    return np.where(Strata.from_judged(judged).is_estimable[batch.topic_index], values, np.nan)


_estimate = partial(MeasureFamily, undefined=_UNDEFINED, group="sampled")
STATAP = _estimate(
    name="statAP",
    title="Average precision estimated from a sample",
    formula="1/R̂ · Σ over retrieved relevant documents in the sample of 1/π · (1 + Σ over "
    "those above of 1/π) / r, with π their probability of inclusion and R̂ = Σ over relevant "
    "documents in the sample of 1/π",
    reading="Average precision from documents sampled with known, unequal probabilities "
    "(the Horvitz–Thompson estimator).",
    source=_SOURCE.format(name="statAP"),
    edge_cases=(
        "R̂ = 0: the value is 0; the track leaves such topics out of the mean.",
        _OUTSIDE,
        "With strata, π is the proportion of the stratum that was judged.",
        "If all pooled documents are judged, it equals map.",
        "The estimate can exceed 1.",
        _ERROR,
    ),
    compute=sampled_average_precision,
    examples=(_worked(7 / 9, "R̂ = 1 + 2 = 3: (1/1 + 2 · (1 + 1) / 3) / 3"),),
    spellings=("StatAP",),
    modifiers=("rel", "mean"),
)

STAT_NUM_REL = _estimate(
    name="stat_num_rel",
    title="Number of relevant documents estimated from a sample",
    formula="R̂ = Σ over relevant documents in the sample of 1/π, summed over topics",
    reading="Estimated number of relevant documents.",
    source=_SOURCE.format(name="Relevant"),
    range="0 and up",
    edge_cases=(_OUTSIDE, _ERROR),
    compute=lambda batch: _mask_undefined(batch, _relevant(batch)),
    examples=(_worked(3.0, "1 + 2"),),
    modifiers=("rel",),
    aggregate="sum",
    better="neither",
)
