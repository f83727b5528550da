"""Invariants of comparisons, which concurrent work must not violate."""

from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from campaigns.models import Campaign
from judging.queries.invariants import Invariant
from preferences.models import ComparisonPlan, ComparisonSlot, Preference
from preferences.queries.comparisons import later_preferences

State, Kind = ComparisonSlot.State, Preference.Kind


def comparison_slots(campaign: Campaign) -> QuerySet[ComparisonSlot]:
    return ComparisonSlot.objects.filter(comparison__plan__campaign=campaign).order_by()


def current_choices(campaign: Campaign) -> QuerySet[Preference]:
    log = Preference.objects.filter(campaign=campaign, kind=Kind.CHOICE).order_by()
    return log.filter(~Exists(later_preferences()))


def comparison_slots_beyond_plan(campaign: Campaign) -> QuerySet[ComparisonSlot]:
    return comparison_slots(campaign).filter(k__gte=F("comparison__plan__judges"))


def doubly_filled_comparison_slots(campaign: Campaign) -> QuerySet[Any, Any]:
    """Slots filled by more than one current choice."""
    filled = current_choices(campaign).filter(slot__isnull=False)
    return filled.values("slot").annotate(times=Count("pk")).filter(times__gt=1)


def slots_without_preference(campaign: Campaign) -> QuerySet[ComparisonSlot]:
    """Judged (skipped) slots whose assessor's last revision is not a choice (skip)."""
    rows = Preference.objects.filter(
        comparison=OuterRef("comparison"), assessor=OuterRef("assessor")
    )
    last = Subquery(rows.order_by("-revision").values("kind")[:1])
    slots = comparison_slots(campaign).annotate(last=last)
    judged = Q(state=State.JUDGED) & (Q(last=None) | ~Q(last=Kind.CHOICE))
    skipped = Q(state=State.SKIPPED) & (Q(last=None) | ~Q(last=Kind.SKIP))
    return slots.filter(judged | skipped)


def choices_without_slot(campaign: Campaign) -> QuerySet[Preference]:
    """Current choices whose slot is not judged by their assessor."""
    judged = Q(slot__assessor=F("assessor"), slot__state=State.JUDGED)
    return current_choices(campaign).filter(slot__isnull=False).exclude(judged)


def preferences_missing_revision(campaign: Campaign) -> QuerySet[Preference]:
    """Revisions above 1 without their predecessor."""
    before = Preference.objects.filter(
        comparison=OuterRef("comparison"),
        assessor=OuterRef("assessor"),
        revision=OuterRef("revision") - 1,
    )
    log = Preference.objects.filter(campaign=campaign, revision__gt=1).order_by()
    return log.filter(~Exists(before))


def preferences_of_other_comparison(campaign: Campaign) -> QuerySet[Preference]:
    """Preferences whose slot is of another comparison, or whose comparison is elsewhere."""
    strange = Q(slot__isnull=False) & ~Q(slot__comparison=F("comparison"))
    strange |= ~Q(comparison__plan__campaign=F("campaign"))
    return Preference.objects.filter(strange, campaign=campaign).order_by()


def forbidden_tie_choices(campaign: Campaign) -> QuerySet[Preference]:
    """Ties in a plan without ties; in an interleaved list equal credit is a tie."""
    plans = {"comparison__plan__ties": False}
    ties = current_choices(campaign).filter(choice=Preference.Choice.TIE, **plans)
    return ties.exclude(comparison__plan__kind=ComparisonPlan.Kind.INTERLEAVED)


COMPARISON_INVARIANTS = (
    Invariant("wanted", "slots beyond the judges per comparison", comparison_slots_beyond_plan),
    Invariant("filled", "slots filled by two choices", doubly_filled_comparison_slots),
    Invariant("said", "completed slots without an answer", slots_without_preference),
    Invariant("held", "choices whose slot is not judged", choices_without_slot),
    Invariant("revisions", "answers without the previous revision", preferences_missing_revision),
    Invariant(
        "comparison", "answers whose slot is of another comparison", preferences_of_other_comparison
    ),
    Invariant("ties", "ties in a plan without ties", forbidden_tie_choices),
)
