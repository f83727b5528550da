"""A worker withdraws their consent: judgments, pay, and what leads to the person."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from campaigns.models import Event
from crowd.models import CrowdWorker, Payment, ProviderEvent, Study, WorkUnit
from crowd.queries.fake_platform import SUBMITTED
from crowd.queries.payment_sheet import load_payment_sheet, reconcile_study
from crowd.queries.workers import find_worker_by_external_id, list_crowd_workers
from crowd.services.exclusions import set_work_aside, undo_exclusion
from crowd.services.fake_platform import record_fake_event
from crowd.services.payment_batches import make_batch, mark_batch_paid
from crowd.services.payments import grant_bonus
from crowd.services.unit_answers import UnitAnswer
from crowd.services.units import answer_unit, begin_unit, consent_to_study
from crowd.services.withdrawals import withdraw_consent
from judging.models import Exclusion, Judgment, Slot
from judging.queries.exclusions import list_units_set_aside, summarize_set_aside
from poolbench.crowd.reconciliation import ProviderSubmission
from tests.confirming import confirm
from tests.crowd.crowd_work import HONEST, make_complete_unit, make_crowd, make_payment, make_worker
from tests.crowd.test_payments import read_lists
from tests.crowd.worker_study import make_door_link, make_study, make_unit, unit_path
from tests.pages import read_page
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(campaign) -> Study:
    return make_study(campaign)


def start(study: Study, answers: int = 2) -> WorkUnit:
    """A unit in progress with some answers, the last with a comment."""
    unit = begin_unit(unit=consent_to_study(unit=make_unit(study), version=1))
    slots = list(Slot.objects.filter(unit=unit).order_by("unit_position"))
    for number, slot in enumerate(slots[:answers]):
        grade = 1 if number < answers - 1 else None
        answer = UnitAnswer(slot.token, slot.token, grade, reason="other", comment="I am Jo, 41")
        answer_unit(unit=unit, answer=answer)
    return unit


def test_what_a_withdrawal_does_to_judgments_pay_and_words(study, organizer):
    unit = start(study)
    worker = withdraw_consent(actor=organizer, worker=unit.worker)
    unit.refresh_from_db()
    assert (worker.state, unit.state) == ("withdrawn", "abandoned")
    # 2 of 6 documents of 3.00: what was earned stays owed.
    assert Payment.objects.get(unit=unit).amount == Decimal("1.00")
    assert list(list_units_set_aside()) == [unit]
    assert not Slot.objects.filter(assessor=worker.user).filter(state="judged", gold=None).exists()
    assert {row.comment for row in Judgment.objects.filter(unit=unit)} == {""}
    page = read_page(Client().get(unit_path(unit) + "end/"))
    assert "You have withdrawn your consent. Your answers are left out." in page
    assert "Your answers are saved" not in page
    assert "1.00 EUR" in page
    told = Client().get(make_door_link(study, session="s2"))
    assert "Your answers are left out. You are paid for what you did." in read_page(told)
    event = Event.objects.get(code="worker.withdrawn")
    assert (event.actor, event.subject) == (organizer, worker.pseudonym)
    assert not Event.objects.filter(code="exclusion.set").exists()


def test_comments_stand_on_the_workers_page_until_they_are_erased(study, organizer, as_user):
    worker = start(study).worker
    client = as_user(organizer)
    address = f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/workers/{worker.pk}/"
    assert "I am Jo, 41" in read_page(client.get(address))
    withdraw_consent(actor=organizer, worker=worker)
    assert "I am Jo, 41" not in read_page(client.get(address))


def test_it_is_no_exclusion_for_quality_and_for_good(campaign, study, organizer):
    (worker,) = make_crowd(study, [HONEST])
    withdraw_consent(actor=organizer, worker=worker)
    (row,) = list_crowd_workers(study)
    assert (row.state, row.state_label) == ("withdrawn", "consent withdrawn")
    exclusion = Exclusion.objects.get()
    assert refusal(undo_exclusion, actor=organizer, exclusion=exclusion) == "consent-withdrawn"
    assert refusal(withdraw_consent, actor=organizer, worker=worker) == "consent-withdrawn"
    assert summarize_set_aside(campaign)["units_by_reason"] == {"consent withdrawn": 1}


def test_a_worker_set_aside_before_may_withdraw(study, organizer):
    (worker,) = make_crowd(study, [HONEST])
    earlier = set_work_aside(actor=organizer, worker=worker, reason="a pattern")
    assert withdraw_consent(actor=organizer, worker=worker).state == "withdrawn"
    assert Exclusion.objects.get() == earlier


def test_only_organizers_record_it(study, assessor):
    with pytest.raises(PermissionDenied):
        withdraw_consent(actor=assessor, worker=make_worker(study, 1))


def test_the_way_to_the_person_is_kept_until_they_are_paid(study, organizer, as_user):
    worker = make_worker(study, 1, "worker fake pid-0001")
    unit = make_complete_unit(study, worker, 1)
    record_fake_event(study, SUBMITTED, "sub-00001", worker="pid-0001")
    make_payment(unit)
    withdraw_consent(actor=organizer, worker=worker)
    assert find_worker_by_external_id(study, "pid-0001") == worker
    assert refusal(make_unit, study, "pid-0001") == "worker-withdrawn"
    batch = make_batch(actor=organizer, study=study, reward=Decimal(3))
    assert read_lists(as_user(organizer), study, 1)["approve"] == "sub-00001\n"
    mark_batch_paid(actor=organizer, batch=batch)
    assert find_worker_by_external_id(study, "pid-0001") is None
    assert not ProviderEvent.objects.exists()
    listed = [
        ProviderSubmission(line, f"sub-{line:05}", f"pid-{line}", "approved", True, Decimal(3))
        for line in (1, 2)
    ]
    found = reconcile_study(study, listed)
    assert [row.kind for row in found.rows] == ["ids-erased", "unknown-worker"]
    assert [row.worker_id + row.unit_id for row in load_payment_sheet(study)] == [""]
    assert read_lists(as_user(organizer), study, 1)["approve"] == ""
    # Who comes again is a new worker, who is asked for consent again.
    assert make_unit(study, "pid-0001").worker != worker
    given = {"amount": Decimal(1), "reason": "x", "client_uuid": uuid4()}
    payment = Payment.objects.last()
    assert refusal(grant_bonus, actor=organizer, payment=payment, **given) == "no-id"


def test_the_page_asks_before_and_says_what_happens(study, organizer, as_user):
    make_crowd(study, [HONEST, HONEST])
    worker = CrowdWorker.objects.earliest("pk")
    make_payment(worker.units.get())
    client, page = as_user(organizer), f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/workers/"
    address = f"{page}{worker.pk}/withdraw/"
    assert address in read_page(client.get(f"{page}{worker.pk}/"))
    asked = read_page(client.get(address))
    assert "8 judgments" in asked
    assert "3.00 EUR" in asked
    answer = confirm(client, address)
    assert answer.url == f"{page}{worker.pk}/"
    shown = read_page(client.get(answer.url))
    assert "Consent withdrawn" in shown
    assert "set aside" not in shown.lower()
    assert not any(row.aside for row in load_payment_sheet(study))
    listed = read_page(client.get(page + "?state=withdrawn"))
    assert "1 of 2 workers" in listed
    assert "set aside (0)" in listed
