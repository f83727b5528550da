"""Duplicates and near duplicates of one topic whose grades differ, for the organizer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign
from campaigns.queries.duplicates import load_text_groups
from judging.queries.judgments import Pair, load_pair_ballots
from poolbench.judging.policies import PairBallot

KINDS = {"same": _("same text"), "near": _("nearly the same text")}


@dataclass(frozen=True)
class DocumentGrades:
    """The grades that stand for a document of a group: by username those of its assessors, and the
    adjudication, which overrides them. ``text`` is the hash of its normalized text.
    """

    docno: str
    text: str
    grades: Mapping[str, int]
    adjudicated: int | None

    @property
    def final_grades(self) -> frozenset[int]:
        return frozenset(self.grades.values() if self.adjudicated is None else (self.adjudicated,))


@dataclass(frozen=True)
class DuplicateGrades:
    """A group of documents of ``topic`` that have differing grades although their texts are the
    same or nearly so: ``kind``, a name of ``KINDS``.
    """

    topic: str
    documents: Sequence[DocumentGrades]
    kind: str

    @property
    def kind_label(self) -> str:
        return str(KINDS[self.kind])

    @property
    def difference(self) -> int:
        """Between the lowest and the highest grade."""
        grades = {grade for document in self.documents for grade in document.final_grades}
        return max(grades) - min(grades)

    @property
    def assessors(self) -> list[str]:
        """The usernames of those who judged a document that was not adjudicated."""
        rows = [row for row in self.documents if row.adjudicated is None]
        return sorted({name for row in rows for name in row.grades})

    def list_pairs(self, assessor: str) -> list[Pair]:
        """What ``assessor`` has judged of the group."""
        return [(self.topic, row.docno) for row in self.documents if assessor in row.grades]


def list_duplicate_grades(campaign: Campaign) -> list[DuplicateGrades]:
    """Those with the same text first, then by the largest difference, topic and docno.

    Two assessors who differ on a document, and in the same way on its duplicate, are a disagreement
    and not listed here.
    """
    members = load_text_groups(campaign)
    ballots = load_pair_ballots(campaign).omit_propagated() if members else None
    if ballots is None:
        return []
    places = [at for at, (_, docno) in enumerate(ballots.pairs) if docno in members]
    by_group: dict[tuple[str, int], list[DocumentGrades]] = defaultdict(list)
    for ballot in ballots.list_ballots_at(places):
        member = members[ballot.docno]
        row = read_ballot(ballot, member.text)
        if row.final_grades:
            by_group[ballot.topic, member.group].append(row)
    groups = [
        DuplicateGrades(topic, rows, kind)
        for (topic, _), rows in by_group.items()
        if (kind := find_difference(rows))
    ]
    return sorted(
        groups,
        key=lambda row: (row.kind != "same", -row.difference, row.topic, row.documents[0].docno),
    )


def read_ballot(ballot: PairBallot, text: str) -> DocumentGrades:
    """With the judgments beyond the plan: they tell of a text what those within it do."""
    every = {**ballot.extra, **ballot.people}
    grades = {name: grade for name, grade in every.items() if grade >= 0}
    return DocumentGrades(ballot.docno, text, grades, ballot.adjudicated)


def find_difference(rows: Sequence[DocumentGrades]) -> str:
    """``same`` if documents with one text differ, else ``near`` if any do, else ""."""
    by_text: dict[str, list[DocumentGrades]] = defaultdict(list)
    for row in rows:
        by_text[row.text].append(row)
    if any(map(has_difference, by_text.values())):
        return "same"
    return "near" if has_difference(rows) else ""


def has_difference(rows: Sequence[DocumentGrades]) -> bool:
    """Whether two documents have different grades, or two of one assessor."""
    if len({row.final_grades for row in rows}) > 1:
        return True
    grades: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        for name, grade in row.grades.items() if row.adjudicated is None else ():
            grades[name].add(grade)
    return any(len(own) > 1 for own in grades.values())


def list_pairs_to_review(groups: Sequence[DuplicateGrades], assessor: str) -> list[Pair]:
    """What ``assessor`` has judged of ``groups``, without what was adjudicated."""
    return [
        pair for row in groups if assessor in row.assessors for pair in row.list_pairs(assessor)
    ]
