"""The pay of a study against the promised minimum."""

from __future__ import annotations

from crowd.core.hourly_pay import (
    PayAssessment,
    PayPromise,
    assess_pay,
    measure_reading_seconds,
)
from crowd.models import Study
from crowd.queries.consent import get_consent_text
from crowd.queries.practice import count_practice_pairs
from crowd.queries.unit_seconds import load_study_seconds


def load_pay_assessment(study: Study) -> PayAssessment:
    """What the pay of ``study`` means for workers, by the seconds known now."""
    consent = get_consent_text(study)
    texts = (study.summary, study.instructions, consent.text if consent else "")
    return assess_pay(
        PayPromise(study.pay_per_unit, study.screen_out_pay, study.hourly_minimum),
        load_study_seconds(study),
        practice_pairs=count_practice_pairs(study.campaign),
        screens_out=study.practice_pass > 0,
        reading_seconds=measure_reading_seconds(*texts),
    )
