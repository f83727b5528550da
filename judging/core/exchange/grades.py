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
class Proposal:
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


def spelt(grade: int, label: str) -> str:
    """A grade with its word, as our own exports write it: read back without a doubt."""
    return f"{grade} {label}"


def propose(
    labels: Iterable[str], scale: Scale, chosen: Mapping[str, str] | None = None
) -> list[Proposal]:
    """A proposal a distinct label, the frequent first; ``chosen`` says what is settled."""
    counts = Counter(labels)
    ranked = sorted(counts, key=lambda label: (-counts[label], label))
    return [proposal(label, counts[label], scale, chosen or {}) for label in ranked]


def proposal(label: str, count: int, scale: Scale, chosen: Mapping[str, str]) -> Proposal:
    """A number is that grade; a label of the scale is its grade; else a number in the text."""
    if label in chosen:
        return Proposal(label, count, wanted(chosen[label]), "chosen")
    if _NUMBER.fullmatch(label):
        return Proposal(label, count, int(float(label)), "number")
    folded = " ".join(label.split()).casefold()
    for grade, word in scale:
        if folded in (word.casefold(), spelt(grade, word).casefold()):
            return Proposal(label, count, grade, "label")
    numbers = {int(text) for text in _WITHIN.findall(label)}
    if len(numbers) != 1:
        return Proposal(label, count, None, "nothing")
    grade = numbers.pop()
    return Proposal(label, count, grade, "text", doubt_of(folded, grade, scale))


def doubt_of(folded: str, grade: int, scale: Scale) -> str:
    """What the words around a number say, if they are those of another grade."""
    bare = " ".join(re.sub(r"[^\w\s]|\d", " ", folded).split())
    for other, word in scale:
        if bare == word.casefold() and other != grade:
            return f"“{word}” is grade {other} of the scale"
    return ""


def wanted(text: str) -> int | str | None:
    """A choice as a grade, ``LEAVE_OUT``, or None where it is neither."""
    text = text.strip()
    if text == LEAVE_OUT:
        return LEAVE_OUT
    return int(text) if re.fullmatch(r"[+-]?\d{1,9}", text) else None
