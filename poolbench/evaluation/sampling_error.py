"""Sampling error: the variation of an estimate from a sampled pool over samples.

The variance of statAP follows from its formula: the estimate is linearized in the weights 1/π
(Taylor), and the variance of a weighted sum is that of stratified sampling of fixed size if
strata are known, otherwise that of independent draws (Horvitz and Thompson). The inferred
measures are recomputed without each judged document in turn: the jackknife within strata, with
the finite population correction (Wolter, Introduction to Variance Estimation, chapter 4), so
that covariances between ranks are included.

The interval of a topic is its value times e^(±t · standard error / value), since estimates are
skewed. The degrees of freedom of t are the number of relevant documents sampled by chance minus
1, since those carry the error. The interval of a mean over topics is normal. It is one over
samples of these topics, not over topics, so it does not need several of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.evaluate import aggregate_defined_values
from poolbench.evaluation.judgments import Floats, Ints, Mask
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.stat_ap import inverse_inclusion, relevant_weight_above
from poolbench.evaluation.strata import Strata
from poolbench.statistics.estimate import Estimate

JACKKNIFE = "delete-one jackknife within strata"
TAYLOR = "Taylor linearization of the Horvitz–Thompson estimate"
NO_VARIANCE = "a stratum has one judged document of several, or the strata are unknown"
OTHER_MEAN = "only arithmetic means have an interval"


class NoSamplingError(ValueError):
    """A measure that is not an estimate from a sample."""


@dataclass(frozen=True, eq=False)
class SamplingError:
    """Estimates of one run with their intervals; arrays by topic, NaN where undefined.

    ``errors`` are standard errors, ``method`` is how they are computed. ``overall`` is the mean
    over topics (the sum for counts) of those where it is defined.
    """

    measure: Measure
    method: str
    confidence: float
    topics: tuple[str, ...]
    values: Floats
    errors: Floats
    low: Floats
    high: Floats
    overall: Estimate


def estimate_sampling_error(
    batch: ScoringBatch, measure: Measure, confidence: float = 0.95
) -> SamplingError:
    """The estimates of ``measure`` for one run with their confidence intervals.

    Raises ``NoSamplingError`` for a measure not in ``VARIANCES``, and ``ValueError`` for a
    ``confidence`` not between 0 and 1.
    """
    known = get_variance_method(measure)
    if not 0 < confidence < 1:
        raise ValueError("the confidence must be between 0 and 1")
    values = measure(batch)
    errors = np.where(np.isnan(values), np.nan, np.sqrt(known.by_segment(batch, measure)))
    low, high = _by_topic(batch, measure, values, errors, confidence)
    return SamplingError(
        measure=measure,
        method=known.method,
        confidence=confidence,
        topics=tuple(batch.judged.topics[index] for index in batch.topic_index),
        values=values,
        errors=errors,
        low=low,
        high=high,
        overall=_overall(measure, values, errors, confidence),
    )


def get_variance_method(measure: Measure) -> "VarianceMethod":
    """The variance method of ``measure``; raises ``NoSamplingError`` if it has none."""
    if (known := VARIANCES.get(measure.family.name)) is None:
        names = ", ".join(VARIANCES)
        raise NoSamplingError(
            f"{measure.name} has no sampling error. Measures with a sampling error: {names}."
        )
    return known


def _by_topic(
    batch: ScoringBatch, measure: Measure, values: Floats, errors: Floats, confidence: float
) -> tuple[Floats, Floats]:
    """``(low, high)``. Undefined for an incomplete sample without error, or with a single
    relevant document sampled by chance."""
    from scipy.stats import t

    relevant = batch.judged.count(_carriers(batch, measure))[batch.topic_index]
    complete = _is_complete(batch, measure)
    estimable = (errors > 0) & (values > 0) & (relevant > 1)
    quantile = t.ppf((1 + confidence) / 2, np.maximum(relevant - 1, 1))
    spread = np.exp(
        safe_ratio(quantile * np.where(estimable, errors, 0.0), np.where(estimable, values, 0.0))
    )
    spread = np.where(estimable, spread, np.where(complete, 1.0, np.nan))
    return values / spread, _capped(measure, values * spread, values)


def _overall(measure: Measure, values: Floats, errors: Floats, confidence: float) -> Estimate:
    value = aggregate_defined_values(measure, values)
    defined = ~np.isnan(values)
    if value is None:
        return Estimate(None, 0, why=measure.family.undefined)
    n = int(defined.sum())
    if "mean" in dict(measure.params):
        return Estimate(value, n, why=OTHER_MEAN)
    if np.isnan(errors[defined]).any():
        return Estimate(value, n, why=NO_VARIANCE)
    error = float(np.sqrt((errors[defined] ** 2).sum()))
    error /= 1 if measure.family.aggregate == "sum" else n
    half = NormalDist().inv_cdf((1 + confidence) / 2) * error
    high = _capped(measure, np.array([value + half]), np.array([value]))
    return Estimate(value, n, max(0.0, value - half), float(high[0]), confidence)


def _capped(measure: Measure, high: Floats, values: Floats) -> Floats:
    """``high`` limited to 1, the maximum of the measure, unless the estimate itself is above 1;
    counts have no limit."""
    if measure.family.aggregate == "sum":
        return high
    return np.minimum(high, np.maximum(values, 1.0))


def _carriers(batch: ScoringBatch, measure: Measure) -> Mask:
    """The judgments of relevant documents that were sampled by chance."""
    judged, options = batch.judged, measure.modified(batch).options
    if "rel" in measure.family.modifiers:
        relevant = judged.grades >= options.level
    else:
        relevant = options.gains_for(judged.grades) > 0
    return relevant & _could_be_unsampled(batch, measure)


def _could_be_unsampled(batch: ScoringBatch, measure: Measure) -> Mask:
    """The judgments of documents that could have been left out of the sample."""
    judged = batch.judged
    if judged.strata is None and judged.inclusion is not None:
        return np.asarray(judged.inclusion < 1, np.bool_)
    strata = measure_strata(batch, measure)
    is_open = strata.sampled < strata.pooled
    return np.asarray((judged.grades >= 0) & is_open[strata.number], np.bool_)


def jackknife_variance(batch: ScoringBatch, measure: Measure) -> Floats:
    """Variance by segment from the values without each document of the sample in turn.

    Requires a batch with one segment per topic; NaN if a stratum has one judged document of
    several, or if only inclusion probabilities are known.
    """
    if batch.judged.strata is None and batch.judged.inclusion is not None:
        return np.full(len(batch), np.nan)
    strata = measure_strata(batch, measure)
    pooled, sampled = strata.pooled, strata.sampled
    rows, alike = _units(batch, strata)
    without = _jackknife_values(batch, measure, rows)
    stratum = strata.number[rows]
    mean = safe_ratio(sum_by_place(stratum, alike * without, len(pooled)), sampled)
    spread = sum_by_place(stratum, alike * (without - mean[stratum]) ** 2, len(pooled))
    parts = (1 - sampled / pooled) * safe_ratio(sampled - 1, sampled) * spread
    parts[(sampled == 1) & (pooled > 1)] = np.nan
    return sum_by_place(strata.topic, parts, len(batch.judged.topics))[batch.topic_index]


def measure_strata(batch: ScoringBatch, measure: Measure) -> Strata:
    """The strata that ``measure`` assumes: for infAP the pool of a topic is a single stratum."""
    single = measure.family.name == "infAP"
    return Strata.from_judged(replace(batch.judged, strata=None) if single else batch.judged)


def _units(batch: ScoringBatch, strata: Strata) -> tuple[Ints, Ints]:
    """Documents of the sample to leave out, one of each kind, and the number of documents each
    represents; documents of fully judged strata have no error.
    """
    judged = batch.judged
    is_open = (strata.sampled > 1) & (strata.sampled < strata.pooled)
    in_batch = np.zeros(len(judged.topics), np.bool_)
    in_batch[batch.topic_index] = True
    eligible = (judged.grades >= 0) & is_open[strata.number] & in_batch[judged.topic_index]
    rows = np.flatnonzero(eligible)
    retrieved = np.zeros(len(judged.grades), np.bool_)
    retrieved[batch.judgment_index] = True
    # Unretrieved documents of the same stratum and grade are interchangeable.
    top = int(judged.grades.max(initial=0)) + 1
    kind = np.where(
        retrieved[rows], -1 - rows, strata.number[rows] * top + judged.grades[rows].astype(np.int64)
    )
    _, first, alike = np.unique(kind, return_index=True, return_counts=True)
    return rows[first], alike


def _jackknife_values(batch: ScoringBatch, measure: Measure, rows: Ints) -> Floats:
    """The topic's value without each of the judgments ``rows``, one per topic at a time."""
    judged = batch.judged
    place = np.zeros(len(judged.topics), np.int64)
    place[batch.topic_index] = np.arange(len(batch))
    order = np.argsort(judged.topic_index[rows], kind="stable")
    topic = judged.topic_index[rows][order]
    turn = np.empty(len(rows), np.int64)
    turn[order] = np.arange(len(rows)) - np.searchsorted(topic, topic)
    values = np.empty(len(rows))
    for index in range(int(turn.max(initial=-1)) + 1):
        left_out = turn == index
        grades = judged.grades.copy()
        grades[rows[left_out]] = -1
        scored = measure(replace(batch, judged=replace(judged, grades=grades)))
        values[left_out] = scored[place[judged.topic_index[rows[left_out]]]]
    return values


