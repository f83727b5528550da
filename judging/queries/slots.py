"""Reading slots: which ones an assessor may claim, and topics that stopped."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from campaigns.models import Campaign, Role, Topic, User
from judging.models import (
    Assignment,
    Audience,
    Judgment,
    Plan,
    Purpose,
    Slot,
    StoppedTopic,
    StoppingRule,
)
from judging.queries.judgments import ANSWERS, ON_SCREEN, later_revisions
from poolbench.judging.stopping import StoppingCriteria
from pooling.models import PoolTopic

PURPOSES = {Plan.Kind.JUDGE: ON_SCREEN, Plan.Kind.ADJUDICATE: (Purpose.ADJUDICATE,)}
"""The purposes of slots by kind of plan."""
ROUND = 1_000_000
"""Positions of slots from here on are of later rounds of a sample, each so far from the last."""
PEOPLE = (Purpose.JUDGE, Purpose.REPEAT, Purpose.ADJUDICATE)


def members_slots() -> Q:
    """Within a query of slots: those of plans with assessors, not those for the crowd."""
    # Not by a join: PostgreSQL would sort a whole topic for its first few slots.
    return ~Q(plan__in=Plan.objects.filter(audience=Audience.CROWD).order_by().values("pk"))


def free_slots() -> Q:
    """Slots that any assigned assessor may take: open ones, and expired leases."""
    expired = Q(state=Slot.State.LEASED, expires_at__lte=timezone.now())
    return Q(state=Slot.State.OPEN) | expired


def waiting_slots() -> Q:
    """Open and checked-out slots, but not the free ones of closed plans."""
    waiting = Q(state__in=(Slot.State.OPEN, Slot.State.LEASED))
    return waiting & ~Q(free_slots(), plan__state=Plan.State.CLOSED)


def cancelable_slots() -> Q:
    """The slots that closing their plan deletes: free, without a judgment in the log."""
    return Q(free_slots(), ~Q(purpose=Purpose.REPEAT, leased_at__isnull=False), judgments=None)


def checked_out_slots(
    actor: User, campaign: Campaign, topic: Topic | None, kind: str = Plan.Kind.JUDGE
) -> QuerySet[Slot]:
    """Slots checked out to ``actor``, oldest first; their leases may have expired."""
    own = Slot.objects.filter(
        plan__campaign=campaign,
        assessor=actor,
        state=Slot.State.LEASED,
        purpose__in=PURPOSES[Plan.Kind(kind)],
    )
    if topic is not None:
        own = own.filter(topic=topic)
    return own.select_related("item", "topic").order_by("leased_at", "pk")


def slot_assignments(actor: User) -> QuerySet[Assignment]:
    """Within a query of slots: the assignments of the slot's topic to ``actor``."""
    return Assignment.objects.filter(plan=OuterRef("plan"), topic=OuterRef("topic"), assessor=actor)


def offered_slots(actor: User, kind: str = Plan.Kind.JUDGE) -> Q:
    """Free slots of the topics assigned to ``actor``, whether or not they know the pair."""
    offered = free_slots() & Q(
        Exists(slot_assignments(actor).filter(paused=False)),
        Q(reserved_for=None) | Q(reserved_for=actor),
        purpose=PURPOSES[Plan.Kind(kind)][0],
        plan__state=Plan.State.OPEN,
    )
    return offered & open_topic_filter() if kind == Plan.Kind.JUDGE else offered


