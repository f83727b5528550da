"""What practice costs: seconds that it took, up to a limit that the study names."""

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.utils import timezone

from crowd.models import Payment, Study, WorkUnit
from crowd.services.units import answer_practice, begin_unit, consent_to_study, leave_unit
from judging.models import TrainingPair
from tests.crowd.worker_study import make_practice, make_study, make_unit
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def test_practice_of_seconds_is_paid_for_seconds(study_of_practice):
    """Twelve seconds of practice were paid 1.10, more than a unit."""
    unit = practise(study_of_practice, "p1", reading=3, practice=9.5)
    assert Payment.objects.get(unit=unit).amount == Decimal("0.05")  # 12.00 · 12.5 / 3600 = .0416…


def test_reading_counts_no_longer_than_its_texts_take(study_of_practice):
    unit = practise(study_of_practice, "p1", reading=3000, practice=12)
    texts = (study_of_practice.summary, study_of_practice.instructions, "We ask you to read.")
    words = sum(len(text.split()) for text in texts)
    assert unit.practice_seconds == pytest.approx(12 + words * 60 / 200, abs=1)


@pytest.fixture
def study_of_practice(campaign) -> Study:
    study = make_study(campaign, screen_out_pay="1.10")
    make_practice(study, [2], needed=1)
    study.refresh_from_db()
    return study


def practise(
    study: Study, worker: str, reading: float, practice: float, grade: int = 0
) -> WorkUnit:
    """Whose worker has read and practised for so many seconds; grade 0 fails."""
    unit = consent_to_study(unit=make_unit(study, worker, f"s-{worker}"), version=1)
    consented = timezone.now() - timedelta(seconds=practice)
    offered = consented - timedelta(seconds=reading)
    WorkUnit.objects.filter(pk=unit.pk).update(offered_at=offered, consented_at=consented)
    unit.refresh_from_db()
    pair = TrainingPair.objects.get()
    answer_practice(unit=unit, pair=pair, grade=grade, client_uuid=uuid4())
    unit.refresh_from_db()
    return unit


def test_no_newcomers_once_the_quota_of_practice_is_spent(study_of_practice):
    study = study_of_practice
    Study.objects.update(max_screened=1)
    study.refresh_from_db()
    passed = practise(study, "good", 3, 12, grade=2)
    practise(study, "bad", 3, 12)
    assert refusal(make_unit, study, "new", "s-new") == "study-full"
    begin_unit(unit=passed)
    leave_unit(unit=WorkUnit.objects.get(pk=passed.pk))
    assert make_unit(study, "good", "s-more").state == "offered"


def test_practice_costs_no_more_than_its_limit_whoever_waits(study_of_practice):
    """Many come, wait until their places are free again, and practise then or go on then."""
    study = study_of_practice
    Study.objects.update(max_screened=1, max_units=2)
    study.refresh_from_db()
    ago = timezone.now() - timedelta(minutes=61)
    units = []
    for wave in ("a", "b", "c"):
        units += [make_unit(study, f"{wave}{n}", f"s{wave}{n}") for n in range(2)]
        WorkUnit.objects.update(offered_at=ago)
    paid, *later = (consent_to_study(unit=unit, version=1) for unit in units)
    given = {"pair": TrainingPair.objects.get(), "grade": 0, "client_uuid": uuid4()}
    answer_practice(unit=paid, **given)
    assert {refusal(answer_practice, unit=unit, **given) for unit in later} == {"study-full"}
    assert Payment.objects.count() == 1


def test_a_place_that_went_to_others_starts_no_unit_beyond_the_limit(campaign):
    study = make_study(campaign, max_units=1)
    late = consent_to_study(unit=make_unit(study, "p1", "s1"), version=1)
    ago = timezone.now() - timedelta(minutes=61)
    WorkUnit.objects.filter(pk=late.pk).update(offered_at=ago)
    begin_unit(unit=consent_to_study(unit=make_unit(study, "p2", "s2"), version=1))
    late.refresh_from_db()
    assert begin_unit(unit=late).state == "refused"
    assert WorkUnit.objects.filter(started_at__isnull=False).count() == 1
