"""Judging invariants of a campaign, which concurrent work must not violate."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import Campaign
from judging.models import Audience, Judgment, Plan, PropagatedPair, Purpose, Slot
from judging.queries.exclusions import counting_judgments, list_units_set_aside
from judging.queries.judgments import later_revisions, other_revisions
from judging.rules import THIRD_K

State = Slot.State
DONE = (State.JUDGED, State.SKIPPED)


@dataclass(frozen=True)
class Invariant:
    """``violations`` returns the rows that violate it."""

    name: str
    description: str
    violations: Callable[[Campaign], QuerySet[Any, Any]]


def campaign_slots(campaign: Campaign) -> QuerySet[Slot]:
    slots = Slot.objects.filter(plan__campaign=campaign).order_by()
    return slots.annotate(pair_docno=Coalesce("item__docno", "gold__docno"))


def campaign_log(campaign: Campaign) -> QuerySet[Judgment]:
    return Judgment.objects.filter(campaign=campaign).order_by()


def last_revision_field(field: str, assessor: str = "assessor") -> Subquery:
    """``field`` of the last revision by a slot's assessor for its pair and purpose."""
    rows = Judgment.objects.filter(
        campaign=OuterRef("plan__campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("pair_docno"),
        assessor=OuterRef(assessor),
        purpose=OuterRef("purpose"),
    )
    return Subquery(rows.order_by("-revision").values(field)[:1])


def slots_beyond_plan(campaign: Campaign) -> QuerySet[Slot]:
    """Judging slots beyond the plan's overlap, or beyond its maximum for the crowd; a third one
    is allowed if the plan has thirds.
    """
    most = Coalesce("plan__max_overlap", "plan__overlap")
    beyond = Q(k__gte=most) & ~Q(k=THIRD_K, plan__third_from__gt=0)
    return campaign_slots(campaign).filter(
        beyond, purpose=Purpose.JUDGE, plan__kind=Plan.Kind.JUDGE
    )


def counting_grades(campaign: Campaign) -> QuerySet[Judgment]:
    """Current grades that fill slots, without work that was set aside and trials."""
    return campaign_log(campaign).filter(
        counting_judgments(),
        ~Exists(later_revisions()),
        kind=Judgment.Kind.GRADE,
        slot__isnull=False,
    )


def doubly_filled_slots(campaign: Campaign) -> QuerySet[Any, Any]:
    """Slots filled by more than one current grade that counts."""
    current = counting_grades(campaign)
    return current.values("slot").annotate(times=Count("pk")).filter(times__gt=1)


def assessors_twice_on_pair(campaign: Campaign) -> QuerySet[Any, Any]:
    """Pairs with two slots of one purpose by the same assessor, across all pools."""
    judging = (
        campaign_slots(campaign).filter(assessor__isnull=False).exclude(purpose=Purpose.ADJUDICATE)
    )
    docno = Coalesce("item__docno", "gold__docno")
    taken = judging.values("topic", "assessor", "purpose", pair=docno)
    return taken.annotate(times=Count("pk")).filter(times__gt=1)


def slots_without_judgment(campaign: Campaign) -> QuerySet[Slot]:
    """Judged (skipped) slots whose assessor's last revision is not a grade (skip).

    A pair that was checked out when its round was closed counts as skipped, without a revision.
    """
    taken = (
        campaign_slots(campaign).filter(state__in=DONE).annotate(last=last_revision_field("kind"))
    )
    judged = Q(state=State.JUDGED) & (Q(last=None) | ~Q(last=Judgment.Kind.GRADE))
    skipped = Q(state=State.SKIPPED) & ~Q(purpose=Purpose.ADJUDICATE)
    skipped &= Q(last=None) | ~Q(last=Judgment.Kind.SKIP)
    return taken.filter(judged | skipped)


def judgments_without_slot(campaign: Campaign) -> QuerySet[Judgment]:
    """Current grades that count, whose slot is not judged by their assessor."""
    current = counting_grades(campaign)
    judged = Q(slot__assessor=F("assessor"), slot__state=State.JUDGED)
    return current.exclude(judged)


def slots_with_wrong_lease(campaign: Campaign) -> QuerySet[Slot]:
    leased = Q(state=State.LEASED)
    return campaign_slots(campaign).filter(
        leased & (Q(expires_at=None) | Q(leased_at=None) | Q(assessor=None))
        | ~leased & Q(expires_at__isnull=False)
        | Q(state=State.OPEN, assessor__isnull=False)
    )


def slots_taken_from_reserved(campaign: Campaign) -> QuerySet[Slot]:
    return campaign_slots(campaign).filter(
        ~Q(assessor=F("reserved_for")), assessor__isnull=False, reserved_for__isnull=False
    )


def slots_with_skipper(campaign: Campaign) -> QuerySet[Slot]:
    """Slots checked out to an assessor whose last word on the pair is a skip, or open and reserved
    for one.
    """
    slots = campaign_slots(campaign).filter(purpose=Purpose.JUDGE)
    held = Q(state=State.LEASED, last=Judgment.Kind.SKIP)
    waiting = Q(state=State.OPEN, last_reserved=Judgment.Kind.SKIP)
    return slots.annotate(
        last=last_revision_field("kind"),
        last_reserved=last_revision_field("kind", assessor="reserved_for"),
    ).filter(held | waiting)


def judgments_missing_revision(campaign: Campaign) -> QuerySet[Judgment]:
    """Revisions above 1 without their predecessor."""
    before = other_revisions().filter(revision=OuterRef("revision") - 1)
    return campaign_log(campaign).filter(~Exists(before), revision__gt=1)


def judgments_with_same_uuid(campaign: Campaign) -> QuerySet[Judgment]:
    other = Judgment.objects.filter(~Q(pk=OuterRef("pk")), client_uuid=OuterRef("client_uuid"))
    return campaign_log(campaign).filter(Exists(other))


def judgments_of_other_pair(campaign: Campaign) -> QuerySet[Judgment]:
    """Judgments whose slot is of another pair, purpose or campaign, or topic of another one."""
    right = Q(
        slot__topic=F("topic"),
        slot_docno=F("docno"),
        slot__purpose=F("purpose"),
        slot__plan__campaign=F("campaign"),
    )
    strange = Q(slot__isnull=False) & ~right | ~Q(topic__campaign=F("campaign"))
    docno = Coalesce("slot__item__docno", "slot__gold__docno")
    return campaign_log(campaign).annotate(slot_docno=docno).filter(strange)


def judgments_off_scale(campaign: Campaign) -> QuerySet[Judgment]:
    scale = campaign.grades.values_list("value", flat=True)
    return campaign_log(campaign).filter(kind=Judgment.Kind.GRADE).exclude(grade__in=list(scale))


def slots_of_other_unit(campaign: Campaign) -> QuerySet[Slot]:
    """Taken slots whose unit is of another plan or worker, or missing in a plan for the crowd
    although a worker has them.
    """
    taken = campaign_slots(campaign).filter(assessor__isnull=False)
    right = Q(unit__plan=F("plan"), unit__worker__user=F("assessor"))
    missing = Q(unit=None, assessor__crowd_worker__isnull=False)
    return taken.filter(missing | Q(unit__isnull=False) & ~right)


def slots_of_ended_unit(campaign: Campaign) -> QuerySet[Slot]:
    return campaign_slots(campaign).filter(state=State.LEASED, unit__ended_at__isnull=False)


def slots_of_units_set_aside(campaign: Campaign) -> QuerySet[Slot]:
    """Slots of the pool that are still filled by work that was set aside."""
    aside = list_units_set_aside().filter(Q(trial=False) | Q(ended_at__isnull=False))
    return campaign_slots(campaign).filter(
        purpose=Purpose.JUDGE, state__in=DONE, unit__in=aside.values("pk")
    )


def pairs_over_redundancy(campaign: Campaign) -> QuerySet[Any, Any]:
    """Pairs of a plan for the crowd with more counting grades than it may request."""
    judged = counting_grades(campaign).filter(
        purpose=Purpose.JUDGE, slot__plan__audience=Audience.CROWD
    )
    most = Coalesce("slot__plan__max_overlap", "slot__plan__overlap")
    rows = judged.annotate(most=most).values("slot__item", "most")
    return rows.annotate(times=Count("pk")).filter(times__gt=F("most"))


def judgments_of_other_unit(campaign: Campaign) -> QuerySet[Judgment]:
    """Judgments whose unit is of another worker or plan, and those of workers without a unit."""
    right = Q(unit__worker__user=F("assessor"), unit__plan__campaign=F("campaign"))
    right &= Q(slot=None) | Q(slot__plan=F("unit__plan"))
    missing = Q(unit=None, assessor__crowd_worker__isnull=False) & ~Q(purpose=Purpose.TRAINING)
    return campaign_log(campaign).filter(missing | Q(unit__isnull=False) & ~right)


def judgments_of_gold_without_unit(campaign: Campaign) -> QuerySet[Judgment]:
    """Gold judgments that are not crowd work: only workers are tested, and none of it counts."""
    return campaign_log(campaign).filter(purpose=Purpose.GOLD, unit=None)


def repeats_without_first(campaign: Campaign) -> QuerySet[Slot]:
    """Repeats for a crowd worker of pairs that they never had."""
    first = Slot.objects.filter(
        item=OuterRef("item"), purpose=Purpose.JUDGE, assessor=OuterRef("assessor")
    )
    judged = Judgment.objects.filter(
        assessor=OuterRef("assessor"),
        topic=OuterRef("topic"),
        docno=OuterRef("pair_docno"),
        purpose=Purpose.JUDGE,
    )
    again = campaign_slots(campaign).filter(purpose=Purpose.REPEAT, unit__isnull=False)
    return again.filter(~Exists(first), ~Exists(judged))


def pairs_of_lost_judgments(campaign: Campaign) -> QuerySet[PropagatedPair]:
    """Pairs that lack a current grade of their original."""
    current = campaign_log(campaign).filter(~Exists(later_revisions()), kind=Judgment.Kind.GRADE)
    same = current.filter(
        purpose=Purpose.PROPAGATED,
        topic=OuterRef("topic"),
        assessor=OuterRef("assessor"),
        grade=OuterRef("grade"),
        docno=OuterRef(OuterRef("docno")),
    )
    original = {"topic": OuterRef("topic"), "docno": OuterRef("original")}
    lost = current.filter(~Exists(same), purpose=Purpose.JUDGE, **original)
    return PropagatedPair.objects.filter(Exists(lost), topic__campaign=campaign).order_by()


def judgments_of_lost_original(campaign: Campaign) -> QuerySet[Judgment]:
    """Current propagated grades that are not that of the original any more."""
    original = Judgment.objects.filter(
        campaign=OuterRef("campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("duplicate_of"),
        assessor=OuterRef("assessor"),
        purpose=Purpose.JUDGE,
    ).order_by("-revision")
    current = campaign_log(campaign).filter(
        ~Exists(later_revisions()), purpose=Purpose.PROPAGATED, kind=Judgment.Kind.GRADE
    )
    now = Subquery(original.values("grade")[:1])
    return current.annotate(now=now).filter(Q(now=None) | ~Q(now=F("grade")))


def slots_of_propagated_pairs(campaign: Campaign) -> QuerySet[Slot]:
    pairs = PropagatedPair.objects.filter(topic=OuterRef("topic"), docno=OuterRef("pair_docno"))
    return campaign_slots(campaign).filter(Exists(pairs), purpose=Purpose.JUDGE)


INVARIANTS = (
    Invariant("wanted", "slots beyond the plan's judgments per document", slots_beyond_plan),
    Invariant("filled", "slots filled by two judgments", doubly_filled_slots),
    Invariant("once", "assessors with two slots for a pair and purpose", assessors_twice_on_pair),
    Invariant("said", "completed slots without a current judgment", slots_without_judgment),
    Invariant("held", "current grades whose slot is not judged", judgments_without_slot),
    Invariant(
        "lease", "slots whose state does not match lease or assessor", slots_with_wrong_lease
    ),
    Invariant("reserved", "reserved slots with another assessor", slots_taken_from_reserved),
    Invariant("skipped", "slots back with the assessor who skipped them", slots_with_skipper),
    Invariant("revisions", "judgments without the previous revision", judgments_missing_revision),
    Invariant("uuid", "judgments with the same client UUID", judgments_with_same_uuid),
    Invariant(
        "pair", "judgments whose slot is of another pair or purpose", judgments_of_other_pair
    ),
    Invariant("unit", "slots whose unit is of another plan or worker", slots_of_other_unit),
    Invariant("ended", "documents checked out in a unit that ended", slots_of_ended_unit),
    Invariant("aside", "slots filled by work that is set aside", slots_of_units_set_aside),
    Invariant("redundancy", "pairs judged too often by the crowd", pairs_over_redundancy),
    Invariant("worker", "judgments whose unit is of another worker", judgments_of_other_unit),
    Invariant("gold", "gold judgments outside crowd work", judgments_of_gold_without_unit),
    Invariant("again", "repeats of pairs that the worker never had", repeats_without_first),
    Invariant("propagated", "judgments not propagated to a duplicate", pairs_of_lost_judgments),
    Invariant(
        "original", "propagated grades that are not the original's", judgments_of_lost_original
    ),
    Invariant("duplicate", "slots of pairs judged by a duplicate", slots_of_propagated_pairs),
    Invariant("scale", "grades that are not on the grade scale", judgments_off_scale),
)


def list_violations(
    campaign: Campaign, invariants: Sequence[Invariant] = INVARIANTS
) -> list[tuple[Invariant, int]]:
    """Every invariant with its number of violations."""
    return [(each, each.violations(campaign).count()) for each in invariants]
