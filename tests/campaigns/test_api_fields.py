"""The API tells nobody more than the pages do, and answers in JSON whatever happens."""

import json

import pytest
from django.test import Client

from campaigns.models import Campaign
from tests.confirming import api
from tests.world.site import ROLES

MEMBERS = [role for role in ROLES if role not in ("anonymous", "stranger")]


def test_guidelines_are_for_those_who_judge_and_organize(world):
    world.campaign.guidelines = "How to judge."
    world.campaign.save()
    told = {}
    for role in MEMBERS[:-1]:
        client = Client()
        client.force_login(world.people[role])
        one = client.get("/api/campaigns/small/").json()
        (listed,) = client.get("/api/campaigns/").json()["results"]
        assert one.get("guidelines") == listed.get("guidelines")
        told[role] = one.get("guidelines", "-")
    silent = dict.fromkeys(("viewer", "owner", "rival"), "-")
    assert told == silent | dict.fromkeys(("assessor", "organizer"), "How to judge.")


def test_a_grade_without_a_gain_is_its_own_gain(organizer):
    client = api(organizer)
    grades = [{"value": v, "label": f"grade {v}", "key": str(abs(v) + 1)} for v in (-2, 0, 1, 3)]
    body = {"title": "New", "slug": "new", "grades": grades, "relevance_level": 1}
    unasked = {name: value for name, value in body.items() if name != "relevance_level"}
    refused = client.post("/api/campaigns/", unasked, format="json")
    assert refused.json()["relevance_level"] == ["This field is required."]
    answer = client.post("/api/campaigns/", body, format="json")
    assert answer.status_code == 201, answer.content
    assert [grade["gain"] for grade in answer.json()["grades"]] == [0, 0, 1, 3]
    change = {"grades": [*grades[:3], grades[3] | {"gain": 7.5}]}
    answer = client.patch("/api/campaigns/new/", change, format="json")
    assert [grade["gain"] for grade in answer.json()["grades"]] == [0, 0, 1, 7.5]


def test_errors_of_the_api_are_json_always(world, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    client = Client(raise_request_exception=False)
    client.force_login(world.people["organizer"])
    large = json.dumps({"title": "x" * 20_000})
    deep = '{"title": ' + "[" * 200 + "]" * 200 + "}"
    answers = {
        "no such address": client.get("/api/nothing/"),
        "no such object": client.get("/api/runs/999999/"),
        "NUL": client.get("/api/runs/?campaign=%00"),
        "wrong method": client.delete("/api/campaigns/"),
        "wrong type": client.post("/api/campaigns/", "x", content_type="text/plain"),
        "not JSON": client.post("/api/campaigns/", "{", content_type="application/json"),
        "deep": client.post("/api/campaigns/", deep, content_type="application/json"),
        "large": client.post("/api/campaigns/", large, content_type="application/json"),
        "not signed in": Client().get("/api/campaigns/"),
    }
    for what, answer in answers.items():
        assert 400 <= answer.status_code < 500, what
        assert answer["Content-Type"] == "application/json", what
        assert answer.json(), what
    assert {what: answer.status_code for what, answer in answers.items()} == {
        "no such address": 404, "no such object": 404, "NUL": 400, "wrong method": 405,
        "wrong type": 415, "not JSON": 400, "deep": 400, "large": 413, "not signed in": 401,
    }  # fmt: skip


def test_pages_answer_the_same_in_html(world):
    client = Client(raise_request_exception=False)
    for path, status in (("/nothing/", 404), ("/?x=%00", 400)):
        answer = client.get(path)
        assert (answer.status_code, answer["Content-Type"][:9]) == (status, "text/html")


@pytest.mark.parametrize("name", ["description", "guidelines"])
def test_markdown_is_bounded_on_the_page_and_in_the_api(organizer, campaign, name):
    client, url = api(organizer), "/api/campaigns/small/"
    answer = client.patch(url, {name: "a" * 50_001}, format="json")
    assert (answer.status_code, list(answer.json())) == (400, [name])
    assert client.patch(url, {name: "a" * 50_000}, format="json").status_code == 200
    assert len(getattr(Campaign.objects.get(), name)) == 50_000
