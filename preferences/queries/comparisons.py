"""Reading comparisons: who may claim which, what was answered, and what it says.

Nothing that a judge is shown comes from here but their own answers: run tags and the share of
each run are for organizers.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.models import Campaign, Topic, User
from judging.queries.slots import free_slots
from poolbench.files.faults import format_count
from poolbench.preferences.interleaved_runs import InterleavingOutcome, compare_credits
from poolbench.preferences.interleaving import METHODS, InterleavedList
from poolbench.statistics.proportions import sign_test_probability
from preferences.models import Comparison, ComparisonPlan, ComparisonSlot, Preference

State = ComparisonSlot.State
ANSWERED = (Preference.Kind.CHOICE, Preference.Kind.SKIP)
ALPHA = 0.05
"""Level of the sign test of left against right."""


@dataclass(frozen=True)
class TopicOutcome:
    """How often each run was preferred on a topic."""

    topic: Topic
    wins_a: int
    wins_b: int
    ties: int


@dataclass(frozen=True)
class ComparisonProgress:
    """Slots of a plan by state; ``extra`` answers came after their slot had passed on."""

    judged: int = 0
    skipped: int = 0
    leased: int = 0
    open: int = 0
    extra: int = 0

    @property
    def total(self) -> int:
        return self.judged + self.skipped + self.leased + self.open

    @property
    def left(self) -> int:
        return self.leased + self.open

    @property
    def percent(self) -> int:
        """Rounded down: 100 only if nothing remains."""
        done = self.judged + self.skipped
        return 100 * done // self.total if self.total else 100


@dataclass(frozen=True)
class SideCount:
    """What judges chose by side. ``p_value`` of the sign test of left against right; None if
    every answer is a tie.
    """

    left: int
    right: int
    ties: int
    p_value: float | None

    @property
    def decided(self) -> int:
        return self.left + self.right

    @property
    def matters(self) -> bool:
        """Whether the sign test finds a preference for a side."""
        return self.p_value is not None and self.p_value < ALPHA

    @property
    def percent_left(self) -> float:
        return 100 * self.left / self.decided if self.decided else 50.0


@dataclass(frozen=True)
class OwnPlan:
    """A plan with the comparisons that one assessor has answered, and those that remain."""

    plan: ComparisonPlan
    done: int
    left: int


def later_preferences() -> QuerySet[Preference]:
    """Within a query of preferences: later revisions of the same answer."""
    return Preference.objects.filter(
        comparison=OuterRef("comparison"),
        assessor=OuterRef("assessor"),
        revision__gt=OuterRef("revision"),
    )


def current_answer_filter() -> Q:
    """Within a query of preferences: the latest revisions that are not withdrawn."""
    return Q(~Exists(later_preferences()), kind__in=ANSWERED)


def current_preferences(campaign: Campaign) -> QuerySet[Preference]:
    """The latest revision of every answer that is not withdrawn, in the order of the log."""
    log = Preference.objects.filter(current_answer_filter(), campaign=campaign)
    return log.select_related("comparison__topic")


def list_choices(plan: ComparisonPlan) -> list[Preference]:
    """The choices of a plan that count."""
    current = current_preferences(plan.campaign).filter(comparison__plan=plan)
    return list(current.filter(kind=Preference.Kind.CHOICE).select_related("assessor"))


def new_comparison_filter(actor: User) -> Q:
    """Within a query of slots: free ones of open plans, for ``actor`` or anybody, whose comparison
    ``actor`` neither has checked out nor answered.

    An undone answer does not count.
    """
    own = ComparisonSlot.objects.filter(comparison=OuterRef("comparison"), assessor=actor)
    answers = Preference.objects.filter(
        current_answer_filter(), comparison=OuterRef("comparison"), assessor=actor
    )
    return Q(
        free_slots(),
        ~Exists(own),
        ~Exists(answers),
        Q(reserved_for=None) | Q(reserved_for=actor),
        comparison__plan__state=ComparisonPlan.State.OPEN,
    )


def claimable_comparison_slots(
    actor: User, campaign: Campaign, plan: ComparisonPlan | None = None
) -> QuerySet[ComparisonSlot]:
    """The slots that ``actor`` may claim, in the order of judging, oldest plan first."""
    slots = ComparisonSlot.objects.filter(
        new_comparison_filter(actor), comparison__plan__campaign=campaign
    )
    if plan is not None:
        slots = slots.filter(comparison__plan=plan)
    return slots.select_related("comparison__plan", "comparison__topic").order_by(
        "comparison__plan", "position", "k"
    )


def count_waiting_comparisons(actor: User, campaigns: Collection[int]) -> dict[int, int]:
    """By campaign (ids), the comparisons that wait for ``actor``; campaigns without any are
    omitted.
    """
    if not campaigns:
        return {}
    slots = ComparisonSlot.objects.filter(
        new_comparison_filter(actor), comparison__plan__campaign__in=campaigns
    ).order_by()
    counts = slots.values_list("comparison__plan__campaign")
    return dict(counts.annotate(Count("comparison", distinct=True)))


def leased_comparison_slots(
    actor: User, campaign: Campaign, plan: ComparisonPlan | None = None
) -> QuerySet[ComparisonSlot]:
    """What ``actor`` has checked out, the latest first; the leases may have expired."""
    slots = ComparisonSlot.objects.filter(
        comparison__plan__campaign=campaign, assessor=actor, state=State.LEASED
    )
    if plan is not None:
        slots = slots.filter(comparison__plan=plan)
    return slots.select_related("comparison__plan", "comparison__topic").order_by(
        "-leased_at", "-pk"
    )


def list_own_plans(
    actor: User, campaign: Campaign, plan: ComparisonPlan | None = None
) -> list[OwnPlan]:
    """The plans in which ``actor`` has answered or may answer, newest first; or ``plan`` alone."""
    answered = list_own_preferences(actor, campaign, plan).order_by()
    waiting = claimable_comparison_slots(actor, campaign, plan).order_by()
    leased = leased_comparison_slots(actor, campaign, plan)
    counts = answered.values_list("comparison__plan").annotate(Count("pk"))
    left = waiting.values_list("comparison__plan").annotate(Count("comparison", distinct=True))
    done, remaining = Counter(dict(counts)), Counter(dict(left))
    remaining.update(leased.values_list("comparison__plan", flat=True))
    plans = [plan] if plan else campaign.comparison_plans.filter(pk__in={*done, *remaining})
    return [OwnPlan(each, done[each.pk], remaining[each.pk]) for each in plans]


def list_own_preferences(
    actor: User, campaign: Campaign, plan: ComparisonPlan | None = None
) -> QuerySet[Preference]:
    """The actor's answers that count, newest first."""
    own = current_preferences(campaign).filter(assessor=actor)
    if plan is not None:
        own = own.filter(comparison__plan=plan)
    return own.select_related("comparison__plan", "slot").order_by("-pk")


