"""The grades of duplicates; and what an assessor has judged of those of a document. Their grades
are read only for a judgment that has been submitted: before it they would prime.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Q, QuerySet

from campaigns.models import Campaign, Document, Duplicate, Topic, User
from campaigns.queries.duplicates import list_group_members, load_text_groups
from judging.models import Assignment, Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments, log_until
from pooling.models import PoolItem

MOST_FOUND = 10


class OwnDuplicate(NamedTuple):
    """A document of the same topic that the assessor has judged; ``same``: with the same text."""

    docno: str
    same: bool


class OwnDuplicates(NamedTuple):
    """Those of a document in ``group``, whose text has the hash ``text``; same texts first."""

    group: int
    text: str
    judged: list[OwnDuplicate]


def list_own_duplicates(
    actor: User, campaign: Campaign, slots: Collection[Slot]
) -> dict[int, OwnDuplicates]:
    """By slot, of those with a duplicate in the campaign; of repeats and adjudication nothing."""
    firsts = [slot for slot in slots if slot.purpose == Purpose.JUDGE]
    groups = load_text_groups(campaign, {slot.docno for slot in firsts}) if firsts else {}
    if not groups:
        return {}
    members = list_group_members(campaign, {member.group for member in groups.values()})
    docnos = {docno for rows in members.values() for docno, _ in rows}
    topics = {slot.topic_id for slot in firsts}
    grades = list_current_grades(campaign, docnos, assessor=actor, topic__in=topics)
    judged = set(grades.values_list("topic", "docno"))
    result: dict[int, OwnDuplicates] = {}
    for slot in firsts:
        if own := groups.get(slot.docno):
            rows = [
                OwnDuplicate(docno, text == own.text)
                for docno, text in members[own.group]
                if docno != slot.docno and (slot.topic_id, docno) in judged
            ]
            rows.sort(key=lambda row: not row.same)
            result[slot.pk] = OwnDuplicates(own.group, own.text, rows)
    return result


def list_current_grades(
    campaign: Campaign,
    docnos: Collection[str] | None = None,
    purpose: str = Purpose.JUDGE,
    **conditions: object,
) -> QuerySet[Judgment]:
    """Grades that stand for ``docnos``, or for all documents of groups, given by people to each of
    them: nothing that was propagated. ``conditions``: for judgments of one assessor.
    """
    if docnos is not None:
        chosen = Q(docno__in=docnos)
    else:
        groups = Duplicate.objects.filter(campaign=campaign).order_by()
        chosen = Q(docno__in=groups.values("document__docno"))
    log = log_until(campaign, purpose=purpose).filter(chosen, **conditions)
    return latest_judgments(log).filter(kind=Judgment.Kind.GRADE)


def list_contradictions(actor: User, campaign: Campaign) -> list[int]:
    """The assessor's current judgments (ids) of documents whose text another of the topic has, with
    another grade of theirs.
    """
    rows = list_current_grades(campaign, assessor=actor)
    graded = list(rows.values_list("pk", "topic", "docno", "grade"))
    texts = load_text_groups(campaign, {docno for *_, docno, _ in graded})
    by_text: dict[tuple[int, str], dict[int, int | None]] = defaultdict(dict)
    for pk, topic, docno, grade in graded:
        if docno in texts:
            by_text[topic, texts[docno].text][pk] = grade
    return [pk for grades in by_text.values() if len({*grades.values()}) > 1 for pk in grades]


def find_originals(actor: User, topic: Topic, text: str) -> list[tuple[str, str]]:
    """``(docno, title)`` of at most ``MOST_FOUND`` documents whose docno or title begins with
    ``text``, by docno: of those that the plans which assign ``topic`` to ``actor`` have pooled.
    """
    plans = Assignment.objects.filter(topic=topic, assessor=actor).values("plan__pool")
    pooled = PoolItem.objects.filter(topic=topic, pool__in=plans).order_by().values("docno")
    known = Document.objects.filter(campaign=topic.campaign_id, docno__in=pooled)
    begun = known.filter(Q(docno__istartswith=text) | Q(title__istartswith=text))
    return list(begun.order_by("docno").values_list("docno", "title")[:MOST_FOUND])


def find_contradiction(judgment: Judgment) -> tuple[Judgment, bool] | None:
    """The assessor's current judgment of a duplicate of the same topic with another grade, one with
    the same text first, and whether the text is the same. None of a blind repeat.
    """
    is_grade = judgment.purpose == Purpose.JUDGE and judgment.kind == Judgment.Kind.GRADE
    if not (is_grade and judgment.has_duplicates):
        return None
    own = load_text_groups(judgment.campaign, [judgment.docno]).get(judgment.docno)
    if own is None:
        return None
    texts = dict(list_group_members(judgment.campaign, {own.group})[own.group])
    docnos = texts.keys() - {judgment.docno}
    others = list_current_grades(
        judgment.campaign, docnos, assessor=judgment.assessor_id, topic=judgment.topic_id
    ).exclude(grade=judgment.grade)
    rows = sorted(others, key=lambda row: (texts[row.docno] != own.text, -row.pk))
    return (rows[0], texts[rows[0].docno] == own.text) if rows else None
