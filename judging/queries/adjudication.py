"""Disagreements between assessors, and the progress of their adjudication."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Role, Topic, User
from judging.models import Assignment, Judgment, Plan, Purpose, Slot
from judging.queries.judgments import (
    ANSWERS,
    Pair,
    current_judgments,
    latest_adjudications,
    latest_judgments,
    load_pair_ballots,
    log_until,
)
from judging.queries.slots import (
    PEOPLE,
    checked_out_slots,
    claimable_slots,
    free_slots,
    waiting_slots,
)
from judging.queries.tallies import SlotTally
from poolbench.runs.hash_order import hash_order

State = Slot.State
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
STATES = {
    "new": _("unassigned"),
    "round": _("in a round"),
    "skipped": _("skipped"),
    "settled": _("resolved"),
}


@dataclass(frozen=True)
class Disagreement:
    """A pair whose assessors gave different grades; ``state`` is a name of ``STATES``."""

    topic: str
    docno: str
    grades: Mapping[str, int]
    level: int
    state: str
    adjudicated: int | None
    adjudicator: str = ""

    @property
    def pair(self) -> Pair:
        return self.topic, self.docno

    @cached_property
    def sorted_grades(self) -> list[int]:
        """The grades in ascending order, without the assessors' names."""
        return sorted(self.grades.values())

    @property
    def size(self) -> int:
        """The largest grade difference between the assessors."""
        return self.sorted_grades[-1] - self.sorted_grades[0]

    @property
    def crosses(self) -> bool:
        """Whether the document is relevant to one assessor and not to another."""
        return self.sorted_grades[0] < self.level <= self.sorted_grades[-1]


@dataclass
class AdjudicationRound:
    """A round of adjudication, with its tally, and that of each adjudicator in ``people``.

    All adjudicators have already judged the ``stuck`` pairs; the ``agreed`` ones are waiting,
    although their assessors agree by now.
    """

    plan: Plan
    tally: SlotTally = field(default_factory=SlotTally)
    people: dict[User, SlotTally] = field(default_factory=dict)
    stuck: int = 0
    agreed: int = 0


def list_disagreements(
    campaign: Campaign, *, min_difference: int = 1, crossing: bool = False
) -> list[Disagreement]:
    """The pairs with a grade difference of at least ``min_difference``, largest first.

    Resolved ones are included. ``crossing``: only those that are relevant to one assessor and
    not to another. Those of equal difference are in the campaign's seeded order.
    """
    states = adjudication_states(campaign)
    decisions = latest_adjudications(current_judgments(campaign, purpose=Purpose.ADJUDICATE))
    disagreements = []
    for ballot in load_pair_ballots(campaign).disagreeing:
        decided = decisions.get(ballot.pair)
        disagreements.append(
            Disagreement(
                topic=ballot.topic,
                docno=ballot.docno,
                grades={name: grade for name, grade in ballot.people.items() if grade >= 0},
                level=campaign.relevance_level,
                state="settled" if decided else states.get(ballot.pair, "new"),
                adjudicated=decided.grade if decided else None,
                adjudicator=decided.assessor.shown_name if decided else "",
            )
        )
    selected = [
        row for row in disagreements if row.size >= min_difference and (row.crosses or not crossing)
    ]
    seed = campaign.seed
    return sorted(selected, key=lambda row: (-row.size, hash_order(seed, *row.pair), *row.pair))


def adjudication_states(campaign: Campaign) -> dict[Pair, str]:
    """By pair, whether it is in a round or was skipped by an adjudicator."""
    slots = adjudication_slots(campaign).filter(waiting_slots() | Q(state=State.SKIPPED))
    rows = slots.values_list("topic__number", "item__docno", "state")
    states: dict[Pair, str] = {}
    for topic, docno, state in rows:
        if state == State.SKIPPED:
            states.setdefault((topic, docno), "skipped")
        else:
            states[topic, docno] = "round"
    return states


def adjudication_slots(campaign: Campaign) -> QuerySet[Slot]:
    return Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.ADJUDICATE).order_by()


