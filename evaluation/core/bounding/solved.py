"""Families whose extremes are computed, and not found by trying completions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from evaluation.core.batch import Batch
from evaluation.core.bounding.blended import blended_topics
from evaluation.core.bounding.cascade import cascade_topics
from evaluation.core.bounding.counted import VALUES, bounds_of, counted_topics
from evaluation.core.bounding.extremes import Extremes
from evaluation.core.bounding.gain import gain_bounds, gain_bounds_of_sums, gain_topics
from evaluation.core.completions import Rankings
from evaluation.core.measures.cumulated_gain import NCG, RATIO_OF_MEANS, Way
from evaluation.core.measures.family import Measure
from evaluation.core.measures.q_measure import Q_MEASURE

Solver = Callable[[Measure, Batch], Extremes]
SAMPLED = "it is an estimate from a sample: see its confidence interval"


def solver(measure: Measure) -> Solver | None:
    """What computes the extremes of ``measure``; None where completions are to be tried."""
    family = measure.family
    if family.group == "sampled" or family.text is not None:
        return _none
    # The other readings of average precision divide by something else.
    return None if "over" in measure.own_params() else SOLVED.get(family.name)


class _Solved(Protocol):
    def bounds(self) -> tuple[float, float]: ...
    def is_exact(self) -> bool: ...


def _gained(measure: Measure, base: Batch) -> Extremes:
    params = measure.own_params()
    k = params.pop("k", None)
    way = replace(Way(**params), dcg="none") if measure.family is NCG else Way(**params)
    topics = gain_topics(Rankings.of(base), way, k)
    found = Extremes.of(*gain_bounds(topics))
    if way.mean == RATIO_OF_MEANS and len(base):
        return replace(found, of_all=gain_bounds_of_sums(topics))
    return found


def _blended(measure: Measure, base: Batch) -> Extremes:
    params = {"beta": 1.0 if measure.family is Q_MEASURE else 0.0, **measure.own_params()}
    return _each(blended_topics(Rankings.of(base), **params))


def _cascade(measure: Measure, base: Batch) -> Extremes:
    return _each(cascade_topics(Rankings.of(base), **measure.own_params()))


def _each(topics: Sequence[_Solved]) -> Extremes:
    both = np.array([topic.bounds() for topic in topics]).reshape(-1, 2)
    return replace(Extremes.of(*both.T), exact=all(topic.is_exact() for topic in topics))


def _counted(measure: Measure, base: Batch) -> Extremes:
    values = partial(VALUES[measure.family.name], **measure.own_params())
    both = [bounds_of(topic, values) for topic in counted_topics(Rankings.of(base))]
    return Extremes.of(*np.array(both).reshape(-1, 2).T)


def _none(measure: Measure, base: Batch) -> Extremes:
    unknown = np.full(len(base), np.inf)
    reason = SAMPLED if measure.family.text is None else measure.family.card.undefined
    found = Extremes.of(-unknown, unknown)
    return replace(found, exact=False, of_all=(None, None), reason=reason)


SOLVED: dict[str, Solver] = {
    **dict.fromkeys(("ndcg", "ndcg_cut", "ncg"), _gained),
    **dict.fromkeys(("q_measure", "map", "gm_map", "map_cut"), _blended),
    **dict.fromkeys(VALUES, _counted),
    "nerr": _cascade,
}
