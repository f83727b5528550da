"""Measures that depend on the highest grade of the scale: their names state it, and a note says
where it is only assumed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.user_models import CWL_ITEMS
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.scale import ASSUMED, GAIN, MAX_REL, STATED, TABLE, find_highest_grade
from poolbench.files.faults import format_count

Grades = NDArray[np.int32]
USERS_OF_GAIN = ("ap", "inst")
"""User models whose number of documents viewed depends on how large the gains are."""


def reads_highest_grade(measure: Measure) -> bool:
    """Whether values of ``measure`` depend on the highest grade of the scale."""
    known, chosen = {p.name: p for p in measure.family.parameters}, dict(measure.params)
    if MAX_REL.name not in known:
        return False
    if measure.family is CWL_ITEMS and chosen.get("user") not in USERS_OF_GAIN:
        return False
    return GAIN.name not in known or chosen.get("gain", known["gain"].default) == "graded"


def state_highest_grade(
    measures: Sequence[Measure], options: ScoringOptions, grades: Grades
) -> tuple[Measure, ...]:
    """``measures``, with the highest grade as ``max_rel`` where a measure reads it and does not
    state it, so that printed names have it. Unchanged under a gain table alone, which is the scale
    of a campaign.
    """
    top, source = find_highest_grade(options, grades)
    if source == TABLE:
        return tuple(measures)
    return tuple(_with_highest_grade(measure, top) for measure in measures)


def find_used_grade(
    measures: Sequence[Measure], options: ScoringOptions, grades: Grades
) -> tuple[int, str]:
    """The highest grade that the values of ``measures``, as requested, depend on, and where it is
    from: the one that all measures which read it state, else that of the scale.
    """
    reading = [m for m in measures if reads_highest_grade(m) or _fills_with_it(m)]
    stated = {dict(measure.params).get(MAX_REL.name) for measure in reading}
    only = stated.pop() if len(stated) == 1 else None
    return (only, STATED) if isinstance(only, int) else find_highest_grade(options, grades)


def is_denoted_by(scored: Measure, requested: Measure) -> bool:
    """Whether ``scored`` is ``requested``, or ``requested`` with its highest grade stated."""
    params = tuple(pair for pair in scored.params if pair[0] != MAX_REL.name)
    is_open = _leaves_open(requested)
    return scored == requested or (is_open and replace(scored, params=params) == requested)


def list_scale_remarks(
    measures: Sequence[Measure], options: ScoringOptions, grades: Grades
) -> list[str]:
    """Notes on ``measures`` as requested: the highest grade is only assumed; judgments have a
    higher grade than the highest."""
    top, source = find_highest_grade(options, grades)
    remarks = []
    assumed = [measure for measure in measures if _leaves_open(measure) or _fills_with_it(measure)]
    if assumed and source == ASSUMED:
        names = ", ".join(_with_highest_grade(measure, top).name for measure in assumed)
        remarks.append(
            f"{names}: the highest grade of the scale is assumed to be {top}, the highest in the "
            "qrels; use --max-rel to state it."
        )
    names_by_top: dict[int, list[str]] = {}
    for measure in filter(reads_highest_grade, measures):
        stated = dict(measure.params).get(MAX_REL.name, top)
        names_by_top.setdefault(stated if isinstance(stated, int) else top, []).append(measure.name)
    for highest, named in names_by_top.items():
        if above := int(np.count_nonzero(grades > highest)):
            count = format_count(above, "judgment")
            verb = "counts" if above == 1 else "count"
            remarks.append(
                f"{', '.join(named)}: {count} above grade {highest} {verb} as {highest}."
            )
    return remarks


def _with_highest_grade(measure: Measure, top: int) -> Measure:
    if not _leaves_open(measure):
        return measure
    params = {**dict(measure.params), MAX_REL.name: top}
    return replace(measure, params=tuple(sorted(params.items())))


def _leaves_open(measure: Measure) -> bool:
    return reads_highest_grade(measure) and MAX_REL.name not in dict(measure.params)


def _fills_with_it(measure: Measure) -> bool:
    """Whether unjudged documents count as if judged with the highest grade, and grades matter."""
    filled = dict(measure.params).get("unjudged") == "relevant"
    return filled and measure.family.group == "graded"
