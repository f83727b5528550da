"""From the judgments of several assessors to one grade a pair: policies that a release names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from campaigns.core.cards import Card

Judgments = tuple[str, str, Mapping[str, int]]
"""``(topic, docno, grade by assessor)``."""
NOT_JUDGED = -1
SHOWN = 25


class DisagreementError(ValueError):
    """A policy that cannot decide; ``pairs`` lists every ``(topic, docno)`` concerned."""

    def __init__(self, policy: str, pairs: Sequence[tuple[str, str]]) -> None:
        self.pairs = tuple(pairs)
        listed = ", ".join(f"{topic} {docno}" for topic, docno in pairs[:SHOWN])
        more = f" and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
        super().__init__(
            f"Policy {policy} cannot decide {len(pairs)} pair(s) with different grades: "
            f"{listed}{more}. Choose another policy, or have them judged again."
        )


@dataclass(frozen=True)
class Policy:
    """``decide`` takes the grades of one pair, ascending and at least one; None: undecided."""

    card: Card
    decide: Callable[[Sequence[int]], int | None]

    @property
    def name(self) -> str:
        return self.card.name


def apply_policy(name: str, judgments: Iterable[Judgments]) -> list[tuple[str, str, int]]:
    """``(topic, docno, grade)`` of every pair, sorted.

    Grades below 0 are no judgments; a pair with no other one gets -1. Raises ``KeyError``
    for an unknown policy and ``DisagreementError`` with every pair that it cannot decide.
    """
    policy = POLICIES[name]
    rows: list[tuple[str, str, int]] = []
    undecided: list[tuple[str, str]] = []
    for topic, docno, by_assessor in judgments:
        grades = sorted(grade for grade in by_assessor.values() if grade >= 0)
        grade = policy.decide(grades) if grades else NOT_JUDGED
        if grade is None:
            undecided.append((topic, docno))
        else:
            rows.append((topic, docno, grade))
    if undecided:
        raise DisagreementError(name, sorted(undecided))
    return sorted(rows)


def single(grades: Sequence[int]) -> int | None:
    return grades[0] if grades[0] == grades[-1] else None


def majority(grades: Sequence[int]) -> int:
    # Counter keeps the order of arrival among equals: the lowest grade first.
    return Counter(grades).most_common(1)[0][0]


def median_floor(grades: Sequence[int]) -> int:
    last = len(grades) - 1
    return (grades[last // 2] + grades[last - last // 2]) // 2


def mean_floor(grades: Sequence[int]) -> int:
    return sum(grades) // len(grades)


def maximum(grades: Sequence[int]) -> int:
    return grades[-1]


def _policy(
    decide: Callable[[Sequence[int]], int | None], name: str, title: str, rule: str, example: str
) -> Policy:
    text = rule[0].upper() + rule[1:] + "."
    card = Card(
        name, title, rule, text, "Poolbench.", range="a grade of the scale", example=example
    )
    return Policy(card, decide)


POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        _policy(
            single,
            "single",
            "One judgment",
            "the grade that all assessors of the pair gave; a pair with different grades "
            "stops the release",
            "2, 2 gives 2; 1, 2 is refused.",
        ),
        _policy(
            majority,
            "majority",
            "Majority vote",
            "the grade given most often; among grades given equally often the lowest",
            "0, 2, 2 gives 2; 1, 2 gives 1.",
        ),
        _policy(
            median_floor,
            "median-floor",
            "Median, rounded down",
            "the middle grade; between two middle grades their mean, rounded down",
            "0, 2, 3 gives 2; 0, 1 gives 0; 1, 3 gives 2.",
        ),
        _policy(
            mean_floor,
            "mean-floor",
            "Mean, rounded down",
            "the mean of the grades, rounded down",
            "0, 2, 3 gives 1; 1, 2 gives 1.",
        ),
        _policy(
            maximum,
            "maximum",
            "Highest grade",
            "the highest grade that any assessor gave",
            "0, 2, 3 gives 3.",
        ),
    )
}
