"""Modifiers: parameters of all ranking measures that change the batch, not the formula."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.completions import complete_judgments
from poolbench.evaluation.means import MEANS
from poolbench.evaluation.scale import top_grade


@dataclass(frozen=True)
class MeasureModifier:
    """``apply(batch, value)`` returns the batch that the formula sees."""

    parameter: Parameter
    apply: Callable[[ScoringBatch, Any], ScoringBatch]


def set_relevance_level(batch: ScoringBatch, level: int) -> ScoringBatch:
    return replace(batch, options=replace(batch.options, level=level))


def assume_unjudged_grade(batch: ScoringBatch, stand_in: str | int) -> ScoringBatch:
    # A gain table may end below the lowest relevant grade.
    relevant = max(top_grade(batch), batch.options.level)
    grade = {"nonrelevant": 0, "relevant": relevant}.get(str(stand_in), stand_in)
    return complete_judgments(batch, int(grade))


MODIFIERS: dict[str, MeasureModifier] = {
    modifier.parameter.name: modifier
    for modifier in (
        MeasureModifier(
            Parameter("rel", "Lowest relevant grade; default: that of `-l`.", kind="grade"),
            set_relevance_level,
        ),
        MeasureModifier(
            Parameter(
                "list",
                "`condensed`: unjudged documents are removed from the ranking first.",
                "full",
                ("full", "condensed"),
            ),
            lambda batch, _: batch.condensed(),
        ),
        MeasureModifier(
            Parameter(
                "mean",
                "How topics are averaged. The geometric and the harmonic mean replace "
                "values below 0.00001 by 0.00001, as trec_eval's gm_map does.",
                "arithmetic",
                ("arithmetic", *MEANS),
            ),
            lambda batch, _: batch,
        ),
        MeasureModifier(
            Parameter(
                "unjudged",
                "How unjudged retrieved documents are treated: as judged `nonrelevant`, as "
                "`relevant` with the highest grade of the scale, or as judged with the given "
                "grade; `as_is`: as defined by the measure. `list=condensed` removes them first.",
                "as_is",
                kind="stand-in",
            ),
            assume_unjudged_grade,
        ),
    )
}
