"""Families whose extremes are computed instead of found by trying completions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.bounding.blended_gain import summarize_blended_topics
from poolbench.evaluation.bounding.cascade import summarize_cascade_topics
from poolbench.evaluation.bounding.counts import VALUES, extreme_counts, summarize_counted_topics
from poolbench.evaluation.bounding.extremes import Extremes
from poolbench.evaluation.bounding.gain import (
    gain_bounds,
    gain_bounds_of_sums,
    summarize_gain_topics,
)
from poolbench.evaluation.completions import CompletionRankings
from poolbench.evaluation.measures.cumulated_gain import (
    HIGHEST_POWER,
    NCG,
    RATIO_OF_MEANS,
    GainVariant,
)
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.q_measure import Q_MEASURE
from poolbench.evaluation.scale import top_grade

Solver = Callable[[Measure, ScoringBatch], Extremes]
SAMPLED = "it is an estimate from a sample; see its confidence interval"


def find_solver(measure: Measure) -> Solver | None:
    """The solver of ``measure``; None if completions are to be tried."""
    family = measure.family
    if family.group == "sampled" or family.text is not None:
        return _none
    # The other variants of average precision have another divisor.
    return None if "over" in measure.own_params() else SOLVED.get(family.name)


class _Solver(Protocol):
    def bounds(self) -> tuple[float, float]: ...
    def is_exact(self) -> bool: ...


def _gained(measure: Measure, base: ScoringBatch) -> Extremes:
    params = measure.own_params()
    k = params.pop("k", None)
    variant = (
        replace(GainVariant(**params), dcg="none")
        if measure.family is NCG
        else GainVariant(**params)
    )
    if variant.dcg == "exponential" and top_grade(base) > HIGHEST_POWER:
        return replace(_none(measure, base), reason=measure.family.undefined)
    topics = summarize_gain_topics(CompletionRankings.from_batch(base), variant, k)
    extremes = Extremes.from_bounds(*gain_bounds(topics))
    if variant.mean == RATIO_OF_MEANS and len(base):
        return replace(extremes, overall=gain_bounds_of_sums(topics))
    return extremes


def _blended(measure: Measure, base: ScoringBatch) -> Extremes:
    params = {"beta": 1.0 if measure.family is Q_MEASURE else 0.0, **measure.own_params()}
    return _solve_topics(summarize_blended_topics(CompletionRankings.from_batch(base), **params))


def _cascade(measure: Measure, base: ScoringBatch) -> Extremes:
    return _solve_topics(
        summarize_cascade_topics(CompletionRankings.from_batch(base), **measure.own_params())
    )


def _solve_topics(topics: Sequence[_Solver]) -> Extremes:
    both = np.array([topic.bounds() for topic in topics]).reshape(-1, 2)
    return replace(Extremes.from_bounds(*both.T), exact=all(topic.is_exact() for topic in topics))


def _counted_solver(measure: Measure, base: ScoringBatch) -> Extremes:
    values = partial(VALUES[measure.family.name], **measure.own_params())
    both = [
        extreme_counts(topic, values)
        for topic in summarize_counted_topics(CompletionRankings.from_batch(base))
    ]
    return Extremes.from_bounds(*np.array(both).reshape(-1, 2).T)


def _none(measure: Measure, base: ScoringBatch) -> Extremes:
    unknown = np.full(len(base), np.inf)
    reason = SAMPLED if measure.family.text is None else measure.family.undefined
    extremes = Extremes.from_bounds(-unknown, unknown)
    return replace(extremes, exact=False, overall=(None, None), reason=reason)


SOLVED: dict[str, Solver] = {
    **dict.fromkeys(("ndcg", "ndcg_cut", "ncg"), _gained),
    **dict.fromkeys(("q_measure", "map", "gm_map", "map_cut"), _blended),
    **dict.fromkeys(VALUES, _counted_solver),
    "nerr": _cascade,
}
