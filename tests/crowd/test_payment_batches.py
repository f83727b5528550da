"""From what is owed to what is paid: batches, disputes, the provider's list, the next step."""

import csv
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaigns.confirmation import Decision
from campaigns.errors import ConfirmationNeeded
from campaigns.models import Event
from crowd.models import GoldPair, Payment, Study, WorkUnit
from crowd.queries.payment_sheet import list_batches, load_payment_sheet
from crowd.queries.unit_pay import preview_leaving_pay
from crowd.services.keys import destroy_key
from crowd.services.payment_batches import (
    end_dispute,
    make_batch,
    mark_batch_paid,
    mark_payments_paid,
    open_dispute,
    void_batch,
)
from crowd.services.payments import grant_bonus, write_payment
from crowd.services.studies import stop_study
from crowd.services.units import answer_practice, consent_to_study, leave_unit
from judging.models import Purpose
from tests.confirming import api, confirm
from tests.crowd.crowd_work import answer, make_complete_unit, make_paid_study, make_worker
from tests.crowd.test_payments import read_lists, url
from tests.crowd.worker_study import make_practice, make_study, make_unit, unit_path
from tests.examples import examples
from tests.pages import read_page
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
REWARD = Decimal("3.00")


@pytest.fixture
def study(campaign) -> Study:
    return make_paid_study(campaign)


def pay_more(organizer, payment: Payment, amount: str) -> None:
    grant_bonus(
        actor=organizer, payment=payment, amount=Decimal(amount), reason="x", client_uuid=uuid4()
    )


def read_states(study: Study) -> list[str]:
    return [row.payment_state for row in load_payment_sheet(study)]


def test_a_batch_has_what_no_earlier_batch_had(study, organizer, as_user):
    client = as_user(organizer)
    first, second, _ = Payment.objects.all()
    pay_more(organizer, first, "0.15")
    make_batch(actor=organizer, study=study, reward=REWARD)
    assert read_states(study) == ["in batch 1"] * 3
    assert refusal(make_batch, actor=organizer, study=study, reward=REWARD) == "nothing-due"
    pay_more(organizer, second, "0.15")
    assert read_states(study) == ["in batch 1", "owed", "in batch 1"]
    make_batch(actor=organizer, study=study, reward=REWARD)
    ids = "sub-00000\nsub-00001\nsub-00002\n"
    assert read_lists(client, study, 1) == {
        "approve": ids, "parts": "", "bonuses": "pid-0000,0.15\n", "by-hand": ""
    }  # fmt: skip
    assert read_lists(client, study, 2) == {
        "approve": "", "parts": "", "bonuses": "pid-0001,0.15\n", "by-hand": ""
    }  # fmt: skip
    page = read_page(client.get(url(study)))
    assert "9.30 of" not in page
    assert 'id="batches"' in page
    assert page.count(">Mark as paid<") == 2


def test_a_batch_is_made_and_paid_by_confirmed_acts(study, organizer, as_user):
    client = as_user(organizer)
    page = read_page(client.get(url(study, "payments/batch/?reward=2.50")))
    assert "Pay 9.00 EUR as batch 1?" in page
    assert "approve 3 units at 2.50 EUR, pay 0 units in part and 3 workers on top" in page
    assert confirm(client, url(study, "payments/batch/?reward=2.50"), confirm=[]).status_code == 422
    assert not study.batches.exists()
    assert confirm(client, url(study, "payments/batch/?reward=2.50")).status_code == 302
    assert study.batches.get().reward == Decimal("2.50")
    event = Event.objects.get(code="payment.batch_made")
    assert (event.data["amount"], event.data["reward"]) == ("9.00", "2.50")
    assert confirm(client, url(study, "payments/1/paid/")).status_code == 302
    assert read_states(study) == ["paid"] * 3
    assert confirm(client, url(study, "payments/1/paid/")).status_code == 409
    assert client.get(url(study, "payments/batch/?reward=x")).status_code == 302


@pytest.mark.parametrize("reward", ["-1", "0.001", "100000.01"])
def test_rewards_have_bounds(study, organizer, reward):
    given = {"actor": organizer, "study": study, "reward": Decimal(reward)}
    assert refusal(make_batch, **given) == "bad-reward"


