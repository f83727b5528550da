"""What a study would ask for and cost, before it is created."""

from __future__ import annotations

from dataclasses import dataclass

from campaigns.models import Campaign
from crowd.core.forecast import StudyForecast, StudyShape, forecast_study
from crowd.core.hourly_pay import (
    PayAssessment,
    PayPromise,
    assess_pay,
    measure_reading_seconds,
)
from crowd.forms.studies import StudyNewForm
from crowd.queries.practice import count_practice_pairs
from crowd.queries.studies import count_pairs_without_plan
from crowd.queries.unit_seconds import load_campaign_seconds


@dataclass(frozen=True)
class StudyPreviewPart:
    """``planned_before``: pairs of the chosen topics that are in a plan already."""

    forecast: StudyForecast
    pay: PayAssessment
    currency: str
    documents: int
    planned_before: int


def build_study_preview(campaign: Campaign, form: StudyNewForm) -> StudyPreviewPart:
    """The preview of a valid form. Writes nothing."""
    options, values = form.options(), form.cleaned_data
    pool, numbers = values["pool"], values["topics"]
    topics = (
        campaign.topics.all() if numbers is None else campaign.topics.filter(number__in=numbers)
    )
    wanted = set(topics.values_list("pk", flat=True))
    unplanned = {t: n for t, n in count_pairs_without_plan(pool).items() if t in wanted}
    shape = StudyShape(
        redundancy=values["redundancy"],
        unit_size=options.unit_size,
        one_topic=options.one_topic,
        gold_per_unit=options.gold_per_unit,
        repeats_per_unit=options.repeats_per_unit,
        units_per_worker=options.units_per_worker,
        max_units=options.max_units,
        extra_budget=options.extra_budget,
        pay_per_unit=options.pay_per_unit,
    )
    seconds = load_campaign_seconds(campaign, shape.documents)
    texts = (options.summary, options.instructions, values["consent"])
    pay = assess_pay(
        PayPromise(options.pay_per_unit, options.screen_out_pay, options.hourly_minimum),
        seconds,
        practice_pairs=count_practice_pairs(campaign),
        screens_out=options.practice_pass > 0,
        reading_seconds=measure_reading_seconds(*texts),
    )
    return StudyPreviewPart(
        forecast=forecast_study(list(unplanned.values()), shape, seconds),
        pay=pay,
        currency=options.currency,
        documents=shape.documents,
        planned_before=pool.items.filter(topic__in=wanted).count() - sum(unplanned.values()),
    )
