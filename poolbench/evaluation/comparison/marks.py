"""Marks of significance beside the values of a table, and the sentence that explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from poolbench.evaluation.comparison.compare import Comparisons
from poolbench.evaluation.comparison.letters import LetterGroups, assign_letters
from poolbench.evaluation.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS

ABOVE_ALL, BELOW_BEST = "*", "†"


@dataclass(frozen=True)
class SignificanceMarks:
    """``marks`` and ``letters`` by run tag, for runs in a table whose first is the best.

    ``*``: significantly different from every other run of the table, and the best of them.
    ``†``: significantly different from the best run of the table, and worse.
    """

    marks: dict[str, str]
    groups: LetterGroups
    caption: str


def mark_runs(compared: Comparisons, ranking: Sequence[str], measure: str) -> SignificanceMarks:
    """Marks and letters of the runs of ``ranking``, best first, by their significant pairs."""
    marks = dict.fromkeys(ranking, "")
    if len(ranking) > 1:
        best = ranking[0]
        pairs = [row for row in compared.rows if row.different]
        differs = {row.first for row in pairs if row.second == best}
        differs |= {row.second for row in pairs if row.first == best}
        below = [tag for tag in ranking if tag in differs]
        marks |= dict.fromkeys(below, BELOW_BEST)
        if len(below) == len(ranking) - 1:
            marks[best] = ABOVE_ALL
    groups = assign_letters(compared, ranking)
    return SignificanceMarks(marks, groups, caption_marks(compared, measure, marks, groups))


def caption_marks(
    compared: Comparisons, measure: str, marks: dict[str, str], groups: LetterGroups
) -> str:
    """Test, correction and level, and what the signs mean that occur."""
    signs = set(marks.values())
    parts = [f"Significance by {measure}: {describe_test(compared)}."]
    if ABOVE_ALL in signs:
        parts.append("*: significantly better than every other run of the table.")
    elif BELOW_BEST in signs:
        parts.append("†: significantly worse than the best run of the table.")
    elif len(marks) > 1:
        parts.append("No run of the table differs significantly from the best.")
    if ABOVE_ALL in signs and BELOW_BEST in signs:
        parts.append("†: significantly worse than it.")
    if groups.untested:
        parts.append(f"Pairs of runs without a p value: {groups.untested}.")
    return " ".join(parts)


def describe_test(compared: Comparisons) -> str:
    """``paired t test, Holm correction over 55 run pairs, level 0.05``."""
    title = (TESTS | FAMILY_TESTS)[compared.test].card.title
    test = title if title.startswith("Tukey") else title[:1].lower() + title[1:]
    correction = f", {CORRECTIONS[compared.correction].card.title} correction"
    if compared.correction == "none":
        correction = "" if compared.test in FAMILY_TESTS else ", no correction"
    pairs = f"{compared.corrected_over:,} run pair{'s' * (compared.corrected_over != 1)}"
    return f"{test}{correction} over {pairs}, level {compared.alpha:g}"


CAPTION_OF_LETTERS = (
    "Group: runs with a letter in common do not differ significantly; runs without one do."
)
