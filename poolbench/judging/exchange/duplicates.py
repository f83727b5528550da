"""Several judgments of an assessor for one pair: which one counts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from poolbench.files.faults import FaultReport
from poolbench.judging.exchange.entry_table import EntryTable
from poolbench.judging.exchange.fields import JudgmentEntry

Ints = np.ndarray[Any, np.dtype[np.int64]]
NONE = -1
RULES = {
    "refuse": "reject the file",
    "first": "keep the first label",
    "last": "keep the last label",
}
"""Rules for different grades by one assessor for one pair."""
_DIFFERENT, _SEVERAL = "EJ03", "EJ09"
_SAME, _SEVERAL_SAME, _SKIP_TOO, _MERGED, _OLDER = "WJ02", "WJ05", "WJ07", "WJ08", "WJ11"


class ImportedBallot(NamedTuple):
    """A judgment by ``assessor``; ``grade`` is None unless ``kind`` is grade."""

    assessor: str
    entry: JudgmentEntry
    kind: str
    grade: int | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.assessor, self.entry.topic, self.entry.docno


@dataclass(frozen=True)
class ImportedBallots(Sequence[ImportedBallot]):
    """Ballots by column: the row of ``entries`` of each, its assessor as a place in ``people``, its
    grade. Those that are more than a grade of an entry are in ``odd``, by place.
    """

    entries: EntryTable
    people: list[str]
    rows: Ints
    assessors: Ints
    grades: Ints
    odd: Mapping[int, ImportedBallot]

    def read(self, places: Ints) -> Iterator[ImportedBallot]:
        entries = self.entries.read(self.rows[places].tolist())
        for place, entry in zip(places.tolist(), entries, strict=True):
            plain = (self.people[self.assessors[place]], entry, "grade", int(self.grades[place]))
            yield self.odd.get(place) or ImportedBallot(*plain)

    def take(self, places: Ints) -> "ImportedBallots":
        moved = {place: at for at, place in enumerate(places.tolist())} if self.odd else {}
        odd = {moved[place]: ballot for place, ballot in self.odd.items() if place in moved}
        columns = (self.rows[places], self.assessors[places], self.grades[places])
        return ImportedBallots(self.entries, self.people, *columns, odd)

    def number_keys(self) -> Ints:
        """One number for each assessor and pair."""
        topics, docnos = (self.entries.codes(name)[self.rows] for name in ("topic", "docno"))
        keys = self.assessors.astype(np.int64) * len(self.entries.values("topic")) + topics
        return keys * len(self.entries.values("docno")) + docnos

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ImportedBallot]:
        return self.read(np.arange(len(self)))

    @overload
    def __getitem__(self, index: int) -> ImportedBallot: ...
    @overload
    def __getitem__(self, index: slice) -> list[ImportedBallot]: ...
    def __getitem__(self, index: int | slice) -> ImportedBallot | list[ImportedBallot]:
        places = np.arange(len(self))[index]
        if isinstance(index, slice):
            return list(self.read(places))
        return next(self.read(np.array([places])))


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
    cast: ImportedBallots, rule: str, report: FaultReport
) -> tuple[ImportedBallots, list[DuplicateCount]]:
    """One ballot per assessor and pair, and per assessor how often duplicate labels agree.

    The last of numbered revisions counts (WJ11). A grade overrides a skip (WJ07). Equal grades
    are merged (WJ02, WJ05); different ones are an error (EJ03, EJ09) unless ``rule`` is first or
    last (WJ08), by time of judging if every record has one, else by position in the file.
    """
    _, first, group, counts = np.unique(
        cast.number_keys(), return_index=True, return_inverse=True, return_counts=True
    )
    chosen = first.copy()
    agreeing: dict[str, list[bool]] = defaultdict(list)
    for places in list_repeated(first, group, counts):
        ballots = dict(zip(map(id, listed := list(cast.read(places))), places, strict=True))
        current = drop_skips(latest_revisions(listed, report), report)
        if len(current) > 1:
            agreeing[current[0].assessor].append(len({ballot.grade for ballot in current}) == 1)
            current = choose_ballot(current, rule, report)
        chosen[group[places[0]]] = ballots[id(current[0])] if current else NONE
    chosen = chosen[np.argsort(first)]
    withdrawn = [place for place, ballot in cast.odd.items() if ballot.kind == "withdrawn"]
    merged = cast.take(chosen[(chosen != NONE) & ~np.isin(chosen, withdrawn)])
    duplicates = [
        DuplicateCount(who, len(seen), sum(seen)) for who, seen in sorted(agreeing.items())
    ]
    return merged, duplicates


def list_repeated(first: Ints, group: Ints, counts: Ints) -> Iterator[Ints]:
    """The places of each group of several, in the order of their first ones."""
    several = np.flatnonzero(counts > 1)
    places = np.flatnonzero(np.isin(group, several))
    places = places[np.argsort(group[places], kind="stable")]
    listed = np.split(places, np.cumsum(counts[several])[:-1]) if len(several) else []
    for at in np.argsort(first[several]).tolist():
        yield listed[at]


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
    """The ballot that counts of several; none if the rule is to refuse.

    By time of judging if all have one, else in file order.
    """
    listed = list(ballots)
    if all(ballot.entry.judged_at for ballot in ballots):
        listed.sort(key=lambda ballot: ballot.entry.judged_at)  # ISO 8601 sorts as text.
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
