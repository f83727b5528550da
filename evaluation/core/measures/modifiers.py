"""Parameters that measures of every family take: they change the batch, not the formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from campaigns.core.cards import Parameter
from evaluation.core.batch import Batch
from evaluation.core.completions import completed
from evaluation.core.means import MEANS
from evaluation.core.scale import top_grade


@dataclass(frozen=True)
class Modifier:
    """``apply(batch, value)`` gives the batch that the formula sees."""

    parameter: Parameter
    apply: Callable[[Batch, Any], Batch]


def with_level(batch: Batch, level: int) -> Batch:
    return replace(batch, options=replace(batch.options, level=level))


def with_list(batch: Batch, _: str) -> Batch:
    return batch.condensed()


def with_stand_in(batch: Batch, stand_in: str | int) -> Batch:
    # A gain table may end below the lowest relevant grade.
    relevant = max(top_grade(batch), batch.options.level)
    grade = {"nonrelevant": 0, "relevant": relevant}.get(str(stand_in), stand_in)
    return completed(batch, int(grade))


def unchanged(batch: Batch, _: str) -> Batch:
    return batch


MODIFIERS: dict[str, Modifier] = {
    modifier.parameter.name: modifier
    for modifier in (
        Modifier(
            Parameter("rel", "Lowest relevant grade; else that of `-l`.", kind="grade"), with_level
        ),
        Modifier(
            Parameter(
                "list",
                "`condensed`: documents without a judgment are taken out of the ranking first.",
                "full",
                ("full", "condensed"),
            ),
            with_list,
        ),
        Modifier(
            Parameter(
                "mean",
                "How topics are averaged. For the geometric and the harmonic mean smaller values "
                "count as 0.00001, as in trec_eval's gm_map.",
                "arithmetic",
                ("arithmetic", *MEANS),
            ),
            unchanged,
        ),
        Modifier(
            Parameter(
                "unjudged",
                "What retrieved documents without a judgment are taken for: judged "
                "`nonrelevant`, or `relevant` with the highest grade of the scale, or judged to "
                "have the grade given; `as_is`: what the measure makes of them. `list=condensed` "
                "takes them out before.",
                "as_is",
                kind="stand-in",
            ),
            with_stand_in,
        ),
    )
}
