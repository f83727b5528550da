"""The stop rule in a study: after which answer, with what queries, and what follows."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns.errors import ActionRefused
from crowd.models import CrowdWorker, Payment, Study, WorkUnit
from crowd.queries.unit_work import list_unit_slots
from crowd.services.exclusions import apply_stop_rule, set_work_aside, undo_exclusion
from crowd.services.unit_answers import UnitAnswer
from crowd.services.unit_work import release_unit
from crowd.services.units import (
    answer_unit,
    begin_unit,
    complete_unit,
    consent_to_study,
    end_expired_unit,
)
from judging.models import Exclusion, Judgment, Plan, Purpose, Slot
from tests.crowd.worker_study import make_study, make_unit, unit_path
from tests.pages import read_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(campaign) -> Study:
    """Eight documents in a unit, of which four are gold."""
    return make_study(campaign, gold_per_unit=4, stop_after=3, stop_below=0.6)


def start(study: Study, **more: str) -> WorkUnit:
    unit = consent_to_study(unit=make_unit(study, **more), version=1)
    return begin_unit(unit=unit)


def judge(unit: WorkUnit, slot: Slot, *, right: bool) -> None:
    grade = slot.gold.grade if slot.gold else 0
    answer_unit(unit=unit, answer=UnitAnswer(slot.token, uuid4(), grade if right else 3 - grade))
    unit.refresh_from_db()


def gold_slots(unit: WorkUnit) -> list[Slot]:
    return [slot for slot in list_unit_slots(unit) if slot.gold_id]


def fail(unit: WorkUnit) -> None:
    for slot in gold_slots(unit)[:3]:
        judge(unit, slot, right=False)


def test_a_spammer_is_stopped_at_the_third_gold_document_and_paid(study):
    unit = start(study)
    other = next(slot for slot in list_unit_slots(unit) if not slot.gold_id)
    judge(unit, other, right=True)
    first, second, third, _ = gold_slots(unit)
    judge(unit, first, right=False)
    judge(unit, second, right=False)
    assert unit.state == "started"
    judge(unit, third, right=False)
    assert unit.state == "screened"
    reason = "Stop rule: 0 of 3 gold documents right; upper bound 0.56, below 0.6."
    assert unit.reason == reason
    exclusion = Exclusion.objects.get()
    assert (exclusion.actor, exclusion.reason) == (None, reason)
    assert CrowdWorker.objects.get().state == "excluded"
    payment = Payment.objects.get()
    assert (payment.judged, payment.gold_right, payment.gold_shown) == (4, 0, 3)
    assert payment.amount == Decimal("1.50")  # 3.00 · 4/8
    # The document of the pool is free for others again, and those not judged as well.
    assert not Slot.objects.filter(purpose=Purpose.JUDGE).exclude(state="open").exists()


def test_the_rule_makes_the_same_queries_after_gold_and_after_another_document(study):
    unit = start(study)
    slots = list_unit_slots(unit)
    counts = set()
    for slot in [s for s in slots if s.gold_id][:2] + [s for s in slots if not s.gold_id][:2]:
        judge(unit, slot, right=True)
        assert unit.plan.study == study  # loaded, as by the address of the unit
        with CaptureQueriesContext(connection) as queries:
            assert not apply_stop_rule(unit=unit)
        counts.add(len(queries))
    assert counts == {1}


def test_a_changed_answer_counts_as_changed(study):
    unit = start(study)
    first, second, third, _ = gold_slots(unit)
    judge(unit, first, right=False)
    token = first.token
    answer_unit(unit=unit, answer=UnitAnswer(token, uuid4(), first.gold.grade))
    judge(unit, second, right=False)
    judge(unit, third, right=False)
    assert unit.state == "started"  # 1 of 3


def test_after_an_undo_the_old_answers_stop_nobody(study, organizer):
    unit = start(study)
    fail(unit)
    undo_exclusion(actor=organizer, exclusion=Exclusion.objects.get())
    again = start(study, session="s2")
    assert again.worker == unit.worker
    other = next(slot for slot in list_unit_slots(again) if not slot.gold_id)
    judge(again, other, right=True)
    assert again.state == "started"
    assert Judgment.objects.filter(purpose=Purpose.GOLD).count() == 3


def test_no_other_unit_of_a_stopped_worker_goes_on(study):
    other = copy_study(study)
    unit, idle = start(study), start(other, session="s2")
    assert unit.worker == idle.worker
    fail(unit)
    idle.refresh_from_db()
    assert (idle.state, idle.reason) == ("screened", unit.reason)
    assert not Payment.objects.filter(unit=idle).exists()
    with pytest.raises(ActionRefused, match="over"):
        complete_unit(unit=idle)


def test_a_unit_that_lost_its_documents_is_never_complete(study):
    unit = start(study)
    judge(unit, list_unit_slots(unit)[0], right=True)
    release_unit(unit=unit)
    with pytest.raises(ActionRefused, match="no answer yet"):
        complete_unit(unit=unit)
    WorkUnit.objects.update(closes_at=timezone.now())
    unit.refresh_from_db()
    end_expired_unit(unit)
    payment = Payment.objects.get()
    assert (unit.state, payment.judged, payment.amount) == ("abandoned", 1, Decimal("0.38"))


def test_a_unit_that_was_only_offered_is_refused_when_set_aside(study, organizer):
    unit = consent_to_study(unit=make_unit(study), version=1)
    set_work_aside(actor=organizer, worker=unit.worker, reason="two accounts")
    unit.refresh_from_db()
    assert (unit.state, unit.reason) == ("refused", "set aside by the organizers")
    assert not Payment.objects.exists()


@pytest.mark.parametrize("started", [True, False])
def test_a_worker_set_aside_by_hand_is_told_nothing_about_answers(
    study, organizer, client, *, started
):
    unit = consent_to_study(unit=make_unit(study), version=1)
    unit = begin_unit(unit=unit) if started else unit
    set_work_aside(actor=organizer, worker=unit.worker, reason="two accounts")
    page = read_page(client.get(unit_path(unit) + "end/"))
    assert "The people who run this study have ended it." in page
    assert "did not fit" not in page
    assert "All texts are taken" not in page


def test_the_stop_rule_says_that_answers_did_not_fit(study, client):
    unit = start(study)
    fail(unit)
    page = read_page(client.get(unit_path(unit) + "end/"))
    assert "Some of your answers did not fit texts that we know well." in page


def copy_study(study: Study) -> Study:
    """Another study of the campaign, with the same rules and half of its documents."""
    plan = study.plan
    again = Plan.objects.create(
        campaign=plan.campaign, pool=plan.pool, overlap=2, audience=plan.audience,
        created_by=plan.created_by,
    )  # fmt: skip
    half = list(plan.pool.items.order_by("pk"))[6:]
    Slot.objects.filter(plan=plan, item__in=half).update(plan=again)
    other = Study.objects.get(pk=study.pk)
    other.pk, other.plan = None, again
    other.save()
    text = study.consent_texts.get()
    text.pk, text.study, text._state.adding = None, other, True
    text.save()
    return other


def test_a_trial_is_stopped_and_leaves_no_exclusion(study):
    unit = start(study)
    WorkUnit.objects.filter(pk=unit.pk).update(trial=True)
    unit.refresh_from_db()
    fail(unit)
    assert unit.state == "screened"
    assert not Exclusion.objects.exists()
    assert not Payment.objects.exists()
