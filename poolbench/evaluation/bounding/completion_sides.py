"""Which completions suffice for the bounds of each family of measures, and why.

- *Endpoints*: a higher grade of any document never lowers the value (or never raises it), so the
  extremes have all open documents at the lowest or the highest grade.
- *Exchange*: only binary relevance matters, and with R and N fixed, exchanging a relevant
  document with one ranked above it never lowers the value. With m relevant among the open
  documents the extremes have them at the first and at the last m; all m are tried.
- *Every*: neither holds; all completions are tried if there are few, otherwise the bounds are
  the range of the measure.

The assignment of families is tested against all completions of small rankings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.bounding.extremes import CompletionSide
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.scale import list_scale_grades, top_grade

Sides = tuple[CompletionSide, ...]


def choose_completions(measure: Measure, batch: ScoringBatch) -> Sides:
    """The completions of ``batch`` to try for ``measure``."""
    params = measure.own_params()
    name, user = measure.family.name, params.get("user")
    if user in ("ap", "rr"):
        # With intermediate grades, a first document of low gain can be worse than none.
        graded = params.get("gain") != "binary" and name != "cwl_items"
        name = "" if graded else f"{name}(user={user})"
    return SIDES.get(name, all_completions)(batch, params)


def endpoint_completions(batch: ScoringBatch, params: Mapping[str, Any]) -> Sides:
    # A gain table need not increase with the grade, so any grade may be an endpoint.
    table = dict(params.get("gains", ())) or batch.options.gains
    return tuple(CompletionSide("all", grade) for grade in list_scale_grades(batch, table))


def exchange_completions(batch: ScoringBatch, _: Mapping[str, Any]) -> Sides:
    top = top_grade(batch)
    return CompletionSide("top", top), CompletionSide("bottom", top)


def all_completions(batch: ScoringBatch, _: Mapping[str, Any]) -> Sides:
    top = top_grade(batch)
    return (CompletionSide("every", top),)


SIDES: dict[str, Callable[[ScoringBatch, Mapping[str, Any]], Sides]] = {
    **dict.fromkeys(
        ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "P", "success"),
        endpoint_completions,
    ),
    **dict.fromkeys(
        ("recip_rank", "set_P", "set_recall", "set_map", "set_F", "set_E"), endpoint_completions
    ),
    **dict.fromkeys(
        ("judged", "unj", "cg", "dcg", "err", "rbp", "rbp_resid"), endpoint_completions
    ),
    **dict.fromkeys(
        ("sdcg", "insq", "inst", "cwl", "cwl_total", "cwl_items"), endpoint_completions
    ),
    **dict.fromkeys(("map", "Rprec_mult", "binG", "relative_P"), exchange_completions),
    **dict.fromkeys(
        ("iprec_at_recall", "11pt_avg", "utility", "set_relative_P"), exchange_completions
    ),
    **dict.fromkeys(("search_length", "cwl(user=ap)", "cwl_items(user=rr)"), exchange_completions),
    **dict.fromkeys(("cwl(user=rr)", "cwl_total(user=rr)"), endpoint_completions),
}
"""By family; a user model of C/W/L separately if it differs. Families whose extremes are
computed by ``solvers`` are not listed; map is, for its other variants."""
