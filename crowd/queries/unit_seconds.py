"""How long a unit takes: measured where possible, otherwise a stated assumption."""

from __future__ import annotations

from django.db.models import Count, Q

from campaigns.models import Campaign
from crowd.core.hourly_pay import (
    UnitSeconds,
    assume_unit_seconds,
    compute_unit_seconds,
    estimate_unit_seconds,
)
from crowd.models import Study
from judging.models import Judgment, Purpose, WorkUnit
from judging.queries.exclusions import list_units_set_aside

MIN_UNITS, MIN_JUDGMENTS, MIN_TRIALS = 5, 20, 1
"""Fewest observations for a median."""
RECENT = 2_000
"""Judgments, at most, from which the seconds of a document are estimated: the latest."""


def count_unit_documents(study: Study) -> int:
    """Documents of a full unit, gold and repeats included."""
    return study.unit_size + study.gold_per_unit + study.repeats_per_unit


def load_study_seconds(study: Study) -> UnitSeconds:
    """Of complete units of ``study``, of the campaign's assessors, of trials, or assumed."""
    documents = count_unit_documents(study)
    complete = WorkUnit.objects.filter(
        plan=study.plan_id, state=WorkUnit.State.COMPLETE, server_seconds__gt=0
    ).order_by()
    real = complete.filter(trial=False).exclude(pk__in=list_units_set_aside().values("pk"))
    units = list(real.values_list("server_seconds", flat=True))
    if len(units) >= MIN_UNITS:
        return compute_unit_seconds(units, documents, "units")
    judgments = list_assessor_seconds(study.campaign)
    if len(judgments) >= MIN_JUDGMENTS:
        return estimate_unit_seconds(judgments, documents, "judgments")
    judged = Count("judgments", filter=~Q(judgments__purpose=Purpose.TRAINING))
    trials = complete.filter(trial=True).annotate(judged=judged).filter(judged__gt=0)
    one = [seconds / n for seconds, n in trials.values_list("server_seconds", "judged")]
    if len(one) >= MIN_TRIALS:
        return estimate_unit_seconds(one, documents, "trials")
    return assume_unit_seconds(documents)


def load_campaign_seconds(campaign: Campaign, documents: int) -> UnitSeconds:
    """Of a unit of ``documents`` documents of a study that does not exist yet."""
    judgments = list_assessor_seconds(campaign)
    if len(judgments) >= MIN_JUDGMENTS:
        return estimate_unit_seconds(judgments, documents, "judgments")
    return assume_unit_seconds(documents)


def list_assessor_seconds(campaign: Campaign) -> list[float]:
    """Active seconds of the latest judgments of the campaign's own assessors."""
    own = Judgment.objects.filter(
        campaign=campaign,
        purpose=Purpose.JUDGE,
        kind=Judgment.Kind.GRADE,
        unit=None,
        assessor__automatic=None,
        active_seconds__gt=0,
    )
    latest = own.order_by("-pk").values_list("active_seconds", flat=True)[:RECENT]
    return [seconds for seconds in latest if seconds is not None]
