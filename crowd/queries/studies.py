"""Studies of a campaign with their key figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum

from campaigns.models import Campaign, Role, User
from crowd.models import Bonus, Payment, Study, WorkUnit
from crowd.queries.study_terms import load_study_seconds
from judging.models import Purpose, Slot
from judging.queries.slot_counts import count_pairs_without_plan
from poolbench.crowd.forecast import StudyForecast, forecast_study

UNIT_STATES = WorkUnit.State


@dataclass(frozen=True)
class StudyFigures:
    """``units`` by state, trials aside; ``judged`` of ``needed`` judgments; ``workers`` who have
    started a unit; ``paid``: what is owed so far, bonus included.
    """

    study: Study
    units: dict[str, int]
    trials: int
    workers: int
    judged: int
    needed: int
    paid: Decimal

    @property
    def started_units(self) -> int:
        """Units that count for the quota."""
        return sum(n for state, n in self.units.items() if state != UNIT_STATES.OFFERED)

    @property
    def complete(self) -> int:
        return self.units.get(UNIT_STATES.COMPLETE, 0)

    @property
    def at_work(self) -> int:
        return self.units.get(UNIT_STATES.STARTED, 0)

    @property
    def percent(self) -> float:
        return 100 * self.judged / self.needed if self.needed else 0.0

    @property
    def is_complete(self) -> bool:
        return bool(self.needed) and self.judged >= self.needed


def load_study_figures(studies: Sequence[Study]) -> list[StudyFigures]:
    """The figures of ``studies``, in their order: five queries for any number of them."""
    plans = [study.plan_id for study in studies]
    units: dict[int, dict[str, int]] = {plan: {} for plan in plans}
    trials = dict.fromkeys(plans, 0)
    rows = WorkUnit.objects.filter(plan__in=plans).order_by()
    for plan, state, trial, n in rows.values_list("plan", "state", "trial").annotate(Count("pk")):
        if trial:
            trials[plan] += n
        else:
            units[plan][state] = n
    started = rows.filter(trial=False, started_at__isnull=False).values_list("plan")
    workers = dict(started.annotate(Count("worker", distinct=True)))
    slots = Slot.objects.filter(plan__in=plans, purpose=Purpose.JUDGE).order_by()
    judged = Count("pk", filter=Q(state=Slot.State.JUDGED))
    tallies = {
        plan: (done, n)
        for plan, done, n in slots.values_list("plan").annotate(done=judged, n=Count("pk"))
    }
    paid = load_amounts(studies)
    return [
        StudyFigures(
            study=study,
            units=units[study.plan_id],
            trials=trials[study.plan_id],
            workers=workers.get(study.plan_id, 0),
            judged=tallies.get(study.plan_id, (0, 0))[0],
            needed=tallies.get(study.plan_id, (0, 0))[1],
            paid=paid.get(study.plan_id, Decimal(0)),
        )
        for study in studies
    ]


def load_amounts(studies: Sequence[Study]) -> dict[int, Decimal]:
    """By plan: what is owed for units that came to an end, with every bonus."""
    rows = Payment.objects.filter(study__in=studies).order_by().values_list("study__plan")
    amounts = dict(rows.annotate(owed=Sum("amount")))
    extra = Bonus.objects.filter(payment__study__in=studies).order_by()
    for plan, amount in extra.values_list("payment__study__plan").annotate(n=Sum("amount")):
        amounts[plan] += amount
    return amounts


def list_studies(campaign: Campaign) -> list[Study]:
    """Newest first."""
    return list(Study.objects.filter(campaign=campaign).select_related("plan__pool", "campaign"))


def find_example_study(user: User, campaign: Campaign) -> Study | None:
    """The newest study of another campaign that ``user`` organizes."""
    own = Campaign.objects.filter(members__user=user, members__role=Role.ORGANIZER)
    studies = Study.objects.filter(campaign__in=own.exclude(pk=campaign.pk))
    return studies.select_related("campaign").first()


def load_study_forecast(study: Study) -> StudyForecast:
    """The forecast of the whole study, from the pairs of its plan."""
    slots = study.plan.slots.filter(purpose=Purpose.JUDGE).order_by()
    pairs = slots.values("topic").annotate(n=Count("item", distinct=True))
    counts = [row["n"] for row in pairs]
    return forecast_study(counts, study.plan.overlap, study.options, load_study_seconds(study))


def load_crowd_needs(campaign: Campaign) -> dict[str, Any]:
    """What a campaign has of what its first study needs; ``unplanned`` is that of the pool with the
    most.
    """
    pools = list(campaign.pools.all())
    unplanned = [sum(count_pairs_without_plan(pool).values()) for pool in pools]
    needs = {
        "unplanned": max(unplanned, default=0),
        "documents": campaign.documents.count(),
        "grades": campaign.grades.count(),
    }
    return {**needs, "pools": len(pools), "is_ready": all(needs.values())}