def linearized_variance(batch: ScoringBatch, measure: Measure) -> Floats:
    """Variance by segment of statAP and stat_num_rel, from the contribution of each document."""
    batch, judged = measure.modified(batch), batch.judged
    weights = inverse_inclusion(judged, batch.options.level)
    adds = weights * (1.0 if measure.family.aggregate == "sum" else _influence(batch, weights))
    if judged.strata is None:
        draws = np.where(
            weights > 0, (1 - safe_ratio(np.ones(len(weights)), weights)) * adds**2, 0.0
        )
        return sum_by_place(judged.topic_index, draws, len(judged.topics))[batch.topic_index]
    return _stratified(batch, adds)


def _stratified(batch: ScoringBatch, adds: Floats) -> Floats:
    """The variance of a sum over samples of fixed size, one per stratum."""
    strata = Strata.from_judged(batch.judged)
    pooled, sampled, rows = strata.pooled, strata.sampled, batch.judged.grades >= 0
    stratum = strata.number[rows]
    mean = safe_ratio(sum_by_place(stratum, adds[rows], len(pooled)), sampled)
    spread = sum_by_place(stratum, (adds[rows] - mean[stratum]) ** 2, len(pooled))
    parts = (1 - sampled / pooled) * safe_ratio(sampled, sampled - 1) * spread
    parts[(sampled == 1) & (pooled > 1)] = np.nan
    return sum_by_place(strata.topic, parts, len(batch.judged.topics))[batch.topic_index]


