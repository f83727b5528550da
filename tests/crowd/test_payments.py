"""The payment sheet: rows, bonuses, files, and the provider's list beside it."""

import json
from dataclasses import replace
from decimal import Decimal
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from campaigns.models import Event
from crowd.models import Bonus, CrowdKey, Payment, Study, WorkUnit
from crowd.services.keys import destroy_key
from crowd.services.payment_batches import make_batch
from crowd.services.payments import grant_bonus, write_payment
from poolbench.crowd.payment_sheet import (
    SheetRow,
    format_approve_list,
    format_bonus_list,
    format_part_list,
)
from tests.crowd.crowd_work import make_complete_unit, make_paid_study, make_payment, make_worker
from tests.crowd.worker_study import make_study, make_unit
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(campaign) -> Study:
    return make_paid_study(campaign)


def url(study: Study, rest: str = "payments/") -> str:
    return f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/{rest}"


def end(unit: WorkUnit, state: str, **more: object) -> WorkUnit:
    fields = {"state": state, "ended_at": timezone.now(), **more}
    WorkUnit.objects.filter(pk=unit.pk).update(**fields)
    unit.refresh_from_db()
    return unit


def read_lists(client, study: Study, batch: int) -> dict[str, str]:
    names = ("approve", "parts", "bonuses", "by-hand")
    pages = {name: client.get(url(study, f"payments/{batch}/{name}.csv")) for name in names}
    return {name: page.content.decode() for name, page in pages.items()}


def test_a_payment_is_written_once(campaign):
    study = make_study(campaign)
    unit = make_complete_unit(study, make_worker(study, 1), 1)
    first = write_payment(unit=unit)
    again = write_payment(unit=unit)
    assert first == again
    assert (first.amount, first.reason, first.seconds) == (
        Decimal("3.00"), "complete: pay for a unit", 360.0,
    )  # fmt: skip
    Study.objects.update(pay_per_unit=9)
    assert write_payment(unit=unit).amount == Decimal("3.00")
    assert Payment.objects.count() == 1


@pytest.mark.parametrize(
    ("state", "trial"),
    [("refused", False), ("abandoned", False), ("complete", True), ("screened", False)],
)
def test_units_without_work_and_practice_are_not_paid(campaign, state, trial):
    assert write_payment(unit=end(make_unit(make_study(campaign)), state, trial=trial)) is None


def test_a_unit_that_runs_is_not_paid(campaign):
    with pytest.raises(ValueError, match="is not over"):
        write_payment(unit=make_unit(make_study(campaign)))


def test_the_sheet_lists_every_payment_with_totals(study, as_user, organizer):
    page = read_page(as_user(organizer).get(url(study)))
    assert page.count("<code>pid-") == page.count("<code>sub-") == 3
    assert "9.00 <small>EUR</small>" in page
    # 9.00 for 900 seconds
    assert "36.00 <small>minimum 12.00</small>" in page
    assert "The key of worker IDs is destroyed after" in page


def test_an_empty_sheet_says_what_comes(campaign, as_user, organizer):
    assert "No payments yet" in read_page(as_user(organizer).get(url(make_study(campaign))))


def test_after_the_key_is_destroyed_pseudonyms_and_amounts_remain(study, as_user, organizer):
    destroy_key(actor=organizer, campaign=study.campaign)
    page = read_page(as_user(organizer).get(url(study)))
    assert "The key of worker IDs was destroyed" in page
    assert "pid-0001" not in page
    assert "worker-t0001" in page
    assert "3.00 EUR" in page
    file = SimpleUploadedFile("list.csv", b"id,worker,status\nsub-00001,pid-0001,approved\n")
    answer = as_user(organizer).post(
        url(study, "payments/reconcile/"), {"submissions": file, "answer": "page"}
    )
    assert answer.status_code == 422
    assert "The key is destroyed" in read_page(answer)


def test_a_bonus_is_granted_once_for_a_form(study, as_user, organizer):
    client = as_user(organizer)
    payment = Payment.objects.first()
    page = read_page(client.get(url(study) + f"?bonus={payment.pk}"))
    assert "Bonus for worker-t0000" in page
    data = {"amount": "0.25", "reason": "careful notes", "client_uuid": str(uuid4())}
    for _ in range(2):
        response = client.post(url(study, f"payments/{payment.pk}/bonus/"), data)
        assert response.status_code == 302
    bonus = Bonus.objects.get()
    assert (bonus.amount, bonus.granted_by) == (Decimal("0.25"), organizer)
    event = Event.objects.get(code="payment.bonus_granted")
    assert event.data == {"amount": "0.25", "currency": "EUR", "reason": "careful notes"}
    page = read_page(client.get(url(study)))
    assert "9.25 <small>EUR</small>" in page
    assert "complete: pay for a unit; careful notes" in page


@pytest.mark.parametrize("amount", ["0", "-1", "1000.01", "0.001"])
def test_bonuses_have_bounds(study, organizer, amount):
    given = {"payment": Payment.objects.first(), "reason": "why", "client_uuid": uuid4()}
    assert refusal(grant_bonus, actor=organizer, amount=Decimal(amount), **given) == "bad-amount"


def test_a_bonus_needs_a_reason_and_its_own_id(study, organizer):
    first, second, _ = Payment.objects.all()
    given = {"actor": organizer, "amount": Decimal(1), "client_uuid": uuid4()}
    assert refusal(grant_bonus, payment=first, reason=" ", **given) == "no-reason"
    grant_bonus(payment=first, reason="a", **given)
    assert refusal(grant_bonus, payment=second, reason="a", **given) == "uuid-used"


