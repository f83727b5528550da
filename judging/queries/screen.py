"""The assessor's view: their topics, the document on screen, their recent judgments.

Nothing here reads a run, rank, score, the origin of a pair, or another assessor's judgment.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from campaigns.models import Campaign, Document, Topic, User
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import (
    ON_SCREEN,
    latest_judgments_by_pair,
    own_current_judgments,
)
from judging.queries.slots import remaining_by_topic

RECENT = 5


@dataclass(frozen=True)
class AssessorTopic:
    """An assessor's progress on a topic; ``open`` documents can be checked out to them."""

    topic: Topic
    judged: int
    skipped: int
    checked_out: int
    open: int
    paused: bool = False

    @property
    def done(self) -> int:
        return self.judged + self.skipped

    @property
    def total(self) -> int:
        return self.done + self.left

    @property
    def left(self) -> int:
        return self.checked_out + self.open

    @property
    def percent(self) -> int:
        """Rounded down: 100 only if nothing remains."""
        return 100 * self.done // self.total if self.total else 100


def list_assessor_topics(campaign: Campaign, assessor: User) -> list[AssessorTopic]:
    """Every topic assigned to the assessor, or with documents checked out to or judged by them."""
    slots = slots_on_screen(campaign, assessor)
    mine: dict[int, Counter[str]] = {}
    for topic, state, count in slots.values_list("topic", "state").annotate(Count("pk")):
        mine.setdefault(topic, Counter())[state] = count
    free = remaining_by_topic(assessor, campaign)
    assigned = Assignment.objects.filter(
        plan__campaign=campaign, plan__kind=Plan.Kind.JUDGE, assessor=assessor
    ).order_by()
    plans = assigned.values_list("topic", "plan__paused", "paused")
    paused = {topic: all(p or q for t, p, q in plans if t == topic) for topic, _, _ in plans}
    topics = campaign.topics.filter(pk__in={*paused, *mine})
    return [
        AssessorTopic(
            topic=topic,
            judged=mine.get(topic.pk, Counter())[Slot.State.JUDGED],
            skipped=mine.get(topic.pk, Counter())[Slot.State.SKIPPED],
            checked_out=mine.get(topic.pk, Counter())[Slot.State.LEASED],
            open=free[topic.pk],
            paused=paused.get(topic.pk, False),
        )
        for topic in topics
    ]


def get_assessor_topic(campaign: Campaign, assessor: User, topic: Topic) -> AssessorTopic:
    slots = slots_on_screen(campaign, assessor).filter(topic=topic)
    states = dict(slots.values_list("state").annotate(Count("pk")))
    return AssessorTopic(
        topic=topic,
        judged=states.get(Slot.State.JUDGED, 0),
        skipped=states.get(Slot.State.SKIPPED, 0),
        checked_out=states.get(Slot.State.LEASED, 0),
        open=remaining_by_topic(assessor, campaign, topic)[topic.pk],
    )


def slots_on_screen(campaign: Campaign, assessor: User) -> QuerySet[Slot]:
    """The assessor's slots; blind repeats count like any other."""
    own = Slot.objects.filter(plan__campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return own.order_by()


def recent_judgments(campaign: Campaign, assessor: User, topic: Topic) -> list[Judgment]:
    """The assessor's own last judgments of the topic, newest first, each pair once."""
    own = own_current_judgments(campaign, assessor).filter(topic=topic)[: 2 * RECENT]
    by_docno = {row.docno: row for row in reversed(own)}
    return sorted(by_docno.values(), key=lambda row: row.pk, reverse=True)[:RECENT]


def current_judgment(
    campaign: Campaign, assessor: User, topic: Topic, docno: str
) -> Judgment | None:
    """The assessor's last revision of a pair: a grade, a skip, or a withdrawal."""
    own = Judgment.objects.filter(
        campaign=campaign, topic=topic, docno=docno, assessor=assessor, purpose=Purpose.JUDGE
    )
    return own.order_by("-revision").first()


def find_document(campaign: Campaign, docno: str) -> Document | None:
    return campaign.documents.filter(docno=docno).first()


def current_judgments_by(campaign: Campaign, assessor: User) -> QuerySet[Judgment]:
    """The assessor's latest judgment of every pair, also of a blind repeat and including imports,
    newest first.
    """
    own = Judgment.objects.filter(campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return latest_judgments_by_pair(own).select_related("topic").order_by("-pk")
