"""Accuracy on gold balanced by grade, and how much of it guessing would reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from poolbench.cards import Card

BALANCED = Card(
    name="balanced-accuracy",
    title="Accuracy on gold, balanced by grade",
    formula="b = mean over the gold grades of (right of that grade / shown of that grade); "
    "guessing g = 1 / number of gold grades; above guessing (b − g) / (1 − g)",
    reading=(
        "The mean share right of each gold grade: a worker who always gives the same grade, or "
        "guesses, comes to 1 / number of grades, however often each grade was shown."
    ),
    source=(
        "W. J. Youden, Index for rating diagnostic tests, Cancer 3(1), 1950, 32–35; for several "
        "grades, balanced accuracy as in K. H. Brodersen and others, The balanced accuracy and "
        "its posterior distribution, ICPR 2010."
    ),
    range="0 to 1; above guessing at most 1, below 0 for worse than guessing",
    edge_cases=(
        "Grades that were not shown to the worker are left out of the mean.",
        "Skipped gold documents are left out.",
    ),
    undefined="no gold document answered; above guessing also if all gold has the same grade.",
    example="Gold 0 0 0 1 2, answers 0 0 0 0 0: (3/3 + 0/1 + 0/1)/3 = .3333, although 3 of 5 are "
    "right; g = 1/3, so 0 above guessing.",
)


@dataclass(frozen=True)
class BalancedAccuracy:
    """``value`` and ``guessing`` are None without gold; ``above`` is None with one grade."""

    value: float | None
    guessing: float | None
    above: float | None
    grades: int


def compute_balanced_accuracy(answers: Iterable[tuple[int, int]]) -> BalancedAccuracy:
    """From ``(known grade, given grade)`` of each gold document answered."""
    by_grade: dict[int, list[bool]] = defaultdict(list)
    for known, grade in answers:
        by_grade[known].append(known == grade)
    if not by_grade:
        return BalancedAccuracy(None, None, None, 0)
    value = sum(sum(right) / len(right) for right in by_grade.values()) / len(by_grade)
    guessing = 1 / len(by_grade)
    above = (value - guessing) / (1 - guessing) if len(by_grade) > 1 else None
    return BalancedAccuracy(value, guessing, above, len(by_grade))
