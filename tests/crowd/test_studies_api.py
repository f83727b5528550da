"""Crowd studies by the API."""

import pytest

from crowd.models import Study
from crowd.services.studies import create_study
from tests.crowd.studies import OPTIONS, make_ready


@pytest.fixture
def study(restore, campaign, organizer):
    made = create_study(
        actor=organizer, pool=restore("pool"), options=OPTIONS, redundancy=2, consent="For {pay}."
    )
    Study.objects.filter(pk=made.pk).update(provider_settings={"secret": "s3cret"})
    return make_ready(made, organizer, provider_settings={"webhook_secret": "s3cret"})


@pytest.fixture
def api(as_user, organizer, study):
    client = as_user(organizer)
    url = f"/api/studies/{study.pk}/"
    return lambda path="", data=None: (
        client.get(url + path)
        if data is None
        else client.post(url + path, data, content_type="application/json")
    )


def test_a_study_is_read_without_secrets(api, study):
    answer = api()
    values = answer.json()
    assert (values["title"], values["state"], values["redundancy"]) == ("Mountains", "draft", 2)
    assert values["pay_per_unit"] == "1.50"
    assert "s3cret" not in answer.content.decode()


def test_progress_and_checks(api):
    assert api("progress/").json() == {
        "state": "draft", "units": {}, "workers": 0, "judged": 0, "needed": 18, "owed": "0.00",
        "currency": "EUR",
    }  # fmt: skip
    checks = {check["code"]: check["state"] for check in api("checks/").json()}
    assert (checks["gold"], checks["pay"], checks["not-tried"]) == ("done", "done", "open")


def test_start_pause_resume_stop(api, study):
    answer = api("start/", {})
    assert (answer.status_code, answer.json()["missing"]) == (409, ["not-tried", "people-work"])
    answer = api("start/", {"confirm": ["not-tried", "people-work"]})
    assert (answer.status_code, answer.json()["state"]) == (200, "running")
    assert api("pause/", {}).json()["state"] == "paused"
    assert api("resume/", {}).json()["state"] == "running"
    assert api("stop/", {"confirm": []}).json()["state"] == "stopped"
    answer = api("pause/", {})
    assert (answer.status_code, answer.json()["code"]) == (409, "study-not-running")


def test_strangers_and_assessors_see_none(as_user, study, assessor, stranger):
    for who in (assessor, stranger):
        client = as_user(who)
        assert client.get("/api/studies/").json()["count"] == 0
        assert client.get(f"/api/studies/{study.pk}/").status_code == 404