def new_pair_filter(actor: User, kind: str = Plan.Kind.JUDGE) -> Q:
    """Slots of pairs that ``actor`` has neither checked out nor judged.

    An undone judgment does not count, so that a pair can return to its only assessor; but an
    assessor who ever judged a pair does not adjudicate it, nor vice versa.
    """
    own = Slot.objects.filter(item=OuterRef("item"), assessor=actor)
    judgments = Judgment.objects.filter(
        campaign=OuterRef("plan__campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("item__docno"),
        assessor=actor,
        kind__in=ANSWERS,
        purpose__in=PEOPLE,
    )
    if kind == Plan.Kind.JUDGE:
        judgments = judgments.exclude(withdrawn_judgments())
    return Q(~Exists(own), ~Exists(judgments))


def withdrawn_judgments() -> Q:
    """Within a query of judgments: those that the assessor undid afterwards."""
    undone = later_revisions().filter(kind=Judgment.Kind.WITHDRAWN)
    return Q(Exists(undone), purpose__in=ON_SCREEN)


def claimable_slots(actor: User, campaign: Campaign, kind: str = Plan.Kind.JUDGE) -> QuerySet[Slot]:
    """The slots that ``actor`` may claim, in the order of judging.

    Never of a pair that the actor has checked out or judged, so a third person adjudicates what
    two have judged. Without repeats, see ``due_repeats``.
    """
    slots = Slot.objects.filter(
        offered_slots(actor, kind), new_pair_filter(actor, kind), plan__campaign=campaign
    )
    return slots.select_related("item", "topic").order_by("position", "k")


def due_repeats(actor: User) -> Q:
    """Blind repeats for ``actor``."""
    paused = slot_assignments(actor).filter(paused=True)
    free = {"purpose": Purpose.REPEAT, "reserved_for": actor, "plan__state": Plan.State.OPEN}
    return free_slots() & Q(~Exists(paused), **free)


def active_assignments(campaign: Campaign) -> QuerySet[Assignment]:
    """Assignments to judge that neither person nor plan has paused, of topics not complete."""
    return Assignment.objects.filter(
        open_topic_filter(),
        plan__campaign=campaign,
        plan__kind=Plan.Kind.JUDGE,
        plan__state=Plan.State.OPEN,
        paused=False,
    ).order_by()


def adaptive_topics() -> QuerySet[PoolTopic]:
    """Within a query of assignments: the topic, if the plan's adaptive pool can still grow."""
    here = {"pool": OuterRef("plan__pool"), "topic": OuterRef("topic")}
    return PoolTopic.objects.filter(**here, ended=False)


def assignments_in_adaptive_pools(
    actor: User, campaign: Campaign, topic: Topic | None
) -> QuerySet[Assignment]:
    """The actor's assignments in adaptive pools that can still grow, oldest plan first."""
    mine = active_assignments(campaign).filter(assessor=actor)
    here = mine if topic is None else mine.filter(topic=topic)
    growing = here.filter(Exists(adaptive_topics()))
    return growing.select_related("plan__pool__campaign", "topic").order_by(
        "plan_id", "topic__position", "topic__number"
    )


def latest_rule(campaign: Campaign) -> StoppingRule | None:
    """The rule that was set last, also if it never completes a topic."""
    return campaign.stopping_rules.first()


def get_stopping_rule(campaign: Campaign) -> StoppingCriteria:
    """The rule that applies; if none was set, one that never completes a topic."""
    newest = latest_rule(campaign)
    return newest.rule if newest else StoppingCriteria()


def stopped_topics(campaign: Campaign) -> QuerySet[StoppedTopic]:
    return StoppedTopic.objects.filter(topic__campaign=campaign)


def open_topic_filter() -> Q:
    """Within a query of slots or assignments: the topic has not ended."""
    # Not by ``Exists``: PostgreSQL would join, and sort a whole topic for its first few slots.
    return ~Q(topic__in=StoppedTopic.objects.values("topic"))


def list_assessors(campaign: Campaign) -> QuerySet[User]:
    """By username."""
    roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
    return User.objects.filter(pk__in=roles).order_by("username")


def list_eligible_assessors(slot: Slot) -> list[User]:
    """The assessors of the slot's topic, paused or not, who neither hold, nor have judged or
    skipped, nor are to judge its pair.
    """
    campaign = slot.plan.campaign
    seats = Assignment.objects.filter(plan=slot.plan_id, topic=slot.topic_id)
    others = Slot.objects.filter(item=slot.item_id).exclude(pk=slot.pk)
    answers = Judgment.objects.filter(
        campaign=campaign,
        topic=slot.topic_id,
        docno=slot.docno,
        kind__in=ANSWERS,
        purpose__in=PEOPLE,
    ).exclude(withdrawn_judgments())
    able = list_assessors(campaign).filter(pk__in=seats.order_by().values("assessor"))
    able = able.exclude(pk__in=answers.order_by().values("assessor"))
    able = able.exclude(pk__in=others.filter(assessor__isnull=False).values("assessor"))
    waiting = others.filter(purpose=Purpose.JUDGE, reserved_for__isnull=False)
    return list(able.exclude(pk__in=waiting.values("reserved_for")))
