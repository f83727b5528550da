"""The letter groups of runs on the page of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from common.statistics.estimate import Estimate
from evaluation.core.comparison.compare import Comparisons
from evaluation.core.comparison.letters import assign_letters
from evaluation.queries.leaderboard import LeaderboardEntry
from evaluation.views.cells import format_score


class LetterRow(NamedTuple):
    tag: str
    mean: str
    interval: str
    letters: str


@dataclass(frozen=True)
class LetterPart:
    """``untested`` pairs have no p value."""

    groups: list[LetterRow]
    untested: int


def build_letter_part(
    entries: Sequence[LeaderboardEntry],
    name: str,
    compared: Comparisons,
    intervals: Sequence[Estimate],
) -> LetterPart:
    """``entries`` are the best first, with their intervals; runs without a mean have no letter."""
    listed = [
        (entry, interval)
        for entry, interval in zip(entries, intervals, strict=True)
        if entry.means[name] is not None
    ]
    groups = assign_letters(compared, [entry.tag for entry, _ in listed])
    rows = [
        LetterRow(
            entry.tag,
            format_score(entry.means[name]),
            format_run_interval(interval),
            groups.letters[entry.tag],
        )
        for entry, interval in listed
    ]
    return LetterPart(rows, groups.untested)


def format_run_interval(interval: Estimate) -> str:
    if interval.low is None or interval.high is None:
        return "–"
    return f"{format_score(interval.low)} to {format_score(interval.high)}"
