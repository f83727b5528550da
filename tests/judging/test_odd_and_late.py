"""Odd words do not stop the rest; late work, under leases and plans that are gone, is kept."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.errors import Refused
from judging.models import Judgment, Slot, TrainingPair
from judging.services.plans import assign, close, make_plan
from judging.services.slots import reassign, return_slots
from judging.services.training import answer
from judging.services.work import claim, undo
from tests.judging.conftest import make_pool
from tests.judging.test_followups import repeat_plan  # noqa: F401

LONG_AGO = "2020-01-01T00:00Z"
ODD_ACTS = [
    {"comment": "half an emoji \ud83d"},
    {"docno": "d1\ud83d"},
    {"topic": "1\ud83d"},
    {"topic": "1\0"},
    {"duplicate_of": "\ud83d", "flags": ["duplicate"]},
    {"passages": [[0, 4, "cut \ud83d"]]},
    {"passages": [[0, 10**30, "far"]]},
    {"served_at": [1]},
    {"served_at": "0001-01-01T00:00:00+14:00"},
    {"served_at": "9999-12-31T23:59:59-14:00"},
    {"active_seconds": "nan"},
    {"grade": [1]},
    {"flags": [[1], {}]},
    {"uuid": [1]},
    {"act": {}},
]


@pytest.mark.parametrize("odd", ODD_ACTS, ids=lambda odd: json.dumps(odd)[:40])
def test_one_odd_act_does_not_stop_the_rest(odd, plan, as_user, assessor):
    client = as_user(assessor)
    client.raise_request_exception = False
    first = {"act": "judge", "uuid": str(uuid4()), "topic": "1", "docno": "d1", "grade": 2}
    second = first | {"uuid": str(uuid4()), "docno": "d2"}
    url = reverse("judge-acts", args=["small"])
    body = json.dumps({"acts": [first | odd, second]})
    told = client.post(url, body, content_type="application/json")
    assert told.status_code == 200
    assert told.json()["results"][1]["ok"]
    for row in Judgment.objects.all():
        json.dumps([row.active_seconds, str(row.served_at)], allow_nan=False)


@pytest.mark.parametrize(
    "odd",
    [
        {"topic": "\ud83d"},
        {"again": "\ud83d"},
        {"again": "d1\0"},
        {"again": "x", "token": []},
        {"have": [[]]},
        {"count": 10**30},
        {"count": -5},
        {"user": "\ud83d"},
    ],
)
def test_odd_asking(odd, plan, as_user, assessor):
    client = as_user(assessor)
    client.raise_request_exception = False
    url = reverse("judge-ahead", args=["small"])
    told = client.post(url, json.dumps({"topic": "1"} | odd), content_type="application/json")
    assert told.status_code < 500


@pytest.mark.parametrize("value", ["nan", "NaN"])
def test_api_nan(value, plan, as_user, assessor):
    client = as_user(assessor)
    client.raise_request_exception = False
    body = {
        "campaign": "small",
        "topic": "1",
        "docno": "d1",
        "grade": 1,
        "client_uuid": str(uuid4()),
        "active_seconds": value,
    }
    told = client.post(
        reverse("api-judgment-list"), json.dumps(body), content_type="application/json"
    )
    assert told.status_code == 400
    assert not Judgment.objects.exists()


def known(campaign, topic):
    return TrainingPair.objects.create(
        campaign=campaign, topic=topic, docno="d1", grade=1, position=0
    )


def test_training_gives_no_right_to_a_pair(plan, campaign, topic, assessor2, grade):
    pair = known(campaign, topic)
    answer(actor=assessor2, campaign=campaign, pair=pair, grade=1, client_uuid=uuid4())
    with pytest.raises(Refused):
        grade(assessor2, "d1", 3)


def test_repeat_judged_without_token(repeat_plan, campaign, assessor, topic, grade):  # noqa: F811
    seen = []
    for _ in range(20):
        slot = claim(actor=assessor, campaign=campaign, topic=topic)
        if slot is None:
            break
        seen.append(slot.item.docno)
        grade(assessor, slot.item.docno, 1)
    assert len(seen) == 12


def test_late_first_judgment_is_no_repeat(repeat_plan, campaign, assessor, topic, grade):  # noqa: F811
    """Shown in two tabs under two leases, judged in both: the second time is a change."""
    first = claim(actor=assessor, campaign=campaign, topic=topic)
    Slot.objects.filter(pk=first.pk).update(expires_at=LONG_AGO)
    again = claim(actor=assessor, campaign=campaign, topic=topic)
    assert again.token != first.token
    grade(assessor, "x00", 1, token=again.token)
    assert grade(assessor, "x00", 2, token=first.token).purpose == "judge"


def test_returned_repeat_stays(repeat_plan, campaign, organizer, assessor, topic, grade):  # noqa: F811
    for _ in range(4):
        slot = claim(actor=assessor, campaign=campaign, topic=topic)
        grade(assessor, slot.item.docno, 1, token=slot.token)
    again = claim(actor=assessor, campaign=campaign, topic=topic)
    assert again.purpose == "repeat"
    return_slots(actor=organizer, campaign=campaign, assessor=assessor)
    assert grade(assessor, again.item.docno, 1, token=again.token).purpose == "repeat"


def test_undo_with_the_number_of_a_judgment(plan, campaign, assessor, grade):
    made = grade(assessor, "d1", 1)
    with pytest.raises(Refused, match="number of another"):
        undo(actor=assessor, campaign=campaign, client_uuid=made.client_uuid)


def test_training_uuid_reused(plan, campaign, topic, assessor, grade):
    pair = known(campaign, topic)
    made = answer(actor=assessor, campaign=campaign, pair=pair, grade=1, client_uuid=uuid4())
    with pytest.raises(Refused, match="number of another"):
        grade(assessor, "d1", 3, client_uuid=made.client_uuid)


def test_own_lease_first_among_many(campaign, organizer, assessor, assessor2, topic):
    pool = make_pool(campaign, {"1": [f"x{n:03}" for n in range(320)]})
    make_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor, assessor2]})
    for slot in Slot.objects.order_by("position")[:250]:
        Slot.objects.filter(pk=slot.pk).update(
            state="leased", assessor=assessor2, leased_at=LONG_AGO, expires_at=LONG_AGO
        )
    one = claim(actor=assessor, campaign=campaign, topic=topic)
    two = claim(actor=assessor, campaign=campaign, topic=topic)
    assert one.pk == two.pk


def test_handed_on_while_on_screen(plan, campaign, organizer, assessor, assessor2, topic, grade):
    slot = claim(actor=assessor, campaign=campaign, topic=topic)
    reassign(actor=organizer, plan=plan, assessor=assessor, to=[assessor2])
    assert grade(assessor, slot.item.docno, 1, token=slot.token).grade == 1
    assert claim(actor=assessor, campaign=campaign, topic=topic) is None


def test_unsent_when_somebody_else_was_assigned(
    plan, campaign, organizer, assessor, assessor2, topic, grade
):
    slot = claim(actor=assessor, campaign=campaign, topic=topic)
    Slot.objects.filter(pk=slot.pk).update(expires_at=LONG_AGO)
    assign(actor=organizer, plan=plan, topic=topic, assessors=[assessor2])
    assert claim(actor=assessor2, campaign=campaign, topic=topic).pk == slot.pk
    kept = grade(assessor, slot.item.docno, 1, token=slot.token)
    assert kept.slot is None, "an extra judgment: the slot is somebody else's now"
    assign(actor=organizer, plan=plan, topic=topic, assessors=[assessor])
    assert claim(actor=assessor, campaign=campaign, topic=topic).item.docno != slot.item.docno


def test_closed_while_offline(plan, campaign, organizer, assessor, topic, grade):
    slot = claim(actor=assessor, campaign=campaign, topic=topic)
    Slot.objects.filter(pk=slot.pk).update(expires_at=LONG_AGO)
    close(actor=organizer, plan=plan)
    assert grade(assessor, slot.item.docno, 1, token=slot.token).grade == 1


def test_api_tells_purpose(plan, campaign, topic, assessor, organizer, as_user, grade):
    pair = known(campaign, topic)
    answer(actor=assessor, campaign=campaign, pair=pair, grade=1, client_uuid=uuid4())
    grade(assessor, "d1", 2)
    rows = as_user(organizer).get(reverse("api-judgment-list")).json()["results"]
    assert {row["purpose"] for row in rows} == {"judge", "training"}
