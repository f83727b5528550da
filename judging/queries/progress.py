"""What an organizer watches: how far each plan is, who works how fast, what is out or skipped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Count, QuerySet

from campaigns.models import Campaign, Role, Topic, User
from judging.models import Judgment, Plan, Slot

IDLE = timedelta(minutes=5)
FEW = 5
"""A pace from fewer judgments in sequence than this would be a guess."""


@dataclass
class Tally:
    """Slots by state: of a plan, of a topic."""

    open: int = 0
    leased: int = 0
    judged: int = 0
    skipped: int = 0

    @property
    def of(self) -> int:
        return self.open + self.leased + self.judged + self.skipped

    @property
    def done(self) -> int:
        return self.judged + self.skipped

    @property
    def left(self) -> int:
        return self.open + self.leased

    @property
    def percent(self) -> int:
        """Rounded down: 100 only when nothing is left."""
        return 100 * self.done // self.of if self.of else 0


@dataclass
class TopicProgress:
    topic: Topic
    tally: Tally
    people: list[User] = field(default_factory=list)


@dataclass
class PlanProgress:
    plan: Plan
    tally: Tally
    topics: list[TopicProgress]

    @property
    def table_id(self) -> str:
        return f"plan-{self.plan.pk}"

    @property
    def waiting(self) -> list[TopicProgress]:
        """Topics with work left and nobody to do it."""
        return [row for row in self.topics if row.tally.left and not row.people]


@dataclass(frozen=True)
class Pace:
    """``per_hour`` counts active time only: gaps over five minutes are breaks."""

    judgments: int
    last: datetime | None
    per_hour: float | None


@dataclass(frozen=True)
class AssessorProgress:
    """``share`` is the assessor's even part of what is left in their topics."""

    user: User
    topics: int
    judged: int
    skipped: int
    held: int
    pace: Pace
    share: float

    @property
    def hours_left(self) -> float | None:
        return self.share / self.pace.per_hour if self.pace.per_hour else None


def plan_progress(campaign: Campaign) -> list[PlanProgress]:
    """Every plan of the campaign with its tally by topic, newest first."""
    plans = list(campaign.plans.select_related("pool"))
    people: dict[tuple[int, int], list[User]] = defaultdict(list)
    # Who is no longer an assessor judges nothing, whatever was assigned.
    able = set(campaign.members.filter(role=Role.ASSESSOR).values_list("user", flat=True))
    for plan in Plan.objects.filter(campaign=campaign).prefetch_related("assignments__assessor"):
        for row in plan.assignments.all():
            if row.assessor_id in able:
                people[plan.pk, row.topic_id].append(row.assessor)
    tallies = tally_slots(campaign)
    topics = {topic.pk: topic for topic in campaign.topics.all()}
    found = []
    for plan in plans:
        rows = [
            TopicProgress(topic, tallies[plan.pk, pk], people[plan.pk, pk])
            for pk, topic in topics.items()
            if (plan.pk, pk) in tallies
        ]
        found.append(PlanProgress(plan, add(row.tally for row in rows), rows))
    return found


def tally_slots(campaign: Campaign) -> dict[tuple[int, int], Tally]:
    rows = Slot.objects.filter(plan__campaign=campaign).order_by()
    tallies: dict[tuple[int, int], Tally] = {}
    for plan, topic, state, count in rows.values_list("plan", "topic", "state").annotate(
        Count("pk")
    ):
        setattr(tallies.setdefault((plan, topic), Tally()), state, count)
    return tallies


def add(tallies: Iterable[Tally]) -> Tally:
    listed = list(tallies)
    return Tally(
        open=sum(t.open for t in listed),
        leased=sum(t.leased for t in listed),
        judged=sum(t.judged for t in listed),
        skipped=sum(t.skipped for t in listed),
    )


def assessor_progress(campaign: Campaign, plans: Sequence[PlanProgress]) -> list[AssessorProgress]:
    """Every assessor, and everyone who has judged, with pace and share."""
    slots = Slot.objects.filter(plan__campaign=campaign, assessor__isnull=False).order_by()
    states: dict[int, Counter[str]] = defaultdict(Counter)
    for user, state, count in slots.values_list("assessor", "state").annotate(Count("pk")):
        states[user or 0][state] = count
    paces, share, topics = paces_of(campaign), Counter[int](), Counter[int]()
    for row in (row for found in plans for row in found.topics):
        for user in row.people:
            share[user.pk] += row.tally.left / len(row.people)  # type: ignore[assignment]
            topics[user.pk] += 1
    roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
    everyone = User.objects.filter(pk__in=roles) | User.objects.filter(pk__in=[*states, *paces])
    return [
        AssessorProgress(
            user=user,
            topics=topics[user.pk],
            judged=states[user.pk][Slot.State.JUDGED],
            skipped=states[user.pk][Slot.State.SKIPPED],
            held=states[user.pk][Slot.State.LEASED],
            pace=paces.get(user.pk, Pace(0, None, None)),
            share=share[user.pk],
        )
        for user in everyone.order_by("username")
    ]


def paces_of(campaign: Campaign, assessor: User | None = None) -> dict[int, Pace]:
    """By assessor how fast they judge; imports say nothing of that and are left out."""
    log = Judgment.objects.filter(campaign=campaign).exclude(source=Judgment.Source.IMPORT)
    if assessor is not None:
        log = log.filter(assessor=assessor)
    times: dict[int, list[datetime]] = defaultdict(list)
    for user, at in log.order_by("pk").values_list("assessor", "judged_at").iterator():
        times[user].append(at)
    return {user: pace(moments) for user, moments in times.items()}


def pace(moments: Sequence[datetime]) -> Pace:
    gaps = [b - a for a, b in pairwise(moments)]
    active = [gap for gap in gaps if gap <= IDLE]
    hours = sum(active, timedelta()) / timedelta(hours=1)
    per_hour = len(active) / hours if len(active) >= FEW and hours else None
    return Pace(len(moments), moments[-1] if moments else None, per_hour)


def leases(campaign: Campaign) -> QuerySet[Slot]:
    """Documents that are out, the longest first."""
    out = Slot.objects.filter(plan__campaign=campaign, state=Slot.State.LEASED)
    return out.select_related("topic", "assessor").order_by("leased_at")


def skipped(campaign: Campaign) -> list[tuple[Slot, Judgment | None]]:
    """Skipped slots, each with the skip that says why."""
    slots = Slot.objects.filter(plan__campaign=campaign, state=Slot.State.SKIPPED)
    said: dict[int | None, Judgment] = {}
    for row in Judgment.objects.filter(
        campaign=campaign, kind=Judgment.Kind.SKIP, slot__state=Slot.State.SKIPPED
    ).order_by("pk"):
        said[row.slot_id] = row
    found = slots.select_related("topic", "assessor", "item").order_by("topic__position", "pk")
    return [(slot, said.get(slot.pk)) for slot in found]