def test_the_amount_that_was_read_is_the_amount_of_the_batch(study, organizer):
    with pytest.raises(ConfirmationNeeded) as caught:
        make_batch(actor=organizer, study=study, reward=REWARD, decision=Decision())
    read = Decision(frozenset({"reward"}), caught.value.confirmation.digest)
    pay_more(organizer, Payment.objects.first(), "0.15")
    with pytest.raises(ConfirmationNeeded) as caught:
        make_batch(actor=organizer, study=study, reward=REWARD, decision=read)
    assert caught.value.changed


def test_what_is_disputed_waits_and_comes_back(study, organizer, as_user):
    client = as_user(organizer)
    first, second, _ = Payment.objects.all()
    asked = client.get(url(study, f"payments/?dispute={first.pk}"))
    assert "Dispute with worker-t0000" in read_page(asked)
    where = url(study, f"payments/{first.pk}/dispute/")
    assert client.post(where, {"reason": ""}).status_code == 422
    assert client.post(where, {"reason": "account closed"}).status_code == 302
    assert refusal(open_dispute, actor=organizer, payment=first, reason="again") == "disputed"
    make_batch(actor=organizer, study=study, reward=REWARD)
    open_dispute(actor=organizer, payment=second, reason="sent back")
    mark_batch_paid(actor=organizer, batch=study.batches.get())
    assert read_states(study) == ["disputed", "disputed", "paid"]
    page = read_page(client.get(url(study)))
    assert "disputed: account closed" in page
    assert "6.00 disputed" in page
    # The first was in no batch and is owed again, the second is in batch 1 again.
    assert client.post(where, {"end": "1"}).status_code == 302
    end_dispute(actor=organizer, payment=second)
    assert read_states(study) == ["owed", "in batch 1", "paid"]
    mark_batch_paid(actor=organizer, batch=study.batches.get())
    make_batch(actor=organizer, study=study, reward=REWARD)
    assert read_lists(client, study, 2)["approve"] == "sub-00000\n"
    codes = Event.objects.filter(code__startswith="payment.dispute").values_list("code", flat=True)
    assert sorted(codes) == ["payment.dispute_ended"] * 2 + ["payment.disputed"] * 2


LIST = b"""Submission id,Participant id,Status,Reward,Bonus
sub-00000,pid-0000,APPROVED,3.00,0.15
sub-00001,pid-0001,APPROVED,3.00,0.00
sub-00002,pid-0002,APPROVED,2.00,0.00
"""


def test_the_providers_list_settles_what_it_proves(study, organizer, as_user):
    first, second, _ = Payment.objects.all()
    pay_more(organizer, first, "0.15")
    make_batch(actor=organizer, study=study, reward=REWARD)
    pay_more(organizer, second, "0.25")

    def reconcile(**more: str) -> str:
        file = SimpleUploadedFile("list.csv", LIST)
        fields = {"submissions": file, "answer": "page", **more}
        return read_page(as_user(organizer).post(url(study, "payments/reconcile/"), fields))

    assert ">Bonus differs</h2>" in reconcile()
    assert read_states(study) == ["in batch 1", "owed", "in batch 1"]
    assert "1 unit marked as paid" in reconcile(settle="1")
    assert read_states(study) == ["paid", "owed", "in batch 1"]
    assert mark_payments_paid(actor=organizer, study=study, payments=[first.pk]) == 0
    assert Event.objects.get(code="payment.settled").data["units"] == 1


def test_what_is_due_can_be_paid_after_ids_are_erased(study, organizer, as_user):
    stop_study(actor=organizer, study=study)
    destroy_key(actor=None, campaign=study.campaign)
    client = as_user(organizer)
    assert "Pay 9.00 EUR" in read_page(client.get(url(study)))
    asked = read_page(client.get(url(study, "payments/batch/?reward=3.00")))
    assert "9.00 EUR for 3 units whose provider" in asked
    assert confirm(client, url(study, "payments/batch/?reward=3.00")).status_code == 302
    lists = read_lists(client, study, 1)
    assert lists.pop("by-hand").splitlines()[1] == f"worker-t0001,{1:032x},3.00"
    assert set(lists.values()) == {""}
    assert "to pay by hand" in read_page(client.get(url(study)))
    mark_batch_paid(actor=organizer, batch=study.batches.get())
    assert read_states(study) == ["paid"] * 3
    assert read_lists(client, study, 1)["by-hand"] == ""


