"""Pairs that one assessor labelled more than once: told, counted, settled only when asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.core.faults import FaultReport
from judging.core.exchange.records import JudgmentEntry

RULES = {
    "refuse": "refuse the file",
    "first": "keep the first label",
    "last": "keep the last label",
}
"""What may be done about different grades of one assessor for one pair."""
_DIFFERENT, _SEVERAL = "EJ03", "EJ09"
_SAME, _SEVERAL_SAME, _SKIP_TOO, _SETTLED, _OLDER = "WJ02", "WJ05", "WJ07", "WJ08", "WJ11"


@dataclass(frozen=True, slots=True)
class ImportedBallot:
    """What ``assessor`` says of a pair: ``grade`` where ``kind`` is grade, else None."""

    assessor: str
    entry: JudgmentEntry
    kind: str
    grade: int | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.assessor, self.entry.topic, self.entry.docno


@dataclass(frozen=True)
class DuplicateCount:
    """How often an assessor labelled a pair again: ``pairs``, of which ``same`` the same."""

    assessor: str
    pairs: int
    same: int

    @property
    def percent(self) -> float:
        """Of the pairs labelled again, how many have one and the same grade."""
        return 100 * self.same / self.pairs


def merge_duplicates(
    cast: Iterable[ImportedBallot], rule: str, report: FaultReport
) -> tuple[list[ImportedBallot], list[DuplicateCount]]:
    """One ballot an assessor and pair, and by assessor how far labels given twice agree.

    Of numbered revisions the last counts, which is no defect. A grade beats a skip. Equal
    grades are one (WJ02, WJ05); different ones are a fault (EJ03, EJ09) unless ``rule``
    says first or last, by the moment of judging where every record has one, else by place.
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
    twice = [DuplicateCount(who, len(seen), sum(seen)) for who, seen in sorted(agreeing.items())]
    return merged, twice


def latest_revisions(ballots: list[ImportedBallot], report: FaultReport) -> list[ImportedBallot]:
    """The last of numbered revisions, or all where they are not numbered apart."""
    numbers = {ballot.entry.revision for ballot in ballots}
    if len(ballots) < 2 or None in numbers or len(numbers) < len(ballots):
        return ballots
    last = max(ballots, key=lambda ballot: ballot.entry.revision or 0)
    message = "Earlier revisions of a judgment are passed over."
    place: dict[str, Any] = {"line": last.entry.line, "excerpt": last.entry.shown}
    report.add(_OLDER, message, "Nothing: the last revision counts.", **place)
    return [last]


def drop_skips(ballots: list[ImportedBallot], report: FaultReport) -> list[ImportedBallot]:
    """The grades of a pair, if there is one; of skips alone the last."""
    grades = [ballot for ballot in ballots if ballot.grade is not None]
    if not grades:
        return ballots[-1:]
    if len(grades) < len(ballots):
        skip = next(ballot for ballot in ballots if ballot.grade is None).entry
        message = "The pair is skipped here and has a grade elsewhere, which is kept."
        fix = "Nothing, if the grade is meant."
        report.add(_SKIP_TOO, message, fix, line=skip.line, excerpt=skip.shown)
    return grades


def choose_ballot(
    ballots: Sequence[ImportedBallot], rule: str, report: FaultReport
) -> list[ImportedBallot]:
    """The ballot that stands of several; none where the rule is to refuse."""
    listed = sort_by_time(ballots)
    first = listed[0]
    same = len({ballot.grade for ballot in listed}) == 1
    place: dict[str, Any] = {"line": listed[1].entry.line, "column": listed[1].entry.columns[2]}
    row = all(ballot.entry.line == first.entry.line for ballot in listed)
    grades = ", ".join(str(ballot.grade) for ballot in listed)
    where = "in one record" if row else f"first on line {first.entry.line}"
    message = f"{first.assessor} labelled this pair {len(listed)} times ({where}): grades {grades}"
    excerpt = listed[1].entry.shown
    if same:
        code = _SEVERAL_SAME if row else _SAME
        fix = "Nothing: the grades are the same, one is kept."
        report.add(code, f"{message}.", fix, **place, excerpt=excerpt)
    elif rule not in ("first", "last"):
        code = _SEVERAL if row else _DIFFERENT
        fix = "Decide which one holds and send that alone, or choose to keep the first or last."
        report.add(code, f"{message}.", fix, **place, excerpt=excerpt)
        return []
    else:
        choice = listed[0 if rule == "first" else -1]
        fix = "Nothing, if that is what you want; the log keeps the rule."
        report.add(_SETTLED, f"{message}; {choice.grade} is kept.", fix, **place, excerpt=excerpt)
        return [choice]
    return [first]


def sort_by_time(ballots: Sequence[ImportedBallot]) -> list[ImportedBallot]:
    """By the moment of judging where all say one (ISO 8601 sorts as text), else by place."""
    if all(ballot.entry.judged_at for ballot in ballots):
        return sorted(ballots, key=lambda ballot: ballot.entry.judged_at)
    return list(ballots)