def find_last_answer(actor: User, comparison: Comparison) -> Preference | None:
    """What ``actor`` last answered, also if it is undone."""
    own = Preference.objects.filter(comparison=comparison, assessor=actor, kind__in=ANSWERED)
    return own.order_by("-revision").first()


def count_comparison_progress(plan: ComparisonPlan) -> ComparisonProgress:
    """The slots of ``plan`` by state."""
    slots = ComparisonSlot.objects.filter(comparison__plan=plan).order_by()
    counts = Counter(dict(slots.values_list("state").annotate(Count("pk"))))
    current = current_preferences(plan.campaign).filter(comparison__plan=plan)
    return ComparisonProgress(
        judged=counts[State.JUDGED],
        skipped=counts[State.SKIPPED],
        leased=counts[State.LEASED],
        open=counts[State.OPEN],
        extra=current.filter(slot=None, kind=Preference.Kind.CHOICE).count(),
    )


def count_sides(choices: Iterable[Preference]) -> SideCount:
    """Choices by side of the screen. Without preference for a side, left and right are alike,
    since sides are shuffled.
    """
    chosen = [(row.choice, row.swapped) for row in choices]
    a, b = Preference.Choice.A, Preference.Choice.B
    left = chosen.count((a, False)) + chosen.count((b, True))
    right = chosen.count((b, False)) + chosen.count((a, True))
    decided = left + right
    probability = sign_test_probability(np.array([float(left)]), np.array([decided]))
    p_value = float(probability[0]) if decided else None
    return SideCount(left, right, len(chosen) - decided, p_value)


