"""Notebooks of topics: an assessor's own, and what adjudicators and meetings read of all."""

from dataclasses import dataclass

from campaigns.models import Campaign, Topic, User
from judging.models import Judgment, TopicNote
from judging.queries.screen import list_own_flagged


@dataclass(frozen=True)
class Notebook:
    """An assessor's entries on a topic, the oldest first; ``typical`` are the judgments that they
    flagged as typical of their grade, by grade.
    """

    notes: list[TopicNote]
    words: list[TopicNote]
    typical: list[Judgment]


def load_notebook(campaign: Campaign, assessor: User, topic: Topic) -> Notebook:
    entries = list(topic.notes.filter(assessor=assessor, removed_at=None))
    typical = list_own_flagged(campaign, assessor, topic, "typical")
    return Notebook(
        notes=[row for row in entries if row.kind == TopicNote.Kind.NOTE],
        words=[row for row in entries if row.kind == TopicNote.Kind.WORD],
        typical=sorted((row for row in typical if row.grade is not None), key=by_grade),
    )


def by_grade(judgment: Judgment) -> tuple[int, int]:
    return judgment.grade or 0, judgment.pk


def list_notes_of_all(topic: Topic) -> list[TopicNote]:
    """The notes of all assessors, the oldest first; pages show them without names."""
    return list(topic.notes.filter(kind=TopicNote.Kind.NOTE, removed_at=None))