def _influence(batch: ScoringBatch, weights: Floats) -> Floats:
    """By judgment: the derivative of statAP with respect to the weight of its document.

    That is (precision at the document − statAP + Σ over relevant documents below of 1/π / rank)
    / R̂; the first and last term only for retrieved documents.
    """
    judged, row_weights = batch.judged, weights[batch.judgment_index]
    total = np.concatenate(([0.0], np.cumsum(row_weights / batch.ranks)))
    below = total[batch.starts[batch.segment + 1]] - total[1:]
    precision = (1.0 + relevant_weight_above(batch, row_weights)) / batch.ranks
    relevant = sum_by_place(judged.topic_index, weights, len(judged.topics))
    gained = batch.sums(row_weights * precision, np.ones(len(row_weights), np.bool_))
    value = np.zeros(len(judged.topics))
    value[batch.topic_index] = safe_ratio(gained, relevant[batch.topic_index])
    derivative = -value[judged.topic_index]
    derivative[batch.judgment_index] += precision + below
    return safe_ratio(derivative, relevant[judged.topic_index])


def _is_complete(batch: ScoringBatch, measure: Measure) -> Mask:
    """By segment: whether the sample is the whole pool, so that there is no sampling error."""
    judged = batch.judged
    if judged.strata is None and judged.inclusion is not None:
        open_topics = judged.topic_index[judged.inclusion < 1]
    else:
        strata = measure_strata(batch, measure)
        open_topics = strata.topic[strata.sampled < strata.pooled]
    complete = np.ones(len(judged.topics), np.bool_)
    complete[open_topics] = False
    return np.asarray(complete[batch.topic_index], np.bool_)


class VarianceMethod(NamedTuple):
    """``by_segment(batch, measure)`` and the name of the method."""

    by_segment: Callable[[ScoringBatch, Measure], Floats]
    method: str


VARIANCES: dict[str, VarianceMethod] = {
    **dict.fromkeys(
        ("infAP", "xinfAP", "infNDCG", "inum_rel", "inum_rel_ret"),
        VarianceMethod(jackknife_variance, JACKKNIFE),
    ),
    **dict.fromkeys(("statAP", "stat_num_rel"), VarianceMethod(linearized_variance, TAYLOR)),
}
"""The variance method of each estimate, by family name."""