def list_judge_counts(plan: ComparisonPlan) -> list[dict[str, object]]:
    """Who has answered how often, by name."""
    current = current_preferences(plan.campaign).filter(comparison__plan=plan)
    by_assessor: dict[User, list[Preference]] = defaultdict(list)
    for row in current.select_related("assessor").order_by("assessor__username", "pk"):
        by_assessor[row.assessor].append(row)
    counts: list[dict[str, object]] = []
    for assessor, rows in by_assessor.items():
        choices = [row for row in rows if row.kind == Preference.Kind.CHOICE]
        skipped = len(rows) - len(choices)
        counts.append({
            "assessor": assessor, "judged": len(choices), "skipped": skipped,
            "sides": count_sides(choices),
        })  # fmt: skip
    return counts


def list_topic_outcomes(plan: ComparisonPlan) -> list[TopicOutcome]:
    """Wins of run A and run B and ties by topic, in the order of topics, of answered topics."""
    by_topic: dict[Topic, list[str]] = defaultdict(list)
    for row in list_choices(plan):
        by_topic[row.comparison.topic].append(row.choice)
    return [
        TopicOutcome(topic, *(chosen.count(side) for side in Preference.Choice.values))
        for topic, chosen in sorted(
            by_topic.items(), key=lambda row: (row[0].position, row[0].number)
        )
    ]


def compare_outcomes(outcomes: Iterable[TopicOutcome]) -> InterleavingOutcome:
    """Wins of both runs over all topics, with the sign test and the share of A."""
    return compare_credits(
        {
            row.topic.number: [(1, 0)] * row.wins_a + [(0, 1)] * row.wins_b + [(1, 1)] * row.ties
            for row in outcomes
        }
    )


def credit_comparison(comparison: Comparison, picks: Iterable[str]) -> tuple[int, int]:
    """The credit of run A and of run B for the documents picked from an interleaved list.

    Raises ``ValueError`` for a docno that is not in the list.
    """
    content = comparison.content
    interleaved = InterleavedList(tuple(content["documents"]), tuple(content["by"]))
    method = METHODS[comparison.plan.method]
    credit = method.credit(content["a"], content["b"], interleaved, picks)
    return credit["A"], credit["B"]


def describe_comparison_closing(plan: ComparisonPlan) -> Confirmation:
    """Before a plan of comparisons is closed. Counts that change while judges work are details."""
    progress = count_comparison_progress(plan)
    matters = []
    if progress.left:
        matters.append(
            OpenMatter(
                text="Not all comparisons are judged.",
                detail=f"{format_count(progress.left, 'judgment')} missing.",
                override=ConfirmationChoice("comparisons-open", "Close without them"),
                url=plan.get_absolute_url(),
                link="View progress",
            )
        )
    return Confirmation(
        question="Close this plan of comparisons?",
        summary=plan.title,
        before="Before you close",
        open=tuple(matters),
        consequences=(
            Consequence("For good", "A closed plan cannot be opened again."),
            Consequence("Preferences", "stay and count."),
            Consequence("Assessors", "get no more comparisons from this plan."),
        ),
        button="Close plan",
        back=reverse("comparison-plan", args=[plan.campaign.slug, plan.pk]),
        note="To stop work for a while, pause the plan instead.",
    )
