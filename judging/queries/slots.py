"""Reading slots: which ones an assessor may claim, and how many."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from campaigns.models import Campaign, Topic, User
from judging.core import repeats
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ANSWERS, ON_SCREEN
from judging.queries.stopping import open_topic_filter
from pooling.models import PoolTopic
from pooling.queries import future_documents

PURPOSES = {Plan.Kind.JUDGE: ON_SCREEN, Plan.Kind.ADJUDICATE: (Purpose.ADJUDICATE,)}
"""The purposes of slots by kind of plan."""
PEOPLE = (Purpose.JUDGE, Purpose.REPEAT, Purpose.ADJUDICATE)


class AssignedTopic(NamedTuple):
    """A topic that an assessor can work on, by its ID and those of the plan and its pool."""

    plan: int
    topic: int
    pool: int
    grows: bool
    repeat_share: float


def free_slots() -> Q:
    """Slots that any assigned assessor may take: open ones, and expired leases."""
    expired = Q(state=Slot.State.LEASED, expires_at__lte=timezone.now())
    return Q(state=Slot.State.OPEN) | expired


def repeats_on_screen() -> Q:
    """Blind repeats that are, or were, checked out."""
    return Q(purpose=Purpose.REPEAT, leased_at__isnull=False)


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
        plan__paused=False,
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
    later = Judgment.objects.filter(
        campaign=OuterRef("campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=OuterRef("assessor"),
        purpose=OuterRef("purpose"),
        revision__gt=OuterRef("revision"),
        kind=Judgment.Kind.WITHDRAWN,
    )
    return Q(Exists(later), purpose__in=ON_SCREEN)


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
    free = {"purpose": Purpose.REPEAT, "reserved_for": actor, "plan__paused": False}
    return free_slots() & Q(~Exists(paused), **free)


def list_due_repeats(actor: User, campaign: Campaign) -> QuerySet[Slot]:
    """The blind repeats that wait for ``actor``, in the order they are due."""
    slots = Slot.objects.filter(due_repeats(actor), plan__campaign=campaign)
    return slots.select_related("item", "topic").order_by("position", "pk")


def remaining_by_topic(actor: User, campaign: Campaign, topic: Topic | None = None) -> Counter[int]:
    """By topic ID, the number of documents still available to ``actor``, including repeats: those
    that wait, and those still to be drawn, so that the total does not grow when one comes.

    Repeats also come from complete topics.
    """
    here = {} if topic is None else {"topic": topic}
    assigned = list_assigned(actor, campaign, here)
    left = count_available(actor, campaign, assigned, here)
    left.update(count_undrawn_repeats(actor, campaign, assigned, left, here))
    again = list_due_repeats(actor, campaign).filter(state=Slot.State.OPEN, **here)
    left.update(again.order_by().values_list("topic", flat=True))
    return +left


def available_documents(actor: User, campaign: Campaign, topic: Topic) -> int:
    """The documents of ``topic`` still available to ``actor``, without repeats."""
    here = {"topic": topic}
    assigned = list_assigned(actor, campaign, here)
    return count_available(actor, campaign, assigned, here)[topic.pk]


def list_assigned(actor: User, campaign: Campaign, here: dict[str, Topic]) -> list[AssignedTopic]:
    """The topics that ``actor`` can work on, by plan, oldest plan first."""
    mine = current_assignments(actor, campaign, here).annotate(grows=Exists(adaptive_topics()))
    names = ("plan", "topic", "plan__pool", "grows", "plan__repeat_share")
    return [AssignedTopic(*row) for row in mine.order_by("plan").values_list(*names)]


def count_available(
    actor: User, campaign: Campaign, assigned: Sequence[AssignedTopic], here: dict[str, Topic]
) -> Counter[int]:
    """By topic ID, the documents of the ``assigned`` topics that ``actor`` may still check out."""
    left = Counter[int]()
    if assigned:
        left = offered_by_topic(actor, campaign, assigned, here)
    # A document of a pool with two plans comes only once.
    pools = {(row.pool, row.topic) for row in assigned if row.grows}
    coming = (
        future_documents({pool for pool, _ in pools}, {number for _, number in pools})
        if pools
        else {}
    )
    for pool, number in pools & coming.keys():
        left[number] += coming[pool, number]
    return +left


def count_undrawn_repeats(
    actor: User,
    campaign: Campaign,
    assigned: Sequence[AssignedTopic],
    left: Counter[int],
    here: dict[str, Topic],
) -> Counter[int]:
    """By topic ID, the repeats still to be drawn if ``actor`` judges all ``left`` documents, all
    of which count for the topic's latest plan.
    """
    shares = {row.topic: (row.plan, row.repeat_share) for row in assigned}
    if not any(share for _, share in shares.values()):
        return Counter()
    unjudged = checked_out_unjudged(actor, campaign).filter(**here)
    left = left + Counter(unjudged.values_list("topic", flat=True))
    judged = count_first_judgments(actor, campaign, {plan for plan, _ in shares.values()})
    return Counter(
        {
            number: repeats.future_repeats(
                judged[plan, number], left[number], share, repeat_key(campaign, plan, number, actor)
            )
            for number, (plan, share) in shares.items()
        }
    )


def repeat_key(campaign: Campaign, plan: int, topic: int, actor: User) -> str:
    """What the repeats of ``actor`` in a topic are drawn with."""
    return f"{campaign.seed}:repeat:{plan}:{topic}:{actor.pk}"


def checked_out_unjudged(actor: User, campaign: Campaign) -> QuerySet[Slot]:
    """Documents checked out to ``actor`` for the first time: not undone ones, nor repeats."""
    own = Slot.objects.filter(
        plan__campaign=campaign,
        assessor=actor,
        state=Slot.State.LEASED,
        purpose=Purpose.JUDGE,
    )
    judged = Judgment.objects.filter(slot=OuterRef("pk"), assessor=actor)
    return own.filter(~Exists(judged)).order_by()


def count_first_judgments(
    actor: User, campaign: Campaign, plans: Iterable[int]
) -> Counter[tuple[int, int]]:
    """By plan and topic ID, the documents that ``actor`` has judged or skipped, undone or not."""
    first = Judgment.objects.filter(
        campaign=campaign,
        assessor=actor,
        purpose=Purpose.JUDGE,
        revision=1,
        slot__plan__in=list(plans),
    )
    rows = first.order_by().values_list("slot__plan", "topic").annotate(Count("pk"))
    return Counter({(plan, number): count for plan, number, count in rows})


def offered_by_topic(
    actor: User,
    campaign: Campaign,
    assigned: Sequence[AssignedTopic],
    here: dict[str, Topic],
) -> Counter[int]:
    """Offered documents minus those the actor has touched. The latter are looked up by actor,
    which is a short list, and not for each of all open slots.
    """
    on_offer = offered_without_lookup(actor, assigned)
    free = Slot.objects.filter(on_offer).order_by()
    left = Counter(dict(free.values_list("topic").annotate(Count("item", distinct=True))))
    same = Slot.objects.filter(on_offer, item=OuterRef("item"))
    own = Slot.objects.filter(Exists(same), assessor=actor, plan__campaign=campaign, **here)
    touched = own.order_by().values_list("topic").annotate(Count("item", distinct=True))
    left.subtract(dict(touched))
    left.subtract(count_judged_without_slot(actor, campaign, on_offer, here))
    return left


def current_assignments(
    actor: User, campaign: Campaign, here: dict[str, Topic]
) -> QuerySet[Assignment]:
    """The active assignments of ``actor`` to topics that are not complete."""
    return Assignment.objects.filter(
        open_topic_filter(),
        plan__campaign=campaign,
        plan__kind=Plan.Kind.JUDGE,
        plan__paused=False,
        paused=False,
        assessor=actor,
        **here,
    ).order_by()


def adaptive_topics() -> QuerySet[PoolTopic]:
    """Within a query of assignments: the topic, if the plan's adaptive pool can still grow."""
    here = {"pool": OuterRef("plan__pool"), "topic": OuterRef("topic")}
    return PoolTopic.objects.filter(**here, ended=False)


