"""Duplicates and near duplicates of one topic whose grades differ, for the organizer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign
from campaigns.queries.duplicates import load_text_groups
from judging.models import Purpose
from judging.queries.duplicates import list_current_grades
from judging.queries.judgments import Pair, latest_adjudications

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
    if not members:
        return []
    by_group: dict[tuple[str, int], list[DocumentGrades]] = defaultdict(list)
    for (topic, docno), (grades, adjudicated) in sorted(load_group_grades(campaign).items()):
        if docno in members:
            group, text = members[docno]
            by_group[topic, group].append(DocumentGrades(docno, text, grades, adjudicated))
    groups = [
        DuplicateGrades(topic, rows, kind)
        for (topic, _), rows in by_group.items()
        if (kind := find_difference(rows))
    ]
    return sorted(
        groups,
        key=lambda row: (row.kind != "same", -row.difference, row.topic, row.documents[0].docno),
    )


def load_group_grades(campaign: Campaign) -> dict[Pair, tuple[dict[str, int], int | None]]:
    """By pair of which a group has the document: the grades by username, and the adjudication. With
    the judgments beyond the plan: they tell of a text what those within it do.
    """
    rows = list_current_grades(campaign).filter(grade__gte=0).order_by("assessor__username")
    by_pair: dict[Pair, tuple[dict[str, int], int | None]] = {}
    for topic, docno, name, grade in rows.values_list(
        "topic__number", "docno", "assessor__username", "grade"
    ):
        by_pair.setdefault((topic, docno), ({}, None))[0][name] = grade or 0
    decided = latest_adjudications(list_current_grades(campaign, purpose=Purpose.ADJUDICATE))
    for pair, decision in decided.items():
        by_pair[pair] = (by_pair[pair][0] if pair in by_pair else {}, decision.grade)
    return by_pair


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
