"""What must hold of the judging of a campaign, whoever worked at once: each breach counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from campaigns.models import Campaign
from judging.models import Judgment, Plan, Purpose, Slot
from judging.rules import THIRD_K

State = Slot.State
DONE = (State.JUDGED, State.SKIPPED)


@dataclass(frozen=True)
class Invariant:
    """``breaches`` gives the rows that break it; there are none where all is well."""

    name: str
    says: str
    breaches: Callable[[Campaign], QuerySet[Any, Any]]


def campaign_slots(campaign: Campaign) -> QuerySet[Slot]:
    return Slot.objects.filter(plan__campaign=campaign).order_by()


def campaign_log(campaign: Campaign) -> QuerySet[Judgment]:
    return Judgment.objects.filter(campaign=campaign).order_by()


def last_revision_field(field: str) -> Subquery:
    """``field`` of the last revision by a slot's assessor of its pair and purpose."""
    rows = Judgment.objects.filter(
        campaign=OuterRef("plan__campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("item__docno"),
        assessor=OuterRef("assessor"),
        purpose=OuterRef("purpose"),
    )
    return Subquery(rows.order_by("-revision").values(field)[:1])


def slots_beyond_plan(campaign: Campaign) -> QuerySet[Slot]:
    """Judge slots beyond the plan's number; a third one is allowed where the plan asks for it."""
    beyond = Q(k__gte=F("plan__overlap")) & ~Q(k=THIRD_K, plan__third_from__gt=0)
    return campaign_slots(campaign).filter(
        beyond, purpose=Purpose.JUDGE, plan__kind=Plan.Kind.JUDGE
    )


def doubly_filled_slots(campaign: Campaign) -> QuerySet[Any, Any]:
    """Slots that more than one current grade names; so a pair has no more than it has slots."""
    current = campaign_log(campaign).filter(
        ~Exists(later_revisions()), kind=Judgment.Kind.GRADE, slot__isnull=False
    )
    return current.values("slot").annotate(times=Count("pk")).filter(times__gt=1)


def assessors_twice_on_pair(campaign: Campaign) -> QuerySet[Any, Any]:
    """Pairs of which one assessor has taken two slots of one purpose, in whatever pools."""
    judging = (
        campaign_slots(campaign).filter(assessor__isnull=False).exclude(purpose=Purpose.ADJUDICATE)
    )
    taken = judging.values("topic", "item__docno", "assessor", "purpose")
    return taken.annotate(times=Count("pk")).filter(times__gt=1)


def slots_without_judgment(campaign: Campaign) -> QuerySet[Slot]:
    """Slots judged (skipped) whose assessor's last word is no grade (no skip).

    Of an ended round what somebody had in hand stands as skipped, without a word.
    """
    taken = (
        campaign_slots(campaign).filter(state__in=DONE).annotate(said=last_revision_field("kind"))
    )
    judged = Q(state=State.JUDGED) & (Q(said=None) | ~Q(said=Judgment.Kind.GRADE))
    skipped = Q(state=State.SKIPPED) & ~Q(purpose=Purpose.ADJUDICATE)
    skipped &= Q(said=None) | ~Q(said=Judgment.Kind.SKIP)
    return taken.filter(judged | skipped)


def judgments_without_slot(campaign: Campaign) -> QuerySet[Judgment]:
    """Current grades that name a slot which is not judged by their assessor."""
    current = campaign_log(campaign).filter(
        ~Exists(later_revisions()), kind=Judgment.Kind.GRADE, slot__isnull=False
    )
    held = Q(slot__assessor=F("assessor"), slot__state=State.JUDGED)
    return current.exclude(held)


def later_revisions() -> QuerySet[Judgment]:
    return Judgment.objects.filter(
        campaign=OuterRef("campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=OuterRef("assessor"),
        purpose=OuterRef("purpose"),
        revision__gt=OuterRef("revision"),
    )


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


def judgments_missing_revision(campaign: Campaign) -> QuerySet[Judgment]:
    """Revisions above 1 without the one before."""
    before = Judgment.objects.filter(
        campaign=OuterRef("campaign"),
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=OuterRef("assessor"),
        purpose=OuterRef("purpose"),
        revision=OuterRef("revision") - 1,
    )
    return campaign_log(campaign).filter(~Exists(before), revision__gt=1)


def judgments_with_same_uuid(campaign: Campaign) -> QuerySet[Judgment]:
    other = Judgment.objects.filter(~Q(pk=OuterRef("pk")), client_uuid=OuterRef("client_uuid"))
    return campaign_log(campaign).filter(Exists(other))


def judgments_of_other_pair(campaign: Campaign) -> QuerySet[Judgment]:
    """Judgments whose slot is of another pair, purpose or campaign, or whose topic is."""
    right = Q(
        slot__topic=F("topic"),
        slot__item__docno=F("docno"),
        slot__purpose=F("purpose"),
        slot__plan__campaign=F("campaign"),
    )
    strange = Q(slot__isnull=False) & ~right | ~Q(topic__campaign=F("campaign"))
    return campaign_log(campaign).filter(strange)


def judgments_off_scale(campaign: Campaign) -> QuerySet[Judgment]:
    scale = campaign.grades.values_list("value", flat=True)
    return campaign_log(campaign).filter(kind=Judgment.Kind.GRADE).exclude(grade__in=list(scale))


INVARIANTS = (
    Invariant("wanted", "no slot beyond the number a plan wants", slots_beyond_plan),
    Invariant("filled", "no slot filled by two judgments", doubly_filled_slots),
    Invariant("once", "no assessor twice on a pair and purpose", assessors_twice_on_pair),
    Invariant("said", "every slot done has its assessor's current word", slots_without_judgment),
    Invariant("held", "every current grade of a slot holds that slot", judgments_without_slot),
    Invariant(
        "lease", "leased if and only if it expires; open if nobody's", slots_with_wrong_lease
    ),
    Invariant("reserved", "a reserved slot is taken by whom it is for", slots_taken_from_reserved),
    Invariant("revisions", "revisions count on without a gap", judgments_missing_revision),
    Invariant("uuid", "one judgment a client uuid", judgments_with_same_uuid),
    Invariant(
        "pair", "a judgment and its slot are of one pair and purpose", judgments_of_other_pair
    ),
    Invariant("scale", "every grade is on the scale", judgments_off_scale),
)


def list_violations(campaign: Campaign) -> list[tuple[Invariant, int]]:
    """Every invariant with how often it is broken."""
    return [(invariant, invariant.breaches(campaign).count()) for invariant in INVARIANTS]
