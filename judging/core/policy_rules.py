"""Rules by which several judgments of a pair become one grade, pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from campaigns.core.cards import Card


@dataclass(frozen=True)
class AggregationRule:
    """``decide`` takes the grades of one pair, ascending, at least one; None: undecided.

    ``is_tie``: whether two grades fit equally, so that the rule's choice of the lower one, its tie
    rule, decides them; None: it has none.
    """

    card: Card
    decide: Callable[[Sequence[int]], int | None]
    is_tie: Callable[[Sequence[int]], bool] | None = None


def is_never_tie(_: Sequence[int]) -> bool:
    return False


def single_judgment(grades: Sequence[int]) -> int | None:
    return grades[0] if grades[0] == grades[-1] else None


def majority_vote(grades: Sequence[int]) -> int:
    # Counter keeps insertion order among equal counts: the lowest grade first.
    return Counter(grades).most_common(1)[0][0]


def has_several_modes(grades: Sequence[int]) -> bool:
    """Whether several grades are the most frequent."""
    counts = sorted(Counter(grades).values())
    return len(counts) > 1 and counts[-1] == counts[-2]


def has_halfway_median(grades: Sequence[int]) -> bool:
    """Whether the median is half-way between two grades."""
    last = len(grades) - 1
    return (grades[last // 2] + grades[last - last // 2]) % 2 == 1


def has_halfway_mean(grades: Sequence[int]) -> bool:
    """Whether the mean is half-way between two grades."""
    return 2 * (sum(grades) % len(grades)) == len(grades)


def median_rounded_down(grades: Sequence[int]) -> int:
    last = len(grades) - 1
    return (grades[last // 2] + grades[last - last // 2]) // 2


def mean_rounded_down(grades: Sequence[int]) -> int:
    return sum(grades) // len(grades)


def highest_grade(grades: Sequence[int]) -> int:
    return grades[-1]


def rule_card(name: str, title: str, rule: str, example: str) -> Card:
    text = rule[0].upper() + rule[1:] + "."
    return Card(
        name, title, rule, text, "Poolbench.", range="a grade of the scale", example=example
    )


RULES: dict[str, AggregationRule] = {
    rule.card.name: rule
    for rule in (
        AggregationRule(
            rule_card(
                "single",
                "Single grade",
                "the grade on which all assessors of the pair agree; a pair with different grades "
                "is undecided, and qrels cannot be frozen",
                "2, 2 gives 2; 1, 2 is undecided.",
            ),
            single_judgment,
        ),
        AggregationRule(
            rule_card(
                "majority",
                "Majority vote",
                "the most frequent grade; the lowest of equally frequent grades",
                "0, 2, 2 gives 2; 1, 2 gives 1.",
            ),
            majority_vote,
            has_several_modes,
        ),
        AggregationRule(
            rule_card(
                "median-floor",
                "Median, rounded down",
                "the median grade; of two middle grades the mean, rounded down",
                "0, 2, 3 gives 2; 0, 1 gives 0; 1, 3 gives 2.",
            ),
            median_rounded_down,
            has_halfway_median,
        ),
        AggregationRule(
            rule_card(
                "mean-floor",
                "Mean, rounded down",
                "the mean of the grades, rounded down",
                "0, 2, 3 gives 1; 1, 2 gives 1.",
            ),
            mean_rounded_down,
            has_halfway_mean,
        ),
        AggregationRule(
            rule_card(
                "maximum",
                "Highest grade",
                "the highest grade of any assessor",
                "0, 2, 3 gives 3.",
            ),
            highest_grade,
        ),
    )
}
