"""Pairs labeled more than once by an assessor: reported, counted, merged only on request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.core.faults import FaultReport
from judging.core.exchange.records import JudgmentEntry

RULES = {
    "refuse": "reject the file",
    "first": "keep the first label",
    "last": "keep the last label",
}
"""Rules for different grades by one assessor for one pair."""
_DIFFERENT, _SEVERAL = "EJ03", "EJ09"
_SAME, _SEVERAL_SAME, _SKIP_TOO, _MERGED, _OLDER = "WJ02", "WJ05", "WJ07", "WJ08", "WJ11"


@dataclass(frozen=True, slots=True)
class ImportedBallot:
    """A judgment by ``assessor``; ``grade`` is None unless ``kind`` is grade."""

    assessor: str
    entry: JudgmentEntry
    kind: str
    grade: int | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.assessor, self.entry.topic, self.entry.docno


@dataclass(frozen=True)
class DuplicateCount:
    """``pairs`` that an assessor labeled more than once, ``same`` of them with equal grades."""

    assessor: str
    pairs: int
    same: int

    @property
    def percent(self) -> float:
        """The percentage of these pairs with equal grades."""
        return 100 * self.same / self.pairs


def merge_duplicates(
    cast: Iterable[ImportedBallot], rule: str, report: FaultReport
) -> tuple[list[ImportedBallot], list[DuplicateCount]]:
    """One ballot per assessor and pair, and per assessor how often duplicate labels agree.

    The last of numbered revisions counts (WJ11). A grade overrides a skip (WJ07). Equal grades
    are merged (WJ02, WJ05); different ones are an error (EJ03, EJ09) unless ``rule`` is first or
    last (WJ08), by time of judging if every record has one, else by position in the file.
    """
    groups: dict[tuple[str, str, str], list[ImportedBallot]] = defaultdict(list)
    for ballot in cast:
        groups[ballot.key].append(ballot)
    merged: list[ImportedBallot] = []
    agreeing: dict[str, list[bool]] = defaultdict(list)
    for (assessor, _, _), ballots in groups.items():
        current = drop_skips(latest_revisions(ballots, report), report)
        if len(current) > 1:
            agreeing[assessor].append(len({ballot.grade for ballot in current}) == 1)
            current = choose_ballot(current, rule, report)
        merged += [ballot for ballot in current if ballot.kind != "withdrawn"]
    duplicates = [
        DuplicateCount(who, len(seen), sum(seen)) for who, seen in sorted(agreeing.items())
    ]
    return merged, duplicates


def latest_revisions(ballots: list[ImportedBallot], report: FaultReport) -> list[ImportedBallot]:
    """The last revision, or all ballots if they have no distinct revision numbers."""
    numbers = {ballot.entry.revision for ballot in ballots}
    if len(ballots) < 2 or None in numbers or len(numbers) < len(ballots):
        return ballots
    last = max(ballots, key=lambda ballot: ballot.entry.revision or 0)
    message = "Earlier revisions of a judgment are ignored."
    place: dict[str, Any] = {"line": last.entry.line, "excerpt": last.entry.excerpt}
    report.add(_OLDER, message, "No action needed; the last revision counts.", **place)
    return [last]


def drop_skips(ballots: list[ImportedBallot], report: FaultReport) -> list[ImportedBallot]:
    """The grades of a pair, if any; else the last skip."""
    grades = [ballot for ballot in ballots if ballot.grade is not None]
    if not grades:
        return ballots[-1:]
    if len(grades) < len(ballots):
        skip = next(ballot for ballot in ballots if ballot.grade is None).entry
        message = "The pair is skipped here and graded elsewhere; the grade is kept."
        fix = "No action needed if the grade is intended."
        report.add(_SKIP_TOO, message, fix, line=skip.line, excerpt=skip.excerpt)
    return grades


def choose_ballot(
    ballots: Sequence[ImportedBallot], rule: str, report: FaultReport
) -> list[ImportedBallot]:
    """The ballot that counts of several; none if the rule is to refuse."""
    listed = sort_by_time(ballots)
    first = listed[0]
    same = len({ballot.grade for ballot in listed}) == 1
    place: dict[str, Any] = {"line": listed[1].entry.line, "column": listed[1].entry.columns[2]}
    row = all(ballot.entry.line == first.entry.line for ballot in listed)
    grades = ", ".join(str(ballot.grade) for ballot in listed)
    where = "in one record" if row else f"first on line {first.entry.line}"
    message = f"{first.assessor} labeled this pair {len(listed)} times ({where}): grades {grades}"
    excerpt = listed[1].entry.excerpt
    if same:
        code = _SEVERAL_SAME if row else _SAME
        fix = "No action needed; the grades are equal, and one is kept."
        report.add(code, f"{message}.", fix, **place, excerpt=excerpt)
    elif rule not in ("first", "last"):
        code = _SEVERAL if row else _DIFFERENT
        fix = "Remove the wrong labels, or choose to keep the first or the last."
        report.add(code, f"{message}.", fix, **place, excerpt=excerpt)
        return []
    else:
        choice = listed[0 if rule == "first" else -1]
        fix = "No action needed if this is intended; the log records the rule."
        report.add(_MERGED, f"{message}; {choice.grade} is kept.", fix, **place, excerpt=excerpt)
        return [choice]
    return [first]


def sort_by_time(ballots: Sequence[ImportedBallot]) -> list[ImportedBallot]:
    """By time of judging if all have one (ISO 8601 sorts as text), else in file order."""
    if all(ballot.entry.judged_at for ballot in ballots):
        return sorted(ballots, key=lambda ballot: ballot.entry.judged_at)
    return list(ballots)
