"""One pair of rankings interleaved, and one session's clicks: examples worked step by step."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from poolbench.preferences.click_log import (
    Preference,
    preferences_from_clicks,
    share_of_preferences_met,
)
from poolbench.preferences.interleaving import METHODS, InterleavedList, Side, interleave_starting

MAX_LISTED = 50
"""Names of a list that anybody may try: at most 625 preferences of a session."""
MAX_ANSWER = 80_000
"""Bytes of the names of all preferences, written as JSON in HTML."""
EXAMPLE_A = (
    "Kernel machines", "SVM-light", "Lucent SVM demo", "Royal Holl. SVM", "SVM software",
    "SVM tutorial",
)  # fmt: skip
EXAMPLE_B = (
    "Kernel machines", "SVMs", "Intro to SVMs", "Archives of SVM", "SVM-light", "SVM software",
)  # fmt: skip
EXAMPLE_PICKS = ("SVM-light", "Lucent SVM demo", "Archives of SVM", "Royal Holl. SVM")
EXAMPLE_SHOWN = ("result1", "result2", "result3", "result4", "result5")
EXAMPLE_CLICKED = ("result1", "result3", "result5")
EXAMPLE_RANKING = ("result1", "result3", "result2", "result4", "result5")
"""The lecture's: CS276, Evaluation."""


@dataclass(frozen=True)
class WorkedInterleaving:
    """The list, and the credit of each ranking for ``picks``."""

    interleaved: InterleavedList
    picks: tuple[str, ...]
    credit: dict[Side, int]


@dataclass(frozen=True)
class WorkedClicks:
    """The preferences of a session, whether a ranking keeps each, and their share."""

    preferences: tuple[tuple[Preference, bool], ...]
    share: float | None


def build_worked_interleaving(
    a: Sequence[str],
    b: Sequence[str],
    method: str,
    *,
    first: Side | None = None,
    seed: int = 0,
    picks: Sequence[str] = (),
) -> WorkedInterleaving:
    """Picks that are not in the list are left out. Raises ``ValueError`` for duplicates."""
    merged = interleave_starting(method, a, b, first, seed)
    listed = tuple(docno for docno in merged.documents if docno in set(picks))
    return WorkedInterleaving(merged, listed, METHODS[method].credit(a, b, merged, listed))


def build_worked_clicks(
    documents: Sequence[str], clicked: Sequence[str], ranking: Sequence[str]
) -> WorkedClicks:
    """Raises ``ValueError`` for duplicates, clicks on documents that were not shown, or more than
    ``MAX_ANSWER`` bytes of names.
    """
    if len(set(ranking)) < len(ranking):
        raise ValueError("duplicate document in the ranking")
    pairs = preferences_from_clicks(documents, clicked)
    if count_written_bytes(name for pair in pairs for name in pair) > MAX_ANSWER:
        raise ValueError("too many preferences between documents with such long names")
    worked_pairs = tuple((pair, share_of_preferences_met(ranking, [pair]) == 1.0) for pair in pairs)
    return WorkedClicks(worked_pairs, share_of_preferences_met(ranking, pairs))


def count_written_bytes(names: Iterable[str]) -> int:
    return sum(len(escape(json.dumps(name, ensure_ascii=False)).encode()) for name in names)
