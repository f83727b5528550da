"""Rules by which judgments become one grade per pair: pair by pair, or by a model of them all."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    UNDECIDED,
    AggregatedLabels,
    AggregationModel,
    AggregationOptions,
    GoldCounts,
    aggregate_labels,
    build_label_matrix,
)
from poolbench.judging.aggregation.registry import MODELS


@dataclass(frozen=True)
class AggregationRule:
    """``decide`` takes the grades of one pair, ascending, at least one; None: undecided.

    ``is_tie``: whether two grades fit equally (half-way between them is the median or the mean), so
    that the rule's choice of the lower one, its tie rule, decides them; None: it has none.
    """

    card: Card
    decide: Callable[[Sequence[int]], int | None]
    is_tie: Callable[[Sequence[int]], bool] | None = None


def has_several_modes(grades: Sequence[int]) -> bool:
    """Whether several grades are the most frequent."""
    counts = sorted(Counter(grades).values())
    return len(counts) > 1 and counts[-1] == counts[-2]


def sum_middle_grades(grades: Sequence[int]) -> int:
    """Twice the median."""
    last = len(grades) - 1
    return grades[last // 2] + grades[last - last // 2]


def rule_card(name: str, title: str, rule: str, example: str) -> Card:
    text = rule[0].upper() + rule[1:] + "."
    return Card(
        name, title, rule, text, "Poolbench.", range="a grade of the scale", example=example
    )


RULES: dict[str, AggregationRule] = {
    name: AggregationRule(rule_card(name, title, rule, example), decide, is_tie)
    for name, title, rule, example, decide, is_tie in (
        (
            "single",
            "Single grade",
            (
                "the grade on which all assessors of the pair agree; a pair with different grades "
                "is undecided, and qrels cannot be frozen"
            ),
            "2, 2 gives 2; 1, 2 is undecided.",
            lambda grades: grades[0] if grades[0] == grades[-1] else None,
            None,
        ),
        (
            "majority",
            "Majority vote",
            "the most frequent grade; the lowest of equally frequent grades",
            "0, 2, 2 gives 2; 1, 2 gives 1.",
            # Counter keeps insertion order among equal counts: the lowest grade first.
            lambda grades: Counter(grades).most_common(1)[0][0],
            has_several_modes,
        ),
        (
            "median-floor",
            "Median, rounded down",
            "the median grade; of two middle grades the mean, rounded down",
            "0, 2, 3 gives 2; 0, 1 gives 0; 1, 3 gives 2.",
            lambda grades: sum_middle_grades(grades) // 2,
            lambda grades: sum_middle_grades(grades) % 2 == 1,
        ),
        (
            "mean-floor",
            "Mean, rounded down",
            "the mean of the grades, rounded down",
            "0, 2, 3 gives 1; 1, 2 gives 1.",
            lambda grades: sum(grades) // len(grades),
            lambda grades: 2 * (sum(grades) % len(grades)) == len(grades),
        ),
        (
            "maximum",
            "Highest grade",
            "the highest grade of any assessor",
            "0, 2, 3 gives 3.",
            max,
            None,
        ),
    )
}


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


def aggregate_votes(
    rule: CrowdRule, votes: Votes, gold: GoldCounts, scale: Sequence[int] = ()
) -> JointDecision:
    """The grades by the model of ``rule``; grades below 0 are not judgments.

    ``scale`` is that of the campaign, of which workers may choose; by default the grades that
    occur. Raises ``MissingGoldError`` as ``aggregate_labels``.
    """
    labels = (
        (pair, worker, grade)
        for pair, grades in votes.items()
        for worker, grade in grades.items()
        if grade >= 0
    )
    matrix = build_label_matrix(labels, [grade for grade in scale if grade >= 0])
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
