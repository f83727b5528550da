"""What an assessor has judged of the duplicates of a document. Their grades are read only for a
judgment that has been submitted: before it they would prime.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Q, QuerySet

from campaigns.models import Campaign, Document, Topic, User
from campaigns.queries.duplicates import list_group_members, load_text_groups
from judging.models import Assignment, Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments
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
    grades = list_current_grades(actor, campaign, topics, docnos)
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
    actor: User, campaign: Campaign, topics: Collection[int], docnos: Collection[str]
) -> QuerySet[Judgment]:
    log = Judgment.objects.filter(
        campaign=campaign, assessor=actor, topic__in=topics, docno__in=docnos, purpose=Purpose.JUDGE
    )
    return latest_judgments(log).filter(kind=Judgment.Kind.GRADE)


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
    if judgment.purpose != Purpose.JUDGE or judgment.kind != Judgment.Kind.GRADE:
        return None
    own = load_text_groups(judgment.campaign, [judgment.docno]).get(judgment.docno)
    if own is None:
        return None
    texts = dict(list_group_members(judgment.campaign, {own.group})[own.group])
    others = list_current_grades(
        judgment.assessor, judgment.campaign, [judgment.topic_id], texts.keys() - {judgment.docno}
    ).exclude(grade=judgment.grade)
    rows = sorted(others, key=lambda row: (texts[row.docno] != own.text, -row.pk))
    return (rows[0], texts[rows[0].docno] == own.text) if rows else None
