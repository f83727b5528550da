"""From the labels of a file to the grades of a scale: what is proposed, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LEAVE_OUT = "-"
"""Stands in a mapping for: records with this label are no judgments."""
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.0+)?")
_WITHIN = re.compile(r"(?<![\w.])-?\d{1,4}(?![\w.]*\w)")

Scale = Sequence[tuple[int, str]]
"""``(grade, its label)``."""


@dataclass(frozen=True)
class GradeProposal:
    """What a label is taken for: a grade, ``LEAVE_OUT``, or None where nothing tells.

    ``why`` is one of number, label, text, chosen or nothing; ``doubt`` says what speaks
    against it.
    """

    label: str
    count: int
    grade: int | str | None
    why: str
    doubt: str = ""

    @property
    def value(self) -> str:
        return "" if self.grade is None else str(self.grade)


def format_grade_label(grade: int, label: str) -> str:
    """A grade with its word, as our own exports write it: read back without a doubt."""
    return f"{grade} {label}"


def propose_grades(
    labels: Iterable[str], scale: Scale, choices: Mapping[str, str] | None = None
) -> list[GradeProposal]:
    """A proposal a distinct label, the frequent first; ``chosen`` says what is settled."""
    counts = Counter(labels)
    ranked = sorted(counts, key=lambda label: (-counts[label], label))
    return [propose_grade(label, counts[label], scale, choices or {}) for label in ranked]


def propose_grade(label: str, count: int, scale: Scale, choices: Mapping[str, str]) -> GradeProposal:
    """A number is that grade; a label of the scale is its grade; else a number in the text."""
    if label in choices:
        return GradeProposal(label, count, parse_grade_choice(choices[label]), "chosen")
    if _NUMBER.fullmatch(label):
        return GradeProposal(label, count, int(float(label)), "number")
    folded = " ".join(label.split()).casefold()
    for grade, word in scale:
        if folded in (word.casefold(), format_grade_label(grade, word).casefold()):
            return GradeProposal(label, count, grade, "label")
    numbers = {int(text) for text in _WITHIN.findall(label)}
    if len(numbers) != 1:
        return GradeProposal(label, count, None, "nothing")
    grade = numbers.pop()
    return GradeProposal(label, count, grade, "text", grade_doubt(folded, grade, scale))


def grade_doubt(folded: str, grade: int, scale: Scale) -> str:
    """What the words around a number say, if they are those of another grade."""
    bare = " ".join(re.sub(r"[^\w\s]|\d", " ", folded).split())
    for other, word in scale:
        if bare == word.casefold() and other != grade:
            return f"“{word}” is grade {other} of the scale"
    return ""


def parse_grade_choice(text: str) -> int | str | None:
    """A choice as a grade, ``LEAVE_OUT``, or None where it is neither."""
    text = text.strip()
    if text == LEAVE_OUT:
        return LEAVE_OUT
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else None