def test_a_batch_is_void_only_before_anything_of_it_is_paid(study, organizer, as_user):
    client = as_user(organizer)
    make_batch(actor=organizer, study=study, reward=REWARD)
    assert "9.00 EUR for 3 units" in read_page(client.get(url(study, "payments/1/void/")))
    assert confirm(client, url(study, "payments/1/void/"), confirm=[]).status_code == 422
    assert confirm(client, url(study, "payments/1/void/")).status_code == 302
    assert read_states(study) == ["owed"] * 3
    assert set(read_lists(client, study, 1).values()) == {"VOID: pay nothing by this file\n"}
    assert "-batch-1-VOID-" in client.get(url(study, "payments/1/parts.csv"))["Content-Disposition"]
    assert "Void since" in read_page(client.get(url(study)))
    event = Event.objects.get(code="payment.batch_voided")
    assert (event.data["batch"], event.data["amount"]) == (1, "9.00")
    first = study.batches.get()
    assert refusal(void_batch, actor=organizer, batch=first) == "batch-void"
    assert refusal(mark_batch_paid, actor=organizer, batch=first) == "batch-paid"
    second = make_batch(actor=organizer, study=study, reward=REWARD)
    assert (second.number, read_states(study)) == (2, ["in batch 2"] * 3)
    mark_payments_paid(actor=organizer, study=study, payments=[Payment.objects.first().pk])
    assert refusal(void_batch, actor=organizer, batch=second) == "batch-paid"


def test_after_the_stop_the_next_step_is_to_pay(study, organizer, as_user):
    stop_study(actor=organizer, study=study)
    client, slug = as_user(organizer), study.campaign.slug
    assert "Pay 9.00 EUR" in read_page(client.get(url(study, "")))
    assert "Pay 9.00 EUR" in read_page(client.get(f"/c/{slug}/"))
    make_batch(actor=organizer, study=study, reward=REWARD)
    assert "Pay 9.00 EUR" not in read_page(client.get(f"/c/{slug}/"))
    assert "See batch 1" in read_page(client.get(url(study, "")))
    mark_batch_paid(actor=organizer, batch=study.batches.get())
    assert "Freeze qrels" in read_page(client.get(url(study, "")))


def test_a_program_pays_as_well(study, organizer):
    client, address = api(organizer), f"/api/studies/{study.pk}/batches/"
    assert client.post(address, {}, format="json").json()["missing"] == ["reward"]
    made = client.post(address, {"reward": "3.00", "confirm": ["reward"]}, format="json").json()
    assert (made[0]["number"], made[0]["total"], made[0]["unpaid"]) == (1, "9.00", "9.00")
    assert made[0]["files"]["approve"].count("\n") == 3
    paid = client.post(f"{address}1/paid/", {"confirm": ["paid"]}, format="json").json()
    assert (paid, client.get(address).json()) == ([{**made[0], "unpaid": "0.00"}], paid)


def test_what_the_worker_reads_on_leaving_is_what_is_owed(campaign):
    visitor = Client()
    study = make_study(campaign)
    pair, _ = make_practice(study, [2, 0], needed=0)
    unit = make_unit(study)
    path = unit_path(unit)
    assert "there is no pay" in read_page(visitor.get(path + "leave/"))
    unit = consent_to_study(unit=unit, version=1)
    hours_ago = timezone.now() - timedelta(hours=2)
    WorkUnit.objects.filter(pk=unit.pk).update(offered_at=hours_ago, consented_at=hours_ago)
    answer_practice(unit=unit, pair=pair, grade=2, client_uuid=uuid4())
    unit.refresh_from_db()
    study.refresh_from_db()
    assert preview_leaving_pay(unit, study) == Decimal("0.50")  # 300 s, at most .50
    page = read_page(visitor.get(path + "leave/"))
    assert "there is no pay" not in page
    assert "We pay 0.50 EUR for what you have done." in page
    leave_unit(unit=unit)
    assert Payment.objects.get().amount == Decimal("0.50")
    assert "0.50 EUR" in read_page(visitor.get(path + "end/"))