def list_rounds(
    campaign: Campaign, disagreeing: Collection[Pair] | None = None
) -> list[AdjudicationRound]:
    """Every round, newest first; ``disagreeing`` are the pairs on which assessors still differ."""
    plans = campaign.plans.filter(kind=Plan.Kind.ADJUDICATE).select_related("created_by")
    rounds = {plan.pk: AdjudicationRound(plan) for plan in plans}
    assigned = Assignment.objects.filter(plan__in=rounds).select_related("assessor")
    for row in assigned.order_by("assessor__username"):
        rounds[row.plan_id].people.setdefault(row.assessor, SlotTally())
    slots = adjudication_slots(campaign)
    counts = slots.values_list("plan", "assessor", "state").annotate(Count("pk"))
    for plan, who, state, count in counts:
        own = [tally for user, tally in rounds[plan].people.items() if user.pk == who]
        for tally in (rounds[plan].tally, *own):
            setattr(tally, state, getattr(tally, state) + count)
    stuck = slots_needing_other_adjudicator(campaign).values_list("plan").annotate(Count("pk"))
    for plan, count in stuck:
        rounds[plan].stuck = count
    if disagreeing is not None:
        waiting = slots.filter(free_slots(), waiting_slots())
        for plan, *pair in waiting.values_list("plan", "topic__number", "item__docno"):
            rounds[plan].agreed += tuple(pair) not in disagreeing
    return list(rounds.values())


def slots_needing_other_adjudicator(campaign: Campaign) -> QuerySet[Slot]:
    """Waiting slots that no adjudicator of the round may fill: all have judged the pair."""
    judgments = Judgment.objects.filter(
        campaign=campaign,
        assessor=OuterRef("assessor"),
        topic=OuterRef("topic"),
        docno=OuterRef(OuterRef("item__docno")),
        kind__in=ANSWERS,
        purpose__in=PEOPLE,
    )
    able = Assignment.objects.filter(
        ~Exists(judgments), plan=OuterRef("plan"), topic=OuterRef("topic")
    )
    return adjudication_slots(campaign).filter(free_slots(), waiting_slots(), ~Exists(able))


def list_anonymous_judgments(
    campaign: Campaign, topic: Topic, docno: str
) -> list[tuple[str, Judgment]]:
    """The current judgments of a pair, including skips, in an order specific to the pair: each
    with a letter instead of its assessor's name. A of one pair is not A of another.
    """
    log = log_until(campaign).filter(topic=topic, docno=docno)
    judgments = (
        latest_judgments(log).exclude(kind=Judgment.Kind.WITHDRAWN).select_related("assessor")
    )
    seed, pair = campaign.seed, f"{topic.number} {docno}"
    listed = sorted(judgments, key=lambda row: hash_order(seed, pair, row.assessor.username))
    return [(assessor_letter(at), row) for at, row in enumerate(listed)]


def assessor_letter(at: int) -> str:
    """A, B, … Z, AA, AB, …"""
    before = assessor_letter(at // len(LETTERS) - 1) if at >= len(LETTERS) else ""
    return before + LETTERS[at % len(LETTERS)]


def current_decision(campaign: Campaign, topic: Topic, docno: str) -> Judgment | None:
    """The adjudication that counts for a pair."""
    log = log_until(campaign, purpose=Purpose.ADJUDICATE).filter(topic=topic, docno=docno)
    current = latest_judgments(log).filter(kind=Judgment.Kind.GRADE)
    return latest_adjudications(current).get((topic.number, docno))


def open_pairs_for(actor: User, campaign: Campaign) -> set[Pair]:
    """The pairs that ``actor`` may still judge, or adjudicate blindly, and whose judgments by
    others must therefore be hidden.
    """
    pairs: set[Pair] = set()
    for kind in Plan.Kind.values:
        slots = (
            claimable_slots(actor, campaign, kind),
            checked_out_slots(actor, campaign, None, kind),
        )
        for rows in slots:
            unseen = rows.filter(plan__blind=True).order_by()
            pairs.update(unseen.values_list("topic__number", "item__docno"))
    return pairs


def list_adjudicators(campaign: Campaign) -> QuerySet[User]:
    roles = campaign.members.filter(role=Role.ADJUDICATOR).values("user")
    return User.objects.filter(pk__in=roles).order_by("username")


def own_adjudication_progress(campaign: Campaign, actor: User) -> SlotTally:
    """One adjudicator's progress over all rounds; ``open`` pairs are available to them."""
    own = adjudication_slots(campaign).filter(assessor=actor)
    states = dict(own.values_list("state").annotate(Count("pk")))
    free = claimable_slots(actor, campaign, Plan.Kind.ADJUDICATE).order_by()
    count = free.aggregate(pairs=Count("item", distinct=True))["pairs"]
    return SlotTally(**states, open=count)


def count_by_state(disagreements: Sequence[Disagreement]) -> dict[str, int]:
    counts = Counter(row.state for row in disagreements)
    return {state: counts[state] for state in STATES}