def assignments_in_adaptive_pools(
    actor: User, campaign: Campaign, topic: Topic | None
) -> QuerySet[Assignment]:
    """The actor's assignments in adaptive pools that can still grow, oldest plan first."""
    mine = current_assignments(actor, campaign, {} if topic is None else {"topic": topic})
    growing = mine.filter(Exists(adaptive_topics()))
    return growing.select_related("plan__pool__campaign", "topic").order_by(
        "plan_id", "topic__position", "topic__number"
    )


def offered_without_lookup(actor: User, assigned: Iterable[AssignedTopic]) -> Q:
    """Like ``offered_slots``, without a lookup in other tables for each slot."""
    topics: dict[int, list[int]] = defaultdict(list)
    for row in assigned:
        topics[row.plan].append(row.topic)
    places = [Q(plan=plan, topic__in=listed) for plan, listed in topics.items()]
    whose = Q(reserved_for=None) | Q(reserved_for=actor)
    return Q(free_slots(), whose, reduce(or_, places), purpose=Purpose.JUDGE)


def count_judged_without_slot(
    actor: User, campaign: Campaign, on_offer: Q, here: dict[str, Topic]
) -> Counter[int]:
    """By topic, the offered pairs that ``actor`` judged without a slot, mostly imports."""
    judgments = Judgment.objects.filter(
        campaign=campaign,
        assessor=actor,
        slot=None,
        kind__in=ANSWERS,
        purpose__in=PEOPLE,
        **here,
    )
    judgments = judgments.exclude(withdrawn_judgments())
    pairs = set(judgments.order_by().values_list("topic", "docno"))
    if not pairs:
        return Counter()
    own = Slot.objects.filter(item=OuterRef("item"), assessor=actor)
    free = Slot.objects.filter(on_offer, ~Exists(own), topic__in={topic for topic, _ in pairs})
    judged_pairs = pairs & set(free.order_by().values_list("topic", "item__docno"))
    return Counter(topic for topic, _ in judged_pairs)