def test_a_form_with_faults_is_shown_again(study, as_user, organizer):
    payment = Payment.objects.first()
    response = as_user(organizer).post(url(study, f"payments/{payment.pk}/bonus/"), {"amount": "x"})
    assert response.status_code == 422
    assert "Bonus for worker-t0000" in read_page(response)


def test_the_sheet_as_files(study, as_user, organizer):
    client = as_user(organizer)
    grant_bonus(
        actor=organizer, payment=Payment.objects.first(), amount=Decimal("0.25"),
        reason="=1+1", client_uuid=uuid4(),
    )  # fmt: skip
    rows = csv_rows(client.get(url(study, "payments.csv")).content.decode())
    assert [row["worker"] for row in rows] == ["pid-0000", "pid-0001", "pid-0002"]
    assert (rows[0]["amount"], rows[0]["bonus"], rows[0]["gold_right"]) == ("3.00", "0.25", "1")
    data = json.loads(client.get(url(study, "payments.json")).content)
    assert data["totals"] == [
        {"currency": "EUR", "units": 3, "workers": 3, "amount": "9.00", "bonus": "0.25",
         "total": "9.25", "due": "9.25", "sent": "0.00", "paid": "0.00", "disputed": "0.00"}
    ]  # fmt: skip
    assert b"worker-t0002" in client.get(url(study, "payments.md")).content
    assert (rows[0]["payment"], data["payments"][0]["payment"]) == ("owed", "owed")


def test_texts_that_a_spreadsheet_would_run_are_quoted(campaign, as_user, organizer):
    study = make_study(campaign)
    worker = make_worker(study, 1, "=cmd()")
    make_payment(make_complete_unit(study, worker, 1))
    rows = csv_rows(as_user(organizer).get(url(study, "payments.csv")).content.decode())
    assert rows[0]["worker"] == "'=cmd()"


def test_units_owed_a_part_are_not_approved(study, as_user, organizer):
    unit = WorkUnit.objects.order_by("pk").first()
    end(unit, "abandoned")
    Payment.objects.filter(unit=unit).update(amount=Decimal("0.75"))
    client = as_user(organizer)
    make_batch(actor=organizer, study=study, reward=Decimal(3))
    assert read_lists(client, study, 1) == {
        "approve": "sub-00001\nsub-00002\n", "parts": "sub-00000,pid-0000,0.75\n", "bonuses": "",
        "by-hand": "",
    }  # fmt: skip
    assert client.get(url(study, "payments/1/all.csv")).status_code == 404
    assert client.get(url(study, "payments/2/parts.csv")).status_code == 404


def test_an_id_with_a_comma_or_a_quote_stays_one_cell():
    row = SheetRow(
        1, "worker-t1", 'p,9.99"', 'u",2', "complete", 1, 1.0, 0, 0,
        Decimal(3), Decimal("0.5"), "EUR", "",
    )  # fmt: skip
    assert format_bonus_list([row], Decimal(3)) == '"p,9.99""",0.50\n'
    assert format_approve_list([row], Decimal(3)) == '"u"",2"\n'
    part = replace(row, is_whole=False)
    assert format_part_list([part], Decimal(3)) == '"u"",2","p,9.99""",3.00\n'


LIST = b"""Submission id,Participant id,Status,Completion code,Reward
sub-00000,pid-0000,APPROVED,00000000000000000000000000000000,3.00
sub-00000,pid-0000,APPROVED,,3.00
sub-00001,pid-0001,APPROVED,,2.00
sub-99999,pid-0001,APPROVED,,3.00
sub-88888,pid-9999,APPROVED,,3.00
"""


def reconcile(client, study, data=LIST, answer="page"):
    file = SimpleUploadedFile("list.csv", data)
    return client.post(url(study, "payments/reconcile/"), {"submissions": file, "answer": answer})


def test_the_providers_list_is_compared(study, as_user, organizer):
    client = as_user(organizer)
    assert "List of submissions" in read_page(client.get(url(study, "payments/reconcile/")))
    page = read_page(reconcile(client, study))
    for title in ("Paid twice", "Unknown worker", "Paid without work", "Amount differs",
                  "Work without pay"):  # fmt: skip
        assert f">{title}</h2>" in page
    assert "pid-9999" in page
    data = json.loads(reconcile(client, study, answer="json").content)
    assert {kind: count for kind, count in data["counts"].items() if count} == {
        "paid-twice": 1, "unknown-worker": 1, "paid-without-work": 1, "amount-differs": 1,
        "work-without-pay": 1, "matched": 1,
    }  # fmt: skip
    rows = csv_rows(reconcile(client, study, answer="csv").content.decode())
    assert [row["class"] for row in rows] == [
        "matched", "paid-twice", "amount-differs", "paid-without-work", "unknown-worker",
        "work-without-pay",
    ]  # fmt: skip
    assert b"Ask the provider" in reconcile(client, study, answer="md").content


def test_nothing_of_the_list_is_stored(study, as_user, organizer):
    before = Event.objects.count(), CrowdKey.objects.count()
    reconcile(as_user(organizer), study)
    assert (Event.objects.count(), CrowdKey.objects.count()) == before


def test_a_list_with_faults_is_rejected_with_all_of_them(study, as_user, organizer):
    data = b"id,worker,status,amount\na,,approved,1\nb,p,lost,1\nc,p,approved,many\nd,p\n"
    response = reconcile(as_user(organizer), study, data)
    assert response.status_code == 422
    page = read_page(response)
    assert [code in page for code in ("ER04", "ER05", "ER06", "ER07")] == [True] * 4
