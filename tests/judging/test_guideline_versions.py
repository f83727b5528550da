"""A judgment holds the guideline version that its assessor was shown."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.models import Campaign
from campaigns.services.campaigns import update_campaign
from judging.api.judgments import JudgmentViewSet
from judging.models import Judgment, Purpose, TrainingPair
from judging.services.judgments import release_leases, undo_judgment
from tests.judging.test_screen import form_of
from tests.pages import read_page
from tests.refusals import refusal


@pytest.fixture
def change(campaign, organizer):
    """Save new guidelines; ``campaign`` knows their version."""

    def save(text: str) -> int:
        fresh = Campaign.objects.get(pk=campaign.pk)
        update_campaign(actor=organizer, campaign=fresh, guidelines=text)
        campaign.refresh_from_db()
        return campaign.guideline_version

    save("Rule A")
    return save


def versions() -> list[tuple[str, int]]:
    return list(Judgment.objects.order_by("pk").values_list("docno", "guideline_version"))


def test_the_version_is_that_of_the_lease_without_a_statement(
    plan, change, campaign, assessor, grade, next_of
):
    slot = next_of(assessor)
    change("Rule B")
    grade(assessor, "d1", 1, token=slot.token)
    undo_judgment(actor=assessor, campaign=campaign)
    again = next_of(assessor)
    grade(assessor, "d1", 2, token=again.token)
    grade(assessor, "d2", 1)
    assert versions() == [("d1", 1), ("d1", 1), ("d1", 2), ("d2", 2)]


def test_a_document_that_is_served_again_has_the_newer_version(
    plan, change, campaign, assessor, grade, next_of
):
    next_of(assessor)
    change("Rule B")
    slot = next_of(assessor)
    grade(assessor, "d1", 1, token=slot.token)
    slot = next_of(assessor)
    release_leases(actor=assessor, campaign=campaign, tokens=[slot.token])
    change("Rule C")
    slot = next_of(assessor)
    grade(assessor, "d2", 1, token=slot.token)
    assert versions() == [("d1", 2), ("d2", 3)]


def test_the_page_states_its_version_also_hours_later(plan, change, as_user, assessor):
    """By the plain form, and by the script's queue."""
    client, url = as_user(assessor), reverse("judge", args=["small", "1"])
    page = read_page(client.get(url))
    assert 'data-version="1"' in page
    form = form_of(page, grade=0, guideline_version=1)
    change("Rule B")
    client.post(url, form)
    page = read_page(client.get(url))
    assert "changed since you last judged" in page
    assert "Guidelines changed" in page.split('id="guidelines-news"')[1][:80]
    assert 'name="guideline_version" value="2"' in page
    act = {"act": "judge", "topic": "1", "docno": "d2", "grade": 1, "guideline_version": 1}
    skip = {"act": "skip", "topic": "1", "docno": "d3", "reason": "broken", "guideline_version": 2}
    acts = [row | {"uuid": str(uuid4())} for row in (act, skip)]
    answer = client.post(
        reverse("judge-sync", args=["small"]), json.dumps({"acts": acts}), "application/json"
    ).json()
    assert answer["guidelines"] == 2
    assert versions() == [("d1", 1), ("d2", 1), ("d3", 2)]
    assert "changed since you last judged" not in read_page(client.get(url))


def test_every_answer_to_the_script_names_the_current_version(plan, change, as_user, assessor):
    client = as_user(assessor)
    change("Rule B")
    bodies = {"judge-sync": {}, "judge-ahead": {"topic": "1"}, "judge-renew": {}}
    for name, body in bodies.items():
        address = reverse(name, args=["small"])
        answer = client.post(address, json.dumps(body), "application/json").json()
        assert answer["guidelines"] == 2


@pytest.mark.parametrize("stated", [3, -1])
def test_a_version_that_does_not_exist_is_refused(plan, change, grade, assessor, stated):
    change("Rule B")
    assert refusal(grade, assessor, "d1", 1, guideline_version=stated) == "no-guidelines"
    assert versions() == []


def test_the_api_serves_and_takes_the_version(plan, change, assessor, call):
    place = {"campaign": "small", "topic": "1"}
    served = call(JudgmentViewSet, assessor, "next", "post", place)[1]
    assert served["guideline_version"] == 1
    change("Rule B")
    said = place | {"docno": "d1", "grade": 1, "token": served["token"]}
    made = call(JudgmentViewSet, assessor, "create", "post", said | {"client_uuid": str(uuid4())})
    assert (made[0], made[1]["guideline_version"]) == (200, 1)
    said |= {"client_uuid": str(uuid4()), "guideline_version": 2}
    assert call(JudgmentViewSet, assessor, "create", "post", said)[1]["guideline_version"] == 2
    said |= {"client_uuid": str(uuid4()), "guideline_version": 3}
    assert call(JudgmentViewSet, assessor, "create", "post", said)[0] == 409


def test_training_holds_the_version_of_its_page(plan, change, as_user, assessor, campaign, topic):
    pair = TrainingPair.objects.create(
        campaign=campaign, topic=topic, docno="d1", grade=1, position=0
    )
    client, url = as_user(assessor), reverse("judge-training", args=["small"])
    page = read_page(client.get(url))
    assert 'name="guideline_version" value="1"' in page
    change("Rule B")
    client.post(url, form_of(page, grade=1, pair=pair.pk, guideline_version=1))
    assert Judgment.objects.get(purpose=Purpose.TRAINING).guideline_version == 1
