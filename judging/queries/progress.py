"""Progress of plans, and pace of assessors. Planned judgments; repeats are counted separately."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from django.db.models import Count, TextField
from django.db.models.functions import Cast

from campaigns.models import Campaign, Topic, User
from judging.models import Assignment, Audience, Judgment, Plan, PropagatedPair, Purpose, Slot
from judging.queries.judgments import ON_SCREEN
from judging.queries.remaining import (
    Remaining,
    add_remaining,
    count_checked_out,
    remaining_by_assessor,
)
from judging.queries.slot_counts import count_campaign_slots
from judging.queries.slots import list_assessors, stopped_topics
from judging.queries.tallies import (
    SlotTally,
    add_to_tally,
    assignments_by_topic,
    list_judging_plans,
    list_passed_on_skips,
    tally_topics,
)
from judging.rules import DESIGN_NAMES
from poolbench.cache import Cache
from poolbench.files.faults import format_count
from pooling.queries.judgment_log import Ints, read_judgment_log

IDLE = timedelta(minutes=5)
RECENT = 500
MOST_AT_ONCE = 20_000
"""Fewer than the variables that a statement of SQLite may have."""
SHARE = 0.2
"""Of a part of the log, from which on it is read whole: each named row takes as long as several."""
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_moments: Cache[tuple[Hashable, ...], tuple[Ints, Ints]] = Cache(2_000)
"""By campaign and assessor, the latest judgments (ids) and when they were made."""
MIN_SEQUENCE = 5
MOST_PER_HOUR = 1_800
"""Two seconds a document: faster is a script, or no reading, and forecasts nothing."""
"""Fewest judgments in sequence for a pace."""


@dataclass
class TopicProgress:
    """Open slots of a topic that has ``ended`` by the stopping rule are dropped."""

    topic: Topic
    tally: SlotTally
    assessors: list[Assignment] = field(default_factory=list)
    ended: bool = False

    @property
    def paused(self) -> bool:
        return bool(self.assessors) and all(assignment.paused for assignment in self.assessors)

    @property
    def names(self) -> str:
        """The assessors, those who are paused with that word."""
        seats = self.assessors
        return ", ".join(f"{s.assessor.shown_name}{' (paused)' * s.paused}" for s in seats)


@dataclass
class PlanProgress:
    plan: Plan
    tally: SlotTally
    topics: list[TopicProgress]
    propagated: int = 0
    """Pairs that a duplicate is judged for: they have no slots."""

    @property
    def table_id(self) -> str:
        return f"plan-{self.plan.pk}"

    @property
    def title(self) -> str:
        """The design, with its maximum number of judgments per document."""
        number = self.plan.overlap
        if self.plan.design == "overlap":
            return f"{format_count(number, 'judgment')} per document"
        title = str(DESIGN_NAMES.get(self.plan.design, self.plan.design))
        if number == 1:
            return title
        return f"{title}, up to {number} judgments"

    @property
    def is_unfinished(self) -> bool:
        return self.tally.left > 0 or self.tally.unresolved > 0

    @property
    def waiting(self) -> list[TopicProgress]:
        """Topics with remaining documents and no assessor; the crowd has none."""
        if self.plan.is_closed or self.plan.audience == Audience.CROWD:
            return []
        return [row for row in self.topics if row.tally.left and not row.assessors]


@dataclass(frozen=True)
class JudgingPace:
    """``per_hour`` counts active time only: gaps over five minutes are breaks. It is None for too
    few judgments, and above ``MOST_PER_HOUR``.
    """

    judgments: int
    last: datetime | None
    per_hour: float | None


@dataclass(frozen=True)
class AssessorProgress:
    """``remaining`` are the documents that are checked out to the assessor or wait for them, as
    expected (``judging.queries.remaining``); at most ``most``.
    """

    user: User
    topics: int
    judged: int
    skipped: int
    checked_out: int
    repeats: int
    pace: JudgingPace
    remaining: int
    most: int
    paused: bool

    @property
    def hours_left(self) -> float | None:
        return self.remaining / self.pace.per_hour if self.pace.per_hour else None


def plan_progress(campaign: Campaign) -> list[PlanProgress]:
    """Every judging plan of the campaign with its tally by topic, newest first."""
    plans = list_judging_plans(campaign)
    tallies = tally_topics([campaign.pk], plans)
    assigned = assignments_by_topic([campaign.pk])
    ended = set(stopped_topics(campaign).values_list("topic", flat=True))
    topics = {topic.pk: topic for topic in campaign.topics.all()}
    progress, propagated = [], count_propagated_pairs(plans)
    for plan in plans:
        rows = [
            TopicProgress(topic, tallies[at], assigned[at], ended=pk in ended)
            for pk, topic in topics.items()
            if (at := (plan.pk, pk)) in tallies
        ]
        total = add_to_tally(row.tally for row in rows)
        progress.append(PlanProgress(plan, total, rows, propagated.get(plan.pk, 0)))
    return progress


def count_propagated_pairs(plans: Sequence[Plan]) -> dict[int, int]:
    """By plan ID."""
    chosen = [plan.pk for plan in plans if plan.propagate]
    rows = PropagatedPair.objects.filter(plan__in=chosen).order_by().values_list("plan")
    return dict(rows.annotate(Count("pk"))) if chosen else {}


def assessor_progress(
    campaign: Campaign, plans: Sequence[PlanProgress], assessor: User | None = None
) -> list[AssessorProgress]:
    """Every assessor, and every user who has judged, with pace and share; or ``assessor`` alone."""
    states, paces = slot_states_by_user(campaign), pace_by_user(campaign, assessor)
    topics, active = topics_by_user(plans)
    out, remaining = count_checked_out(campaign), remaining_by_assessor(campaign)
    waiting = {user: add_remaining(parts.values()) for user, parts in remaining.items()}
    nothing = Remaining()
    everyone = list_assessors(campaign) | User.objects.filter(pk__in=[*states, *paces])
    if assessor is not None:
        everyone = everyone.filter(pk=assessor.pk)
    return [
        AssessorProgress(
            user=user,
            topics=topics[user.pk],
            judged=states[user.pk][Purpose.JUDGE, Slot.State.JUDGED],
            skipped=states[user.pk][Purpose.JUDGE, Slot.State.SKIPPED],
            checked_out=states[user.pk][Purpose.JUDGE, Slot.State.LEASED],
            repeats=states[user.pk][Purpose.REPEAT, Slot.State.JUDGED],
            pace=paces.get(user.pk, JudgingPace(0, None, None)),
            remaining=out[user.pk] + waiting.get(user.pk, nothing).count,
            most=out[user.pk] + waiting.get(user.pk, nothing).most,
            paused=bool(topics[user.pk]) and not active[user.pk],
        )
        for user in everyone
    ]


def slot_states_by_user(campaign: Campaign) -> dict[int, Counter[tuple[str, str]]]:
    """By user ID, their slots by purpose and state. A skip whose document went on to another
    assessor counts as skipped.
    """
    states: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in count_campaign_slots(campaign):
        if row.assessor is not None and row.purpose in ON_SCREEN:
            states[row.assessor][row.purpose, row.state] += row.size
    if read_judgment_log(campaign).select_rows(Purpose.JUDGE, Judgment.Kind.SKIP).any():
        for user in list_passed_on_skips(campaign).values_list("assessor", flat=True):
            states[user][Purpose.JUDGE, Slot.State.SKIPPED] += 1
    return states


def topics_by_user(plans: Sequence[PlanProgress]) -> tuple[Counter[int], Counter[int]]:
    """By user ID: the number of their topics, and of their assignments that are not paused."""
    topics, active = set[tuple[int, int]](), Counter[int]()
    for progress in plans:
        for row in progress.topics:
            for assignment in row.assessors:
                topics.add((assignment.assessor_id, row.topic.pk))
                is_open = progress.plan.state == Plan.State.OPEN
                active[assignment.assessor_id] += is_open and not assignment.paused
    return Counter(user for user, _topic in topics), active


def pace_by_user(campaign: Campaign, assessor: User | None = None) -> dict[int, JudgingPace]:
    """The pace of each assessor by user ID, without imports and crowd work.

    The pace is that of the last ``RECENT`` judgments: up to date, and equally cheap to compute
    for a long campaign and a short one.
    """
    log = read_judgment_log(campaign)
    rows = log.select_rows(Purpose.JUDGE) | log.select_rows(Purpose.REPEAT)
    rows &= ~log.select_source(Judgment.Source.IMPORT)
    if log.units:
        rows &= ~np.isin(log.numbers["pk"], list(log.units))
    if assessor is not None:
        rows &= log.numbers["assessor_id"] == assessor.pk
    people, judged = log.numbers["assessor_id"][rows], log.numbers["pk"][rows]
    own = {user: judged[people == user] for user in np.unique(people).tolist()}
    moments = list_moments(campaign, {user: rows[-RECENT:] for user, rows in own.items()})
    return {
        user: replace(compute_pace(moments[user]), judgments=len(rows))
        for user, rows in own.items()
    }


def list_moments(campaign: Campaign, judgments_by_user: Mapping[int, Ints]) -> dict[int, Ints]:
    """When each of the judgments (ids, ascending) was made, in microseconds: read where this
    process does not know it, since a row of the log never changes.
    """
    origin, nothing = (campaign.pk, campaign.created_at), np.empty(0, np.int64)
    known = {user: _moments.get((*origin, user), (nothing, nothing)) for user in judgments_by_user}
    more = {
        user: rows
        for user, rows in judgments_by_user.items()
        if not np.array_equal(rows, known[user][0])
    }
    unread = [np.setdiff1d(rows, known[user][0]) for user, rows in more.items()]
    parts = [read_moments(campaign, np.sort(np.concatenate([nothing, *unread]))), *known.values()]
    ids, moments = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(ids)
    for user, rows in more.items():
        places = order[np.searchsorted(ids, rows, sorter=order)]
        _moments.put((*origin, user), (rows, moments[places]))
        known[user] = rows, moments[places]
    return {user: times for user, (_, times) in known.items()}


def read_moments(campaign: Campaign, judgments: Ints) -> tuple[Ints, Ints]:
    """Judgments (ids), ``judgments`` among them, and when they were made, in microseconds."""
    ids, texts = list[int](), list[str]()
    for at in range(0, len(judgments), MOST_AT_ONCE):
        part = judgments[at : at + MOST_AT_ONCE].tolist()
        rows = campaign.judgments.filter(pk__gte=part[0], pk__lte=part[-1]).order_by()
        if len(part) < SHARE * (part[-1] - part[0] + 1):
            rows = rows.filter(pk__in=part)
        # As text: to make a datetime of each takes longer than all else.
        columns = rows.values_list("pk", Cast("judged_at", TextField()))
        for pk, text in columns.iterator(chunk_size=MOST_AT_ONCE):
            ids.append(pk)
            texts.append(text.removesuffix("+00"))
    return np.array(ids, np.int64), np.array(texts, "datetime64[us]").astype(np.int64)


def measure_pace(moments: Sequence[datetime]) -> JudgingPace:
    return compute_pace(np.array([(at - EPOCH) // MICROSECOND for at in moments], np.int64))


def compute_pace(moments: Ints) -> JudgingPace:
    """``moments`` in microseconds."""
    gaps = np.diff(moments)
    active = gaps[gaps <= IDLE // MICROSECOND]
    hours = int(active.sum()) / (timedelta(hours=1) // MICROSECOND)
    per_hour = len(active) / hours if len(active) >= MIN_SEQUENCE and hours else None
    if per_hour is not None and per_hour > MOST_PER_HOUR:
        per_hour = None
    last = EPOCH + int(moments[-1]) * MICROSECOND if len(moments) else None
    return JudgingPace(len(moments), last, per_hour)


def mean_pace(paces: Iterable[JudgingPace]) -> float | None:
    """Mean judgments per hour of work over assessors with a known pace; None if there are none."""
    known = [pace.per_hour for pace in paces if pace.per_hour]
    return sum(known) / len(known) if known else None
