"""How the bounds of each family of measures are found: by a solver, or by trying completions; and
which of these suffice, and why.

- *Endpoints*: a higher grade of any document never lowers the value (or never raises it), so the
  extremes have all open documents at the lowest or the highest grade.
- *Exchange*: only binary relevance matters, and with R and N fixed, exchanging a relevant
  document with one ranked above it never lowers the value. With m relevant among the open
  documents the extremes have them at the first and at the last m; all m are tried.
- *Every*: neither holds; all completions are tried if there are few, otherwise the bounds are
  the range of the measure.

The assignment of families is tested against all completions of small rankings.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.bounding.blended_gain import BlendedTopic, summarize_blended_topics
from poolbench.evaluation.bounding.cascade import CascadeTopic, summarize_cascade_topics
from poolbench.evaluation.bounding.counts import VALUES, extreme_counts, summarize_counted_topics
from poolbench.evaluation.bounding.extremes import CompletionSide, Extremes
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
from poolbench.evaluation.scale import list_scale_grades, top_grade

Solver = Callable[[Measure, ScoringBatch], Extremes]
SAMPLED = "it is an estimate from a sample; see its confidence interval"


def find_solver(measure: Measure) -> Solver | None:
    """The solver of ``measure``; None if completions are to be tried."""
    family = measure.family
    if family.group == "sampled" or family.text is not None:
        return _none
    # The other variants of average precision have another divisor.
    return None if "over" in measure.own_params() else SOLVED.get(family.name)


def _gained(measure: Measure, base: ScoringBatch) -> Extremes:
    params = measure.own_params() | ({"dcg": "none"} if measure.family is NCG else {})
    k = params.pop("k", None)
    variant = GainVariant(**params)
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


def _solve_topics(topics: Sequence[BlendedTopic | CascadeTopic]) -> Extremes:
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

ENDPOINTS = {
    "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "P", "success",
    "recip_rank", "set_P", "set_recall", "set_map", "set_F", "set_E", "judged", "unj", "cg", "dcg",
    "err", "rbp", "rbp_resid", "sdcg", "insq", "inst", "cwl", "cwl_total", "cwl_items",
    "cwl(user=rr)", "cwl_total(user=rr)",
}  # fmt: skip
EXCHANGES = {
    "map", "Rprec_mult", "binG", "relative_P", "iprec_at_recall", "11pt_avg", "utility",
    "set_relative_P", "search_length", "cwl(user=ap)", "cwl_items(user=rr)",
}  # fmt: skip
"""By family; a user model of C/W/L separately if it differs. Families that are ``SOLVED`` are not
listed; map is, for its other variants."""
Sides = tuple[CompletionSide, ...]


def choose_completions(measure: Measure, batch: ScoringBatch) -> Sides:
    params, top = measure.own_params(), top_grade(batch)
    name, user = measure.family.name, params.get("user")
    if user in ("ap", "rr"):
        # With intermediate grades, a first document of low gain can be worse than none.
        graded = params.get("gain") != "binary" and name != "cwl_items"
        name = "" if graded else f"{name}(user={user})"
    if name in ENDPOINTS:
        # A gain table need not increase with the grade, so any grade may be an endpoint.
        table = dict(params.get("gains", ())) or batch.options.gains
        return tuple(CompletionSide("all", grade) for grade in list_scale_grades(batch, table))
    if name in EXCHANGES:
        return CompletionSide("top", top), CompletionSide("bottom", top)
    return (CompletionSide("every", top),)
