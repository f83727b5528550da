"""The assessor's view: their topics, the document on screen, their recent judgments.

Nothing here reads a run, rank, score, the origin of a pair, or another assessor's judgment.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil

from django.db.models import Count, QuerySet

from campaigns.models import Campaign, Document, Topic, User
from judging.models import Assignment, Judgment, Plan, Slot
from judging.queries.judgments import (
    ANSWERS,
    ON_SCREEN,
    latest_judgments_by_pair,
    own_current_judgments,
)
from judging.queries.progress import measure_pace
from judging.queries.remaining import Remaining, add_remaining, remaining_by_topic
from judging.queries.slot_counts import SlotCount, count_campaign_slots
from judging.queries.slots import PURPOSES, assignments_in_adaptive_pools, get_stopping_rule
from judging.queries.tallies import list_passed_on_skips

OPEN, CLOSED = Plan.State.OPEN, Plan.State.CLOSED
RECENT = 10
"""Latest judgments that a page has at hand."""
PREFETCHED = 3
"""Documents that the screen fetches ahead in any case."""
AT_ONCE = 12
"""Documents in one request of the screen."""
MOST_AHEAD, MINUTES_AHEAD = 36, 5


@dataclass(frozen=True)
class AssessorTopic:
    """An assessor's progress on a topic. ``skipped`` includes documents that went on to
    another assessor; ``remaining`` is the forecast of what is still to be checked out. ``closed``:
    an organizer has closed every plan in which the topic is theirs.
    """

    topic: Topic
    judged: int
    skipped: int
    checked_out: int
    remaining: Remaining
    paused: bool = False
    closed: bool = False

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
    def is_forecast(self) -> bool:
        """Whether others may do some of what is left, so that its number is an expectation."""
        return self.most > self.left

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
    closed = {topic for topic, *_ in plans} - {topic for topic, *_ in going_on}
    topics = campaign.topics.filter(pk__in={*states, *(topic for topic, *_ in plans)})
    return [
        build_assessor_topic(
            topic,
            states.get(topic.pk, Counter()),
            remaining.get(topic.pk, Remaining()),
            paused=topic.pk in halted,
            closed=topic.pk in closed,
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
    topic: Topic,
    states: Counter[str],
    remaining: Remaining,
    *,
    paused: bool = False,
    closed: bool = False,
) -> AssessorTopic:
    return AssessorTopic(
        topic=topic,
        judged=states[Slot.State.JUDGED],
        skipped=states[Slot.State.SKIPPED],
        checked_out=states[Slot.State.LEASED],
        remaining=remaining,
        paused=paused,
        closed=closed,
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
    states: dict[int, Counter[str]] = defaultdict(Counter)
    if topic is None:
        for row in list_own_counts(campaign, assessor):
            states[row.topic][row.state] += row.size
    else:
        rows = slots_on_screen(campaign, assessor).filter(topic=topic).values_list("state")
        for state, count in rows.annotate(Count("pk")):
            states[topic.pk][state] += count
    passed_on = list_passed_on_skips(campaign).filter(assessor=assessor, **topic_filter(topic))
    for number in passed_on.values_list("topic", flat=True):
        states[number][Slot.State.SKIPPED] += 1
    return states


def list_own_counts(campaign: Campaign, assessor: User) -> list[SlotCount]:
    """Of the same slots."""
    rows = count_campaign_slots(campaign, assessor=assessor.pk)
    return [row for row in rows if row.purpose in ON_SCREEN]


def slots_on_screen(campaign: Campaign, assessor: User) -> QuerySet[Slot]:
    """The assessor's slots; blind repeats count like any other."""
    own = Slot.objects.filter(plan__campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return own.order_by()


def recent_judgments(
    campaign: Campaign, assessor: User, topic: Topic | None = None
) -> list[Judgment]:
    """The assessor's own last judgments of the topic, or of all, newest first, each pair once."""
    own = own_current_judgments(campaign, assessor).filter(**topic_filter(topic))[: 2 * RECENT]
    by_pair = {(row.topic_id, row.docno): row for row in reversed(own)}
    return sorted(by_pair.values(), key=lambda row: row.pk, reverse=True)[:RECENT]


def topic_filter(topic: Topic | None) -> dict[str, Topic]:
    return {} if topic is None else {"topic": topic}


def find_document(campaign: Campaign, docno: str) -> Document | None:
    return campaign.documents.filter(docno=docno).select_related("translation").first()


def current_judgments_by(campaign: Campaign, assessor: User) -> QuerySet[Judgment]:
    """The assessor's latest judgment of every pair, also of a blind repeat and including imports,
    newest first.
    """
    own = Judgment.objects.filter(campaign=campaign, assessor=assessor, purpose__in=ON_SCREEN)
    return latest_judgments_by_pair(own).select_related("topic").order_by("-pk")


def list_own_flagged(campaign: Campaign, assessor: User, topic: Topic, flag: str) -> list[Judgment]:
    """The assessor's latest judgments of the topic's pairs that have ``flag``, newest first."""
    rows = current_judgments_by(campaign, assessor).filter(topic=topic).exclude(flags=[])
    return [row for row in rows if flag in row.flags]


RECENT_JUDGMENTS = 60


def former_judgments(actor: User, slots: Collection[Slot]) -> dict[int, Judgment]:
    """By slot, the judgment that ``actor`` last submitted for it and undid; shown again.

    Never a judgment by another assessor for the slot, nor one of the pair elsewhere: a repeat
    is shown like a new document.
    """
    log = Judgment.objects.filter(slot__in=slots, assessor=actor, kind__in=ANSWERS)
    return {row.slot_id: row for row in log.order_by("pk") if row.slot_id is not None}


def get_checked_out_slot(
    actor: User,
    campaign: Campaign,
    topic: Topic,
    *,
    docno: str = "",
    token: str = "",
    kind: str = Plan.Kind.JUDGE,
) -> Slot | None:
    """The document of ``docno`` or ``token`` that is checked out to ``actor``; by its docno never
    a blind repeat, which only its lease can name.
    """
    purposes = PURPOSES[Plan.Kind(kind)]
    own = Slot.objects.filter(
        plan__campaign=campaign,
        topic=topic,
        assessor=actor,
        state=Slot.State.LEASED,
        purpose__in=purposes,
    )
    first = {"item__docno": docno, "purpose": purposes[0]}
    slots = own.filter(token=token) if token else own.filter(**first)
    return slots.select_related("item", "plan").order_by("-leased_at").first()


def last_two_judgments(
    actor: User,
    campaign: Campaign,
    topic: Topic,
    docno: str,
    token: str = "",
    kind: str = Plan.Kind.JUDGE,
) -> list[Judgment]:
    """The actor's last two revisions of a pair, latest first.

    With a lease ``token``, those for the purpose of that lease: a repeated document has two
    judgments, which are changed separately.
    """
    own = Judgment.objects.filter(campaign=campaign, topic=topic, docno=docno, assessor=actor)
    own = own.filter(purpose__in=PURPOSES[Plan.Kind(kind)])
    under = own.filter(lease=token).first() if token else None
    purpose = under.purpose if under is not None else PURPOSES[Plan.Kind(kind)][0]
    return list(own.filter(purpose=purpose).order_by("-pk")[:2])


def latest_judgment(actor: User, campaign: Campaign, topic: Topic, docno: str) -> Judgment | None:
    """What ``actor`` last said of a pair, in the first judgment or its blind repeat."""
    own = Judgment.objects.filter(campaign=campaign, topic=topic, docno=docno, assessor=actor)
    return latest_judgments_by_pair(own.filter(purpose__in=ON_SCREEN)).first()


def count_ahead(
    campaign: Campaign, assessor: User, topic: AssessorTopic, per_hour: float | None
) -> int:
    """Number of documents to fetch ahead: as many as the assessor judges in ``MINUTES_AHEAD`` at
    ``per_hour``, so that judging goes on while the connection is lost for so long.

    At most a quarter of what is left to the assessor, so that none at the end of a topic keeps
    work from the others. ``PREFETCHED`` where judgments decide which document comes next: with a
    stopping rule, and in an adaptive pool.
    """
    quarter = topic.left // 4
    if quarter <= PREFETCHED:
        return PREFETCHED
    return min(quarter, count_ahead_at_pace(campaign, assessor, topic.topic, per_hour))


def count_ahead_at_pace(
    campaign: Campaign, assessor: User, topic: Topic, per_hour: float | None
) -> int:
    """``count_ahead`` of a topic of which much is left, which is dear to count."""
    wanted = min(MOST_AHEAD, ceil((per_hour or 0) * MINUTES_AHEAD / 60))
    if wanted <= PREFETCHED or get_stopping_rule(campaign):
        return PREFETCHED
    growing = assignments_in_adaptive_pools(assessor, campaign, topic)
    return PREFETCHED if growing.exists() else wanted


def get_own_pace(campaign: Campaign, actor: User, kind: str = Plan.Kind.JUDGE) -> float | None:
    """Judgments per hour of work over the last ``RECENT_JUDGMENTS``; None if too few."""
    purposes = PURPOSES[Plan.Kind(kind)]
    own = Judgment.objects.filter(campaign=campaign, assessor=actor, purpose__in=purposes)
    own = own.exclude(source=Judgment.Source.IMPORT).order_by("-judged_at")
    return measure_pace(sorted(own.values_list("judged_at", flat=True)[:RECENT_JUDGMENTS])).per_hour
