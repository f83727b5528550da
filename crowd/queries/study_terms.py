"""What a study promises: the time of a unit, measured or assumed; its consent text; its pay."""

from decimal import Decimal

from django.db.models import Count, F, Q

from campaigns.models import Campaign
from crowd.models import ConsentText, Study, WorkUnit
from crowd.queries.keys import find_key_date
from judging.models import Audience, Judgment, Purpose
from judging.queries.exclusions import list_units_set_aside
from judging.queries.training import list_training
from poolbench.crowd.consent import fill_placeholders
from poolbench.crowd.hourly_pay import (
    PayAssessment,
    UnitSeconds,
    assume_unit_seconds,
    compute_unit_seconds,
    estimate_unit_seconds,
    measure_reading_seconds,
)
from poolbench.crowd.options import StudyOptions

MIN_UNITS, MIN_JUDGMENTS, MIN_TRIALS = 5, 20, 1
"""Fewest observations for a median."""
RECENT = 2_000
"""Judgments, at most, from which the seconds of a document are estimated: the latest."""


def load_study_seconds(study: Study) -> UnitSeconds:
    """Of complete units of ``study``, of the campaign's assessors, of trials, or assumed."""
    documents = study.options.documents
    complete = WorkUnit.objects.filter(
        plan=study.plan_id, state=WorkUnit.State.COMPLETE, server_seconds__gt=0
    ).order_by()
    real = complete.filter(trial=False).exclude(pk__in=list_units_set_aside().values("pk"))
    working = F("server_seconds") - F("practice_seconds")
    units = list(real.annotate(working=working).values_list("working", flat=True))
    if len(units) >= MIN_UNITS:
        return compute_unit_seconds(units, documents, "units")
    judgments = list_assessor_seconds(study.campaign)
    if len(judgments) >= MIN_JUDGMENTS:
        return estimate_unit_seconds(judgments, documents, "judgments")
    judged = Count("judgments", filter=~Q(judgments__purpose=Purpose.TRAINING))
    trials = complete.filter(trial=True).annotate(judged=judged).filter(judged__gt=0)
    one = [
        seconds / n
        for seconds, n in trials.annotate(working=working).values_list("working", "judged")
    ]
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


def get_consent_text(study: Study) -> ConsentText | None:
    """The latest version, which new units are shown; None before the first."""
    return study.consent_texts.order_by("-version").first()


def format_amount(amount: Decimal, currency: str) -> str:
    return f"{amount:.2f} {currency}"


def fill_consent_text(study: Study, text: str) -> str:
    """``text`` with the placeholders of ``poolbench.crowd.consent`` filled from ``study``."""
    return fill_placeholders(text, load_consent_values(study))


def load_consent_values(study: Study) -> dict[str, str]:
    """What the placeholders of ``poolbench.crowd.consent`` stand for, by name."""
    minutes = max(round(load_study_seconds(study).median / 60), 1)
    until = find_key_date(study)
    return {
        "title": study.title,
        "documents": str(study.options.documents),
        "minutes": str(minutes),
        "unit_minutes": str(study.unit_minutes),
        "units_per_worker": str(study.units_per_worker),
        "pay": format_amount(study.pay_per_unit, study.currency),
        "screen_out_pay": format_amount(study.screen_out_pay, study.currency),
        "hourly": format_amount(study.hourly_minimum, study.currency),
        "retention": f"{until.day} {until:%B %Y}" if until else "(no date yet)",
        "contact": study.contact or "(no contact yet)",
    }


def load_pay_assessment(study: Study) -> PayAssessment:
    """What the pay of ``study`` means for workers, by the seconds known now."""
    consent = get_consent_text(study)
    text, seconds = consent.text if consent else "", load_study_seconds(study)
    return assess_study_pay(study.campaign, study.options, text, seconds)


def assess_study_pay(
    campaign: Campaign, options: StudyOptions, consent: str, seconds: UnitSeconds
) -> PayAssessment:
    """What the pay of ``options`` means for workers who read the ``consent`` text."""
    reading = measure_reading_seconds(options.summary, options.instructions, consent)
    pairs = list_training(campaign, Audience.CROWD).count()
    first = reading + pairs * seconds.per_document
    return PayAssessment(options.terms, seconds, first, pairs > 0)
