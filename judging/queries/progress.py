"""Progress of plans, and pace of assessors. Planned judgments; repeats are counted separately."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.models import Campaign, Role, Topic, User
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ON_SCREEN
from judging.queries.stopping import stopped_topics
from judging.rules import DESIGN_NAMES
from pooling.queries import future_documents

IDLE = timedelta(minutes=5)
RECENT = 500
At = tuple[int, int]
"""Plan and topic, by their ids."""
MIN_SEQUENCE = 5
"""Fewest judgments in sequence for a pace."""


@dataclass
class SlotTally:
    """Slots of a plan or topic by state. ``coming`` is the most that an adaptive pool may still
    add; ``dropped`` are the open slots of topics that are complete by the stopping rule.
    """

    open: int = 0
    leased: int = 0
    judged: int = 0
    skipped: int = 0
    coming: int = 0
    dropped: int = 0

    @property
    def total(self) -> int:
        return self.open + self.leased + self.judged + self.skipped + self.dropped

    @property
    def done(self) -> int:
        return self.judged + self.skipped

    @property
    def left(self) -> int:
        return self.open + self.leased + self.coming

    @property
    def percent(self) -> int:
        """Rounded down: 100 only if nothing remains."""
        return 100 * self.done // (self.done + self.left) if self.done else 0


@dataclass(frozen=True)
class AssignedAssessor:
    """An assessor on a topic; ``paused``: gets no documents of it for now."""

    user: User
    paused: bool = False


@dataclass
class TopicProgress:
    """``reserved`` counts the open slots reserved for an assessor, by user ID. Open slots of a
    topic that has ``ended`` by the stopping rule are dropped.
    """

    topic: Topic
    tally: SlotTally
    assessors: list[AssignedAssessor] = field(default_factory=list)
    reserved: Counter[int] = field(default_factory=Counter)
    ended: bool = False

    @property
    def people(self) -> list[User]:
        return [assignment.user for assignment in self.assessors]

    @property
    def free(self) -> int:
        """Open slots that any assessor of the topic may take, including those to come."""
        return self.tally.open + self.tally.coming - self.reserved.total()

    @property
    def paused(self) -> bool:
        return bool(self.assessors) and all(assignment.paused for assignment in self.assessors)


@dataclass
class PlanProgress:
    plan: Plan
    tally: SlotTally
    topics: list[TopicProgress]

    @property
    def table_id(self) -> str:
        return f"plan-{self.plan.pk}"

    @property
    def title(self) -> str:
        """The design, with its maximum number of judgments per document."""
        number = self.plan.overlap
        if self.plan.design == "overlap":
            title = ngettext("%(n)s judgment per document", "%(n)s judgments per document", number)
            return title % {"n": number}
        title = str(DESIGN_NAMES.get(self.plan.design, self.plan.design))
        if number == 1:
            return title
        return _("%(design)s, up to %(n)s judgments") % {"design": title, "n": number}

    @property
    def waiting(self) -> list[TopicProgress]:
        """Topics with remaining documents and no assessor."""
        return [row for row in self.topics if row.tally.left and not row.assessors]


@dataclass(frozen=True)
class JudgingPace:
    """``per_hour`` counts active time only: gaps over five minutes are breaks."""

    judgments: int
    last: datetime | None
    per_hour: float | None


@dataclass(frozen=True)
class AssessorProgress:
    """``share`` is what remains for the assessor: their checked-out and reserved documents, and
    an equal part of those that any assessor of their topics may take.
    """

    user: User
    topics: int
    judged: int
    skipped: int
    checked_out: int
    repeats: int
    pace: JudgingPace
    share: float
    paused: bool

    @property
    def hours_left(self) -> float | None:
        return self.share / self.pace.per_hour if self.pace.per_hour else None


def plan_progress(campaign: Campaign) -> list[PlanProgress]:
    """Every judging plan of the campaign with its tally by topic, newest first."""
    plans = list(campaign.plans.filter(kind=Plan.Kind.JUDGE).select_related("pool"))
    assigned = assignments_by_topic(campaign)
    tallies, reserved = tally_slots(campaign)
    for (pool, topic), more in future_documents({plan.pool_id for plan in plans}).items():
        plan = plan_for_new_documents(
            [plan for plan in plans if plan.pool_id == pool], topic, assigned, tallies
        )
        if plan is not None:
            tallies.setdefault((plan.pk, topic), SlotTally()).coming = more * plan.overlap
    ended = set(stopped_topics(campaign).values_list("topic", flat=True))
    for at, tally in tallies.items():
        if at[1] in ended:
            tally.open, tally.coming, tally.dropped = 0, 0, tally.open
            reserved.pop(at, None)
    topics = {topic.pk: topic for topic in campaign.topics.all()}
    progress = []
    for plan in plans:
        rows = [
            TopicProgress(topic, tallies[at], assigned[at], reserved[at], ended=pk in ended)
            for pk, topic in topics.items()
            if (at := (plan.pk, pk)) in tallies
        ]
        progress.append(PlanProgress(plan, add_to_tally(row.tally for row in rows), rows))
    return progress


def plan_for_new_documents(
    plans: Sequence[Plan],
    topic: int,
    assigned: Mapping[At, list[AssignedAssessor]],
    tallies: Mapping[At, SlotTally],
) -> Plan | None:
    """Which of ``plans``, all on one pool and newest first, gets the new documents of a topic.

    The oldest with an active assessor on the topic; otherwise the oldest that waits for one.
    """
    active = [plan for plan in reversed(plans) if not plan.paused]
    at_work = [
        p
        for p in active
        if any(not assignment.paused for assignment in assigned.get((p.pk, topic), ()))
    ]
    waiting = [p for p in active if (p.pk, topic) in assigned or (p.pk, topic) in tallies]
    return next(iter(at_work + waiting), None)


def assignments_by_topic(campaign: Campaign) -> dict[tuple[int, int], list[AssignedAssessor]]:
    """By plan and topic, the assigned assessors.

    Users who are no longer assessors are omitted, whatever their assignments.
    """
    able = campaign.members.filter(role=Role.ASSESSOR).values("user")
    rows = Assignment.objects.filter(plan__campaign=campaign, assessor__in=able)
    assignments: dict[tuple[int, int], list[AssignedAssessor]] = defaultdict(list)
    for row in rows.select_related("assessor").order_by("assessor__username"):
        assignments[row.plan_id, row.topic_id].append(AssignedAssessor(row.assessor, row.paused))
    return assignments


def tally_slots(
    campaign: Campaign,
) -> tuple[dict[tuple[int, int], SlotTally], dict[tuple[int, int], Counter[int]]]:
    """By plan and topic, the slots by state, and the open ones reserved for an assessor."""
    slots = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.JUDGE).order_by()
    tallies: dict[tuple[int, int], SlotTally] = {}
    reserved: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for plan, topic, state, whose, count in slots.values_list(
        "plan", "topic", "state", "reserved_for"
    ).annotate(Count("pk")):
        tally = tallies.setdefault((plan, topic), SlotTally())
        setattr(tally, state, getattr(tally, state) + count)
        if state == Slot.State.OPEN and whose is not None:
            reserved[plan, topic][whose] += count
    return tallies, reserved


def add_to_tally(tallies: Iterable[SlotTally]) -> SlotTally:
    listed = list(tallies)
    return SlotTally(
        open=sum(t.open for t in listed),
        leased=sum(t.leased for t in listed),
        judged=sum(t.judged for t in listed),
        skipped=sum(t.skipped for t in listed),
        coming=sum(t.coming for t in listed),
        dropped=sum(t.dropped for t in listed),
    )


def assessor_progress(campaign: Campaign, plans: Sequence[PlanProgress]) -> list[AssessorProgress]:
    """Every assessor, and every user who has judged, with pace and share."""
    states, paces = slot_states_by_user(campaign), pace_by_user(campaign)
    share, topics, active = remaining_by_user(plans)
    roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
    everyone = User.objects.filter(pk__in=roles) | User.objects.filter(pk__in=[*states, *paces])
    return [
        AssessorProgress(
            user=user,
            topics=topics[user.pk],
            judged=states[user.pk][Purpose.JUDGE, Slot.State.JUDGED],
            skipped=states[user.pk][Purpose.JUDGE, Slot.State.SKIPPED],
            checked_out=(checked_out := states[user.pk][Purpose.JUDGE, Slot.State.LEASED]),
            repeats=states[user.pk][Purpose.REPEAT, Slot.State.JUDGED],
            pace=paces.get(user.pk, JudgingPace(0, None, None)),
            share=share[user.pk] + checked_out,
            paused=bool(topics[user.pk]) and not active[user.pk],
        )
        for user in everyone.order_by("username")
    ]


def slot_states_by_user(campaign: Campaign) -> dict[int, Counter[tuple[str, str]]]:
    """By user ID, their slots by purpose and state."""
    slots = Slot.objects.filter(plan__campaign=campaign, assessor__isnull=False).order_by()
    states: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    rows = slots.filter(purpose__in=ON_SCREEN).values_list("assessor", "purpose", "state")
    for user, purpose, state, count in rows.annotate(Count("pk")):
        states[user or 0][purpose, state] = count
    return states


def remaining_by_user(
    plans: Sequence[PlanProgress],
) -> tuple[dict[int, float], Counter[int], Counter[int]]:
    """By user ID: their share of open slots, their topics, those not paused."""
    share: dict[int, float] = defaultdict(float)
    topics, active = set[tuple[int, int]](), Counter[int]()
    for progress in plans:
        for row in progress.topics:
            for user, count in row.reserved.items():
                share[user] += count
            for assignment in row.assessors:
                share[assignment.user.pk] += row.free / len(row.assessors)
                topics.add((assignment.user.pk, row.topic.pk))
                active[assignment.user.pk] += not (assignment.paused or progress.plan.paused)
    return share, Counter(user for user, _topic in topics), active


def pace_by_user(campaign: Campaign, assessor: User | None = None) -> dict[int, JudgingPace]:
    """The pace of each assessor by user ID, without imports.

    The pace is that of the last ``RECENT`` judgments: up to date, and equally cheap to compute
    for a long campaign and a short one.
    """
    log = Judgment.objects.filter(campaign=campaign, purpose__in=ON_SCREEN)
    log = log.exclude(source=Judgment.Source.IMPORT).order_by()
    if assessor is not None:
        log = log.filter(assessor=assessor)
    counts = dict(log.values_list("assessor").annotate(Count("pk")))
    back = Window(RowNumber(), partition_by="assessor", order_by=F("pk").desc())
    recent = log.annotate(back=back).filter(back__lte=RECENT).order_by("pk")
    times: dict[int, list[datetime]] = defaultdict(list)
    for user, at in recent.values_list("assessor", "judged_at").iterator():
        times[user].append(at)
    return {user: replace(measure_pace(at), judgments=counts[user]) for user, at in times.items()}


def measure_pace(moments: Sequence[datetime]) -> JudgingPace:
    gaps = [b - a for a, b in pairwise(moments)]
    active = [gap for gap in gaps if gap <= IDLE]
    hours = sum(active, timedelta()) / timedelta(hours=1)
    per_hour = len(active) / hours if len(active) >= MIN_SEQUENCE and hours else None
    return JudgingPace(len(moments), moments[-1] if moments else None, per_hour)


def mean_pace(paces: Iterable[JudgingPace]) -> float | None:
    """Mean judgments per active hour over assessors with a known pace; None if there are none."""
    known = [pace.per_hour for pace in paces if pace.per_hour]
    return sum(known) / len(known) if known else None
