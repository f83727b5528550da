"""The assessor's view: their topics, the document on screen, their recent judgments.

Nothing here reads a run, rank, score, the origin of a pair, or another assessor's judgment.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from campaigns.models import Campaign, Document, Topic, User
from judging.models import Assignment, Judgment, Plan, Slot
from judging.queries.judgments import (
    ON_SCREEN,
    latest_judgments_by_pair,
    own_current_judgments,
)
from judging.queries.remaining import Remaining, add_remaining, remaining_by_topic
from judging.queries.tallies import list_passed_on_skips

OPEN, CLOSED = Plan.State.OPEN, Plan.State.CLOSED
RECENT = 5


@dataclass(frozen=True)
class AssessorTopic:
    """An assessor's progress on a topic. ``skipped`` includes documents that went on to
    another assessor; ``remaining`` is the forecast of what is still to be checked out.
    """

    topic: Topic
    judged: int
    skipped: int
    checked_out: int
    remaining: Remaining
    paused: bool = False

    @property
    def done(self) -> int:
        return self.judged + self.skipped

    @property
    def total(self) -> int:
        return self.done + self.left

    @property
    def left(self) -> int:
        return self.checked_out + self.remaining.count

    @property
    def most(self) -> int:
        """What would remain if no other assessor judged."""
        return self.checked_out + self.remaining.most

    @property
    def percent(self) -> int:
        """Rounded down: 100 only if nothing remains."""
        return 100 * self.done // self.total if self.total else 100


def list_assessor_topics(campaign: Campaign, assessor: User) -> list[AssessorTopic]:
    """Every topic assigned to the assessor, or with documents checked out to or judged by them."""
    states = slot_states_by_topic(campaign, assessor)
    remaining = remaining_by_topic(assessor, campaign)
    assigned = Assignment.objects.filter(
        plan__campaign=campaign, plan__kind=Plan.Kind.JUDGE, assessor=assessor
    ).order_by()
    plans = list(assigned.values_list("topic", "plan__state", "paused"))
    going_on = [(topic, state, paused) for topic, state, paused in plans if state != CLOSED]
    active = {topic for topic, state, paused in going_on if state == OPEN and not paused}
    halted = {topic for topic, *_ in going_on} - active
    topics = campaign.topics.filter(pk__in={*states, *(topic for topic, *_ in plans)})
    return [
        build_assessor_topic(
            topic,
            states.get(topic.pk, Counter()),
            remaining.get(topic.pk, Remaining()),
            paused=topic.pk in halted,
        )
        for topic in topics
    ]


def get_assessor_topic(campaign: Campaign, assessor: User, topic: Topic) -> AssessorTopic:
    states = slot_states_by_topic(campaign, assessor, topic)
    remaining = remaining_by_topic(assessor, campaign, {topic.pk})
    return build_assessor_topic(
        topic, states.get(topic.pk, Counter()), remaining.get(topic.pk, Remaining())
    )


def build_assessor_topic(
    topic: Topic, states: Counter[str], remaining: Remaining, *, paused: bool = False
) -> AssessorTopic:
    return AssessorTopic(
        topic=topic,
        judged=states[Slot.State.JUDGED],
        skipped=states[Slot.State.SKIPPED],
        checked_out=states[Slot.State.LEASED],
        remaining=remaining,
        paused=paused,
    )


def count_remaining(topics: Iterable[AssessorTopic]) -> int:
    """Documents of all ``topics`` that remain for the assessor: their shares, then rounded up."""
    listed = list(topics)
    out = sum(row.checked_out for row in listed)
    return out + add_remaining(row.remaining for row in listed).count


def slot_states_by_topic(
    campaign: Campaign, assessor: User, topic: Topic | None = None
) -> dict[int, Counter[str]]:
    """By topic id, the assessor's slots by state. A skip whose document went on to another
    assessor counts as skipped.
    """
    here = {} if topic is None else {"topic": topic}
    states: dict[int, Counter[str]] = defaultdict(Counter)
    rows = slots_on_screen(campaign, assessor).filter(**here).values_list("topic", "state")
    for number, state, count in rows.annotate(Count("pk")):
        states[number][state] += count
    passed_on = list_passed_on_skips(campaign).filter(assessor=assessor, **here)
    for number in passed_on.values_list("topic", flat=True):
        states[number][Slot.State.SKIPPED] += 1
    return states


def slots_on_screen(campaign: Campaign, assessor: User) -> QuerySet[Slot]:
    """The assessor's slots; blind repeats count like any other."""
    own = Slot.objects.filter(plan__campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return own.order_by()


def recent_judgments(campaign: Campaign, assessor: User, topic: Topic) -> list[Judgment]:
    """The assessor's own last judgments of the topic, newest first, each pair once."""
    own = own_current_judgments(campaign, assessor).filter(topic=topic)[: 2 * RECENT]
    by_docno = {row.docno: row for row in reversed(own)}
    return sorted(by_docno.values(), key=lambda row: row.pk, reverse=True)[:RECENT]


def find_document(campaign: Campaign, docno: str) -> Document | None:
    return campaign.documents.filter(docno=docno).first()


def current_judgments_by(campaign: Campaign, assessor: User) -> QuerySet[Judgment]:
    """The assessor's latest judgment of every pair, also of a blind repeat and including imports,
    newest first.
    """
    own = Judgment.objects.filter(campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return latest_judgments_by_pair(own).select_related("topic").order_by("-pk")
