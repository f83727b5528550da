"""What an assessor sees: their topics, the document in hand, what they said last.

Nothing here reads a run, a rank, a score, where a pair came from or another's judgment.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from campaigns.models import Campaign, Document, Topic, User
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import (
    ON_SCREEN,
    SAID,
    latest_judgments,
    log_until,
    own_current_judgments,
)
from judging.queries.slots import remaining_by_topic

RECENT = 5


@dataclass(frozen=True)
class MyTopic:
    """How far an assessor is with a topic; ``open`` is what they could still be handed."""

    topic: Topic
    judged: int
    skipped: int
    held: int
    open: int
    paused: bool = False

    @property
    def done(self) -> int:
        return self.judged + self.skipped

    @property
    def of(self) -> int:
        return self.done + self.left

    @property
    def left(self) -> int:
        return self.held + self.open

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when nothing is left."""
        return 100 * self.done // self.of if self.of else 100


def my_topics(campaign: Campaign, assessor: User) -> list[MyTopic]:
    """Every topic that is assigned to the assessor, or in which they hold or have judged."""
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
        MyTopic(
            topic=topic,
            judged=mine.get(topic.pk, Counter())[Slot.State.JUDGED],
            skipped=mine.get(topic.pk, Counter())[Slot.State.SKIPPED],
            held=mine.get(topic.pk, Counter())[Slot.State.LEASED],
            open=free[topic.pk],
            paused=paused.get(topic.pk, False),
        )
        for topic in topics
    ]


def topic_progress(campaign: Campaign, assessor: User, topic: Topic) -> MyTopic:
    slots = slots_on_screen(campaign, assessor).filter(topic=topic)
    states = dict(slots.values_list("state").annotate(Count("pk")))
    return MyTopic(
        topic=topic,
        judged=states.get(Slot.State.JUDGED, 0),
        skipped=states.get(Slot.State.SKIPPED, 0),
        held=states.get(Slot.State.LEASED, 0),
        open=remaining_by_topic(assessor, campaign, topic)[topic.pk],
    )


def slots_on_screen(campaign: Campaign, assessor: User) -> QuerySet[Slot]:
    """The assessor's slots; what comes a second time counts like any other."""
    own = Slot.objects.filter(plan__campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return own.order_by()


def recent_judgments(campaign: Campaign, assessor: User, topic: Topic) -> list[Judgment]:
    """The assessor's own last judgments of the topic, newest first."""
    return list(own_current_judgments(campaign, assessor).filter(topic=topic)[:RECENT])


def current_judgment(
    campaign: Campaign, assessor: User, topic: Topic, docno: str
) -> Judgment | None:
    """The assessor's last word on a pair: a grade, a skip, or that it was taken back."""
    own = Judgment.objects.filter(
        campaign=campaign, topic=topic, docno=docno, assessor=assessor, purpose=Purpose.JUDGE
    )
    return own.order_by("-revision").first()


def find_document(campaign: Campaign, docno: str) -> Document | None:
    return campaign.documents.filter(docno=docno).first()


def current_judgments_by(campaign: Campaign, assessor: User) -> QuerySet[Judgment]:
    """All that stands of an assessor in a campaign, imports too, newest first."""
    own = log_until(campaign).filter(assessor=assessor)
    mine = latest_judgments(own).filter(kind__in=SAID)
    return mine.select_related("topic").order_by("-pk")
