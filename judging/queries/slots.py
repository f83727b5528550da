"""Slots, read: what may be claimed, by whom, and how much that is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from campaigns.models import Campaign, Topic, User
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import ON_SCREEN, SAID
from judging.queries.stopping import open_topic_filter
from pooling.models import PoolTopic
from pooling.queries import future_documents

PURPOSES = {Plan.Kind.JUDGE: ON_SCREEN, Plan.Kind.ADJUDICATE: (Purpose.ADJUDICATE,)}
"""By kind of plan what its slots are for."""
PEOPLE = (Purpose.JUDGE, Purpose.REPEAT, Purpose.ADJUDICATE)


def free_slots() -> Q:
    """Slots that anyone assigned may take: open ones, and leases that have run out."""
    lapsed = Q(state=Slot.State.LEASED, expires_at__lte=timezone.now())
    return Q(state=Slot.State.OPEN) | lapsed


def repeats_on_screen() -> Q:
    """Blind repeats that are, or once were, on a screen."""
    return Q(purpose=Purpose.REPEAT, leased_at__isnull=False)


def checked_out_slots(
    actor: User, campaign: Campaign, topic: Topic | None, kind: str = Plan.Kind.JUDGE
) -> QuerySet[Slot]:
    """What ``actor`` was handed and has not judged, oldest first; a lease may have run out."""
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
    """Within a query of slots: what assigns the slot's topic to ``actor``."""
    return Assignment.objects.filter(plan=OuterRef("plan"), topic=OuterRef("topic"), assessor=actor)


def offered_slots(actor: User, kind: str = Plan.Kind.JUDGE) -> Q:
    """Free slots of the topics that are assigned to ``actor``, theirs to judge or not."""
    offered = free_slots() & Q(
        Exists(slot_assignments(actor).filter(paused=False)),
        Q(reserved_for=None) | Q(reserved_for=actor),
        purpose=PURPOSES[Plan.Kind(kind)][0],
        plan__paused=False,
    )
    return offered & open_topic_filter() if kind == Plan.Kind.JUDGE else offered


def new_pair_filter(actor: User, kind: str = Plan.Kind.JUDGE) -> Q:
    """Slots of pairs that ``actor`` does not hold and has not had a say in.

    A judgment that was taken back is none, so that the pair can come back to its only
    assessor; but who ever judged a pair does not adjudicate it, nor the other way round.
    """
    own = Slot.objects.filter(item=OuterRef("item"), assessor=actor)
    judgments = Judgment.objects.filter(
        campaign=OuterRef("plan__campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("item__docno"),
        assessor=actor,
        kind__in=SAID,
        purpose__in=PEOPLE,
    )
    if kind == Plan.Kind.JUDGE:
        judgments = judgments.exclude(withdrawn_judgments())
    return Q(~Exists(own), ~Exists(judgments))


def withdrawn_judgments() -> Q:
    """Within a query of judgments: words of a judge that their last word has taken back."""
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
    """The slots that ``claim`` may hand to ``actor``, in the order of handing out.

    Never of a pair that the actor holds, or has or had a say in: so a third person settles
    what two have judged. Repeats are not among them, see ``repeats``.
    """
    slots = Slot.objects.filter(
        offered_slots(actor, kind), new_pair_filter(actor, kind), plan__campaign=campaign
    )
    return slots.select_related("item", "topic").order_by("position", "k")


def due_repeats(actor: User) -> Q:
    """Documents that are to come to ``actor`` a second time."""
    paused = slot_assignments(actor).filter(paused=True)
    free = {"purpose": Purpose.REPEAT, "reserved_for": actor, "plan__paused": False}
    return free_slots() & Q(~Exists(paused), **free)


def list_due_repeats(actor: User, campaign: Campaign) -> QuerySet[Slot]:
    """The repeats that wait for ``actor``, the first due first."""
    slots = Slot.objects.filter(due_repeats(actor), plan__campaign=campaign)
    return slots.select_related("item", "topic").order_by("position", "pk")


def remaining_by_topic(actor: User, campaign: Campaign, topic: Topic | None = None) -> Counter[int]:
    """By topic id how many documents could still be handed to ``actor``, repeats too.

    Repeats come of topics that have ended, too.
    """
    here = {} if topic is None else {"topic": topic}
    mine = current_assignments(actor, campaign, here).annotate(grows=Exists(adaptive_topics()))
    assigned = list(mine.values_list("plan", "topic", "plan__pool", "grows"))
    left = Counter[int]()
    if assigned:
        left = offered_by_topic(actor, campaign, assigned, here)
    again = list_due_repeats(actor, campaign).filter(state=Slot.State.OPEN, **here)
    left.update(again.order_by().values_list("topic", flat=True))
    # Of a pool that two plans share out it may come once.
    pools = {(pool, number) for _, number, pool, grows in assigned if grows}
    coming = (
        future_documents({pool for pool, _ in pools}, {number for _, number in pools})
        if pools
        else {}
    )
    for pool, number in pools & coming.keys():
        left[number] += coming[pool, number]
    return +left


def offered_by_topic(
    actor: User,
    campaign: Campaign,
    assigned: Sequence[tuple[int, int, int, bool]],
    here: dict[str, Topic],
) -> Counter[int]:
    """What is offered less what the actor has touched: the latter is looked up from the
    actor's side, which is short, and not for each of all open slots.
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
    """What assigns topics to ``actor`` at present."""
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
    """Within a query of assignments: the topic, if the plan's pool grows and wants more."""
    here = {"pool": OuterRef("plan__pool"), "topic": OuterRef("topic")}
    return PoolTopic.objects.filter(**here, ended=False)


def assignments_in_adaptive_pools(
    actor: User, campaign: Campaign, topic: Topic | None
) -> QuerySet[Assignment]:
    """The actor's assignments to topics of pools that want more, the oldest plan's first."""
    mine = current_assignments(actor, campaign, {} if topic is None else {"topic": topic})
    growing = mine.filter(Exists(adaptive_topics()))
    return growing.select_related("plan__pool__campaign", "topic").order_by(
        "plan_id", "topic__position", "topic__number"
    )


def offered_without_lookup(actor: User, assigned: Iterable[tuple[int, int, int, bool]]) -> Q:
    """As ``offered``, without a look at other tables for each slot."""
    topics: dict[int, list[int]] = defaultdict(list)
    for plan, topic, *_ in assigned:
        topics[plan].append(topic)
    places = [Q(plan=plan, topic__in=listed) for plan, listed in topics.items()]
    whose = Q(reserved_for=None) | Q(reserved_for=actor)
    return Q(free_slots(), whose, reduce(or_, places), purpose=Purpose.JUDGE)


def count_judged_without_slot(
    actor: User, campaign: Campaign, on_offer: Q, here: dict[str, Topic]
) -> Counter[int]:
    """By topic the pairs on offer that ``actor`` has judged without a slot: imports mostly."""
    judgments = Judgment.objects.filter(
        campaign=campaign,
        assessor=actor,
        slot=None,
        kind__in=SAID,
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
