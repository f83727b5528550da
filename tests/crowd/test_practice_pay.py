"""What is owed where practice is all that was done, and that no one starts without passing it."""

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.utils import timezone

from crowd.models import CrowdWorker, Payment, Study, WorkUnit
from crowd.services.exclusions import set_work_aside, undo_exclusion
from crowd.services.units import answer_practice, begin_unit, consent_to_study, leave_unit
from judging.models import Judgment, Plan, Slot
from tests.crowd.worker_study import make_practice, make_unit

pytestmark = pytest.mark.django_db


def practise(study: Study, grades: list[int], given: list[int], needed: int) -> WorkUnit:
    pairs = make_practice(study, grades, needed)
    unit = consent_to_study(unit=make_unit(study), version=1)
    consented = timezone.now() - timedelta(seconds=600)
    WorkUnit.objects.filter(pk=unit.pk).update(consented_at=consented)
    for at, (pair, grade) in enumerate(zip(pairs, given, strict=True), start=1):
        if at == len(pairs):  # the one before it took 40 seconds
            Judgment.objects.update(judged_at=consented + timedelta(seconds=40))
        unit.refresh_from_db()
        answer_practice(unit=unit, pair=pair, grade=grade, client_uuid=uuid4())
    unit.refresh_from_db()
    return unit


def read_payment() -> tuple[Decimal, str, int]:
    payment = Payment.objects.get()
    return payment.amount, payment.reason, payment.judged


def test_failed_practice_takes_the_time_it_took(study):
    unit = practise(study, [2, 0], [2, 2], needed=2)
    assert (unit.state, unit.reason) == ("screened", "practice not passed")
    assert unit.server_seconds == pytest.approx(340.0)  # 40, and 560 cut to 300
    assert read_payment() == (Decimal("0.50"), "practice not passed: 0.50 for practice", 0)
    assert CrowdWorker.objects.get().state == "screened"


def test_practice_without_documents_afterwards_is_paid(study):
    unit = practise(study, [2], [2], needed=1)
    Slot.objects.all().delete()
    assert begin_unit(unit=unit).state == "refused"
    words = "practice done, then no documents: 0.50 for practice"
    assert read_payment() == (Decimal("0.50"), words, 0)


def test_leaving_after_practice_is_paid_and_before_it_is_not(study):
    leave_unit(unit=practise(study, [2], [2], needed=1))
    words = "practice done, then stopped: 0.50 for practice"
    assert read_payment() == (Decimal("0.50"), words, 0)
    assert leave_unit(unit=make_unit(study, "p2", "s2")).state == "abandoned"
    assert Payment.objects.count() == 1


def test_the_pass_mark_holds_also_when_it_comes_to_the_start(study):
    unit = practise(study, [2, 0], [2, 2], needed=1)
    assert unit.state == "offered"
    Study.objects.update(practice_pass=2)
    unit = WorkUnit.objects.get()
    unit = begin_unit(unit=unit)
    assert (unit.state, unit.started_at) == ("screened", None)
    assert CrowdWorker.objects.get().state == "screened"
    assert not Slot.objects.exclude(state="open").exists()


def test_undoing_an_exclusion_lets_nobody_in_who_failed_practice(study, organizer):
    failed = practise(study, [2, 0], [2, 2], needed=2).worker
    other = make_unit(study, "p2", "s2").worker
    for worker in (failed, other):
        aside = set_work_aside(actor=organizer, worker=worker, reason="two accounts")
        undo_exclusion(actor=organizer, exclusion=aside)
    states = dict(CrowdWorker.objects.values_list("pk", "state"))
    assert states == {failed.pk: "screened", other.pk: "active"}


def test_documents_of_a_closed_plan_are_deleted_when_a_unit_ends(study):
    unit = begin_unit(unit=consent_to_study(unit=make_unit(study), version=1))
    Plan.objects.update(state=Plan.State.CLOSED, closed_at=timezone.now())
    leave_unit(unit=unit)
    assert Slot.objects.count() == 24 - 4
    assert not Slot.objects.exclude(state="open").exists()
