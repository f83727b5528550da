"""Which work of the crowd is set aside, now or as of a time."""

from collections import Counter
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery

from campaigns.models import Campaign
from judging.models import Exclusion, Judgment, Purpose
from pooling.queries.judgment_log import count_log_rows


def list_active_exclusions(as_of: datetime | None = None) -> QuerySet[Exclusion]:
    """Exclusions in force, those undone later included if undone after ``as_of``."""
    until = Q() if as_of is None else Q(set_at__lte=as_of)
    undone = Exclusion.objects.filter(until, undoes=OuterRef("pk"))
    return Exclusion.objects.filter(until, ~Exists(undone), undoes=None).order_by()


def list_units_set_aside(as_of: datetime | None = None) -> QuerySet[Any]:
    """Units that do not count: set aside by themselves or with their worker, and trials."""
    # By name: judging cannot import crowd, whose units its rows name. Not by a join from the log:
    # the database would look at the unit of every row.
    units = apps.get_model("crowd", "WorkUnit").objects
    here = list_active_exclusions(as_of)
    own = Exists(here.filter(unit=OuterRef("pk")))
    whole = Exists(here.filter(unit=None, worker=OuterRef("worker")))
    return units.filter(Q(trial=True) | own | whole).order_by()


def counting_judgments(as_of: datetime | None = None) -> Q:
    """Within a query of judgments: those that count, as far as exclusions decide."""
    return Q(unit=None) | ~Q(unit__in=list_units_set_aside(as_of).values("pk"))


def log_state_key(campaign: Campaign) -> tuple[object, ...]:
    """A key that changes with every log row and exclusion, and every change of withheld topics."""
    # Only work of the crowd can be set aside; a look at all other rows takes time.
    if campaign.plans.filter(units__isnull=False).exists():
        counting = Judgment.objects.filter(counting_judgments(), campaign=campaign).order_by()
        rows, last = counting.aggregate(rows=Count("pk"), last=Max("pk")).values()
    else:
        rows, last = count_log_rows(campaign)
    withheld = campaign.topics.filter(withheld=True).order_by("pk").values_list("pk", flat=True)
    return campaign.pk, campaign.created_at, rows, last, tuple(withheld)


def summarize_set_aside(
    campaign: Campaign, as_of: datetime | None = None, last: int | None = None
) -> dict[str, Any] | None:
    """What was set aside then, of the log up to row ``last``: units, the pairs that they graded,
    workers, and the units by reason (the latest, if there are several). Without trials; None if
    the campaign has no exclusions.
    """
    here = list_active_exclusions(as_of).order_by("-pk")
    if not Exclusion.objects.filter(campaign=campaign).exists():
        return None
    bounds = Q() if as_of is None else Q(judged_at__lte=as_of)
    bounds &= Q() if last is None else Q(pk__lte=last)
    covering = here.filter(Q(unit=OuterRef("pk")) | Q(unit=None, worker=OuterRef("worker"))).values(
        "reason"
    )
    units = list_units_set_aside(as_of).filter(plan__campaign=campaign, trial=False)
    rows = units.annotate(why=Subquery(covering[:1])).values_list("pk", "why", "worker")
    reasons = {unit: why for unit, why, _ in rows}
    workers = {unit: worker for unit, _, worker in rows}
    graded = Judgment.objects.filter(
        bounds, unit__in=reasons, purpose=Purpose.JUDGE, grade__isnull=False
    )
    pairs = set(graded.order_by().values_list("unit", "topic", "docno"))
    by_unit = Counter(unit for unit, _, _ in pairs)
    by_reason = Counter(reasons[unit] for unit in by_unit)
    return {
        "units": len(by_unit),
        "workers": len({workers[unit] for unit in by_unit}),
        "judgments": len(pairs),
        "units_by_reason": {reason: by_reason[reason] for reason in sorted(by_reason)},
    }
