"""Progress of a campaign's judging by plan and topic: the one count that all pages show."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from campaigns.models import Campaign, Member, Role
from judging.models import Assignment, Judgment, Plan, Purpose, Slot, StoppedTopic
from judging.queries.judgments import later_revisions
from judging.queries.slot_counts import count_slots, count_slots_to_judge
from judging.queries.slots import free_slots
from pooling.queries.adaptive_pools import future_documents

At = tuple[int, int]
"""Plan and topic, by their ids."""
State = Slot.State


@dataclass
class SlotTally:
    """Slots of a plan or topic by state. ``coming`` is the most that an adaptive pool may still
    add; ``dropped`` are the open slots of closed plans, and of topics that are complete by the
    stopping rule. Skipped slots that need a decision are also ``unresolved``.
    """

    open: int = 0
    leased: int = 0
    judged: int = 0
    skipped: int = 0
    coming: int = 0
    dropped: int = 0
    unresolved: int = 0

    def add(self, state: str, count: int) -> None:
        setattr(self, state, getattr(self, state) + count)

    def drop(self, state: str, count: int) -> None:
        """``count`` of the slots in ``state`` are no longer wanted."""
        self.add(state, -count)
        self.dropped += count

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
    def is_complete(self) -> bool:
        """Whether everything is judged, and nothing waits for a judgment or a decision."""
        return self.total > 0 and not self.left and not self.unresolved

    @property
    def percent(self) -> int:
        """Rounded down: 100 only if nothing remains."""
        resolved = self.done - self.unresolved
        return 100 * resolved // (self.done + self.left) if self.done else 0


def judging_progress(campaign: Campaign) -> SlotTally:
    """The whole campaign, over all judging plans."""
    return judging_progress_by_campaign([campaign.pk])[campaign.pk]


def judging_progress_by_campaign(campaigns: Collection[int]) -> dict[int, SlotTally]:
    """The same for several campaigns (ids), in a number of queries that does not depend on how
    many.
    """
    plans = list(Plan.objects.filter(campaign__in=campaigns, kind=Plan.Kind.JUDGE))
    whose = {plan.pk: plan.campaign_id for plan in plans}
    tallies: dict[int, list[SlotTally]] = {pk: [] for pk in campaigns}
    for plan, tally in tally_plans(campaigns, plans).items():
        tallies[whose[plan]].append(tally)
    return {pk: add_to_tally(rows) for pk, rows in tallies.items()}


def list_judging_plans(campaign: Campaign) -> list[Plan]:
    """Newest first."""
    return list(campaign.plans.filter(kind=Plan.Kind.JUDGE).select_related("pool"))


def tally_plans(campaigns: Collection[int], plans: Sequence[Plan]) -> dict[int, SlotTally]:
    """The sum of ``tally_topics`` by plan. Where no pool grows, it needs no count by topic, which
    takes several times as long.
    """
    if future_documents({plan.pool_id for plan in plans}):
        parts: dict[int, list[SlotTally]] = defaultdict(list)
        for (plan_id, _topic), tally in tally_topics(campaigns, plans).items():
            parts[plan_id].append(tally)
        return {plan_id: add_to_tally(rows) for plan_id, rows in parts.items()}
    closed, ended = list_closed(plans), list_ended_topics(campaigns)
    tallies = {plan.pk: SlotTally() for plan in plans}
    for (plan_id, state), count in count_slots_to_judge(list(tallies)).items():
        tallies[plan_id].add(state, count)
        if state == State.OPEN and plan_id in closed:
            tallies[plan_id].drop(state, count)
    if ended:
        going_on = tallies.keys() - closed
        waiting = Slot.objects.filter(
            plan__in=going_on, topic__in=ended, purpose=Purpose.JUDGE, state=State.OPEN
        ).order_by()
        for plan_id, count in waiting.values_list("plan").annotate(n=Count("*")):
            tallies[plan_id].drop(State.OPEN, count)
    for plan_id, _topic, count in count_canceled_leases(closed):
        tallies[plan_id].drop(State.LEASED, count)
    if any(tally.skipped for tally in tallies.values()):
        for plan_id in list_unresolved_skips(campaigns).values_list("plan", flat=True):
            tallies[plan_id].unresolved += 1
    return tallies


def tally_topics(campaigns: Collection[int], plans: Sequence[Plan]) -> dict[At, SlotTally]:
    """The tally of each topic of each of ``plans``: all judging plans of ``campaigns`` (ids),
    newest first.
    """
    if not plans:
        return {}
    ended = list_ended_topics(campaigns)
    tallies = tally_slots(plans, ended)
    coming = future_documents({plan.pool_id for plan in plans})
    assigned = assignments_by_topic(campaigns) if coming else {}
    for (pool, topic), more in coming.items():
        plan = plan_for_new_documents(
            [plan for plan in plans if plan.pool_id == pool], topic, assigned, tallies
        )
        if plan is not None and topic not in ended:
            tallies.setdefault((plan.pk, topic), SlotTally()).coming = more * plan.overlap
    if any(tally.skipped for tally in tallies.values()):
        skips = list_unresolved_skips(campaigns)
        for plan_id, topic in skips.values_list("plan", "topic"):
            tallies[plan_id, topic].unresolved += 1
    return tallies


def tally_slots(plans: Sequence[Plan], ended: Collection[int]) -> dict[At, SlotTally]:
    """By plan and topic, the slots by state; those that are no longer wanted are dropped."""
    closed = list_closed(plans)
    tallies: dict[At, SlotTally] = defaultdict(SlotTally)
    for row in count_slots([plan.pk for plan in plans]):
        if row.purpose != Purpose.JUDGE:
            continue
        tally = tallies[row.plan, row.topic]
        tally.add(row.state, row.size)
        if row.state == State.OPEN and (row.plan in closed or row.topic in ended):
            tally.drop(row.state, row.size)
    for plan_id, topic, count in count_canceled_leases(closed):
        tallies[plan_id, topic].drop(State.LEASED, count)
    return tallies


def list_closed(plans: Iterable[Plan]) -> set[int]:
    return {plan.pk for plan in plans if plan.state == Plan.State.CLOSED}


def list_ended_topics(campaigns: Collection[int]) -> set[int]:
    stopped = StoppedTopic.objects.filter(topic__campaign__in=campaigns)
    return set(stopped.values_list("topic", flat=True))


def count_canceled_leases(closed: Collection[int]) -> Iterable[tuple[int, int, int]]:
    """By plan of ``closed`` (ids) and topic, the expired leases, which end with the plan."""
    if not closed:
        return ()
    free = Slot.objects.filter(
        free_slots(), plan__in=closed, purpose=Purpose.JUDGE, state=State.LEASED
    ).order_by()
    return free.values_list("plan", "topic").annotate(n=Count("*"))


def list_unresolved_skips(campaigns: Collection[int]) -> QuerySet[Slot]:
    """Skipped slots of ``campaigns`` (ids) that need a decision: not those of closed plans, of
    topics that are complete by the stopping rule, and of pairs that were adjudicated.
    """
    decisions = Judgment.objects.filter(
        campaign=OuterRef("plan__campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("item__docno"),
        purpose=Purpose.ADJUDICATE,
    )
    last = Subquery(decisions.order_by("-pk").values("kind")[:1])
    slots = Slot.objects.filter(
        plan__campaign__in=campaigns, state=State.SKIPPED, purpose=Purpose.JUDGE
    ).exclude(plan__state=Plan.State.CLOSED)
    stopped = StoppedTopic.objects.filter(topic__campaign__in=campaigns)
    open_topics = slots.exclude(topic__in=stopped.values("topic"))
    undecided = Q(decision=None) | ~Q(decision=Judgment.Kind.GRADE)
    return open_topics.annotate(decision=last).filter(undecided).order_by()


def list_passed_on_skips(campaign: Campaign) -> QuerySet[Judgment]:
    """Current skips of planned documents that another assessor may judge, or has judged."""
    skips = Judgment.objects.filter(
        campaign=campaign, kind=Judgment.Kind.SKIP, purpose=Purpose.JUDGE, slot__isnull=False
    )
    return skips.exclude(slot__assessor=F("assessor")).filter(~Exists(later_revisions())).order_by()


def plan_for_new_documents(
    plans: Sequence[Plan],
    topic: int,
    assigned: Mapping[At, Sequence[Assignment]],
    tallies: Mapping[At, SlotTally],
) -> Plan | None:
    """Which of ``plans``, all on one pool and newest first, gets the new documents of a topic.

    The oldest with an active assessor on the topic; otherwise the oldest that waits for one;
    otherwise the oldest that is paused. A closed plan gets none.
    """
    known = [p for p in reversed(plans) if (p.pk, topic) in assigned or (p.pk, topic) in tallies]
    active = [plan for plan in known if plan.state == Plan.State.OPEN]
    at_work = [
        plan
        for plan in active
        if any(not assignment.paused for assignment in assigned.get((plan.pk, topic), ()))
    ]
    paused = [plan for plan in known if plan.state == Plan.State.PAUSED]
    return next(iter(at_work + active + paused), None)


def assignments_by_topic(campaigns: Collection[int]) -> dict[At, list[Assignment]]:
    """By plan and topic, the assignments in ``campaigns`` (ids), by username.

    Those of users who are no longer assessors are omitted.
    """
    able = Member.objects.filter(
        campaign=OuterRef("plan__campaign"), role=Role.ASSESSOR, user=OuterRef("assessor")
    )
    rows = Assignment.objects.filter(Exists(able), plan__campaign__in=campaigns)
    assignments: dict[At, list[Assignment]] = defaultdict(list)
    # Each user once: some hundred, of thousands of rows.
    for row in rows.prefetch_related("assessor").order_by("assessor__username"):
        assignments[row.plan_id, row.topic_id].append(row)
    return assignments


def add_to_tally(tallies: Iterable[SlotTally]) -> SlotTally:
    listed = list(tallies)
    names = [field.name for field in fields(SlotTally)]
    return SlotTally(**{name: sum(getattr(tally, name) for tally in listed) for name in names})
