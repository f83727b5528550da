"""Qrels policies that decide all pairs together, by a model of ``judging.core.aggregation``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from campaigns.core.cards import Card
from judging.core.aggregation.base import (
    UNDECIDED,
    AggregatedLabels,
    AggregationModel,
    AggregationOptions,
    GoldCounts,
    aggregate_labels,
    build_label_matrix,
)
from judging.core.aggregation.registry import MODELS

CROWD = "crowd:"
Votes = Mapping[tuple[str, str], Mapping[str, int]]
"""By pair, the grade of each worker."""
RANGE = "a grade of the scale"


@dataclass(frozen=True)
class CrowdRule:
    """A model with its tie rule, as the rule of a qrels policy."""

    card: Card
    model: AggregationModel
    ties: str = "lowest"


@dataclass(frozen=True, eq=False)
class JointDecision:
    """The grade of each pair with a label, None if undecided, and whether a tie rule was needed."""

    aggregated: AggregatedLabels
    decisions: Mapping[tuple[str, str], tuple[int | None, bool]]


def aggregate_votes(rule: CrowdRule, votes: Votes, gold: GoldCounts) -> JointDecision:
    """The grades by the model of ``rule``; grades below 0 are not judgments.

    The scale is the grades that occur. Raises ``MissingGoldError`` as ``aggregate_labels``.
    """
    labels = (
        (pair, worker, grade)
        for pair, grades in votes.items()
        for worker, grade in grades.items()
        if grade >= 0
    )
    matrix = build_label_matrix(labels)
    aggregated = aggregate_labels(rule.model, matrix, AggregationOptions(ties=rule.ties, gold=gold))
    decided = zip(matrix.items, aggregated.grades.tolist(), aggregated.ties.tolist(), strict=True)
    decisions = {
        pair: (None if grade == UNDECIDED else grade, tied) for pair, grade, tied in decided
    }
    return JointDecision(aggregated, decisions)


def _rule(model: AggregationModel, ties: str = "lowest") -> CrowdRule:
    words = "left undecided" if ties == "undecided" else f"decided for the {ties}"
    text = f"The most probable grade of the model {model.name}, fitted to the judgments of all "
    text += f"pairs together; equally probable grades are {words}."
    name = CROWD + model.name + ("" if ties == "lowest" else f"-{ties}")
    title = model.card.title + ("" if ties == "lowest" else f", ties {ties}")
    card = replace(model.card, name=name, title=f"Crowd: {title}", reading=text, range=RANGE)
    return CrowdRule(card, model, ties)


CROWD_RULES: dict[str, CrowdRule] = {
    rule.card.name: rule
    for rule in (
        *map(_rule, MODELS.values()),
        _rule(MODELS["majority"], "highest"),
        _rule(MODELS["majority"], "undecided"),
    )
}
CROWD_FORM = Card(
    name="crowd:MODEL",
    title="By a model of all workers",
    formula="the most probable grade of the model, fitted to the judgments of all pairs together",
    reading="The most probable grade of a model of [aggregation](aggregation.md), fitted to the "
    "judgments of all pairs together. Equally probable grades: the lowest, except under "
    "`crowd:majority-highest` and `crowd:majority-undecided`.",
    source="See the model.",
    range=RANGE,
    edge_cases=(
        (
            f"Policies: {', '.join(f'`{name}`' for name in CROWD_RULES)}; each also as "
            "`adjudicated-crowd:MODEL`: the model sees the judgments of adjudicated pairs, and the "
            "adjudication decides them."
        ),
        "The posterior, entropy and number of labels of each pair are kept with the qrels.",
        "`crowd:weighted-majority` needs gold.",
    ),
    example="`crowd:majority`: 0, 2, 2 gives 2; 1, 2 gives 1.",
)