ends = st.sampled_from(["complete", "abandoned", "screened"])
acts = st.lists(
    st.one_of(
        st.tuples(st.just("end"), ends, st.integers(0, 300)),
        st.tuples(st.just("raise"), st.integers(1, 50), st.none()),
        st.tuples(st.just("bonus"), st.integers(0, 4), st.integers(1, 99)),
        st.tuples(st.just("dispute"), st.integers(0, 4), st.none()),
        st.tuples(st.just("batch"), st.integers(250, 400), st.none()),
        st.tuples(st.just("void"), st.integers(0, 2), st.none()),
        st.tuples(st.just("erase"), st.none(), st.none()),
    ),
    max_size=12,
)


@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts)
def test_the_files_of_all_batches_add_up_to_the_sheet(campaign, organizer, history):
    """Through the services, whatever ended how, and was raised, granted or disputed in between."""
    with transaction.atomic():
        study = make_study(campaign, screen_out_pay="0.60")
        for number, act in enumerate(history):
            play(study, organizer, number, *act)
        sheet = load_payment_sheet(study)
        files = [batch.files for batch in list_batches(study, sheet)]
        rewards = [batch.reward for batch in study.batches.all()]
        paid = sum(map(add_up, files, rewards), Decimal(0))
        assert paid + sum(row.due for row in sheet) == sum(row.total for row in sheet)
        transaction.set_rollback(True)


def play(study: Study, organizer, number: int, name: str, one, other) -> None:
    if name == "end":
        unit = make_complete_unit(study, make_worker(study, number % 3 * 100 + number), number)
        unit.state, unit.practice_seconds = one, float(other)
        unit.server_seconds = 200.0 + other
        unit.save()
        pair = GoldPair.objects.filter(campaign=study.campaign).first()
        practised = answer(study, unit, pair.docno, 2, 0, None, pair.topic, fast=False)
        practised.purpose, practised.slot = Purpose.TRAINING, None
        practised.save()
        write_payment(unit=unit)
    elif name == "raise":
        study.pay_per_unit = Decimal(study.pay_per_unit) + Decimal(one) / 100
        study.save()
    elif name == "batch":
        if any(row.due and not row.dispute for row in load_payment_sheet(study)):
            make_batch(actor=organizer, study=study, reward=Decimal(one) / 100)
    elif name == "erase":
        destroy_key(actor=None, campaign=study.campaign)
    elif name == "void" and (batch := study.batches.filter(voided_at=None)[one : one + 1].first()):
        void_batch(actor=organizer, batch=batch)
    elif payment := Payment.objects.filter(study=study).order_by("pk")[one : one + 1].first():
        if name == "bonus":
            pay_more(organizer, payment, str(Decimal(other) / 100))
        elif payment.disputes.filter(ended_at=None).exists():
            end_dispute(actor=organizer, payment=payment)
        else:
            open_dispute(actor=organizer, payment=payment, reason="why")


def add_up(files: dict[str, str], reward: Decimal) -> Decimal:
    """What is paid by who follows the files."""
    if "VOID" in files["approve"]:
        return Decimal(0)
    parts = [Decimal(cells[2]) for cells in csv.reader(files["parts"].splitlines())]
    bonuses = [Decimal(cells[1]) for cells in csv.reader(files["bonuses"].splitlines())]
    bonuses += [Decimal(cells[2]) for cells in csv.reader(files["by-hand"].splitlines())]
    return sum(parts + bonuses, reward * files["approve"].count("\n"))


def test_what_is_paid_cannot_be_disputed(study, organizer):
    payment, batch = (
        Payment.objects.first(),
        make_batch(actor=organizer, study=study, reward=REWARD),
    )
    mark_batch_paid(actor=organizer, batch=batch)
    assert refusal(open_dispute, actor=organizer, payment=payment, reason="x") == "payment-paid"
    pay_more(organizer, payment, "0.15")
    open_dispute(actor=organizer, payment=payment, reason="x")
    assert refusal(make_batch, actor=organizer, study=study, reward=REWARD) == "nothing-due"
