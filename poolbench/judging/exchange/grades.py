"""From the labels of a file to the grades of the scale: proposals with reasons."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LEAVE_OUT = "-"
"""In a mapping: records with this label are not judgments."""
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.0+)?")
_WITHIN = re.compile(r"(?<![\w.])-?\d{1,4}(?![\w.]*\w)")

Scale = Sequence[tuple[int, str]]
"""``(grade, its label)``."""


@dataclass(frozen=True)
class GradeProposal:
    """The proposed grade of a label: a grade, ``LEAVE_OUT``, or None if unknown.

    ``why`` is one of number, label, text, chosen or nothing; ``doubt`` is a reason against it.
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
    """A grade with its label, as in our own exports; reading it back is unambiguous."""
    return f"{grade} {label}"


def propose_grades(
    labels: Iterable[str], scale: Scale, choices: Mapping[str, str] | None = None
) -> list[GradeProposal]:
    """A proposal per distinct label, most frequent first; ``choices`` are the user's."""
    counts = Counter(labels)
    ranked = sorted(counts, key=lambda label: (-counts[label], label))
    return [propose_grade(label, counts[label], scale, choices or {}) for label in ranked]


def propose_grade(
    label: str, count: int, scale: Scale, choices: Mapping[str, str]
) -> GradeProposal:
    """A number is that grade; a label of the scale its grade; else the number in the text."""
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
    """A doubt if the text around the number is the label of another grade."""
    bare = " ".join(re.sub(r"[^\w\s]|\d", " ", folded).split())
    for other, word in scale:
        if bare == word.casefold() and other != grade:
            return f"“{word}” is grade {other} of the scale"
    return ""


def parse_grade_choice(text: str) -> int | str | None:
    """A choice as a grade or ``LEAVE_OUT``; None if it is neither."""
    text = text.strip()
    if text == LEAVE_OUT:
        return LEAVE_OUT
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else None
