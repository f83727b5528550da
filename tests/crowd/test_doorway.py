"""The door of a study: who comes in, and with which unit."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from crowd.models import CrowdWorker, LinkKey, Study, WorkUnit
from crowd.queries.keys import unseal_external
from crowd.services.doorway import admit_arrival, get_unit_by_token, make_unit_token, read_link
from crowd.services.keys import make_fake_link, make_link, rotate_link_key
from poolbench.crowd.providers.base import Arrival
from poolbench.crowd.providers.signed_links import sign_link
from tests.refusals import refusal


@pytest.fixture
def study(door_study):
    return door_study


@pytest.fixture
def soon():
    return timezone.now() + timedelta(hours=1)


def test_a_link_admits_a_new_worker_under_a_pseudonym(study, organizer, soon):
    rotate_link_key(actor=organizer, study=study)
    path, query = make_link(study=study, worker="p 1".replace(" ", "-"), unit="s1",
                            expires=soon).split("?")  # fmt: skip
    assert path == f"/w/{study.campaign.slug}/{study.pk}/"
    arrival, trial = read_link(study=study, query=query)
    assert (arrival, trial) == (Arrival("p-1", "s1"), False)
    unit = admit_arrival(study=study, arrival=arrival)
    assert (unit.state, unit.plan, unit.trial) == (WorkUnit.State.OFFERED, study.plan, False)
    worker = unit.worker
    assert worker.pseudonym.startswith("worker-")
    assert not worker.user.is_active
    assert not worker.user.has_usable_password()
    assert "p-1" not in worker.external_hash + worker.external_id + unit.external_id
    assert unseal_external(study.campaign, worker.external_id) == "p-1"
    assert unseal_external(study.campaign, unit.external_id) == "s1"


@pytest.mark.parametrize("state", ["draft", "paused", "stopped"])
def test_a_study_that_does_not_run_admits_nobody(study, state):
    study.state = state
    study.save()
    assert refusal(admit_arrival, study=study, arrival=Arrival("p1", "s1")) == "not-running"


@pytest.mark.parametrize(
    ("state", "status"), [("draft", 409), ("running", 200), ("paused", 200), ("stopped", 409)]
)
def test_a_preview_is_shown_while_the_study_is_open(study, client, state, status):
    link_key = LinkKey.objects.create(
        study=study, kid="k1", secret="s" * 64, created_by=study.created_by
    )
    Study.objects.update(state=state)
    fields = {"mode": "preview", "kid": "k1", "exp": str(int(time.time()) + 60)}
    scope = f"/w/{study.campaign.slug}/{study.pk}/"
    fields["sig"] = sign_link(link_key.secret, scope, fields)
    response = client.get(scope, fields)
    assert response.status_code == status
    assert ("This study is not open" in response.content.decode()) == (status == 409)


def test_a_draft_is_previewed_on_the_fake_platform_alone(study, client, soon):
    link = make_fake_link(study=study, worker="", unit="", expires=soon, preview=True)
    Study.objects.update(state="draft")
    assert client.get(link).status_code == 200


def test_trials_are_of_the_fake_platform_and_of_drafts(study, soon):
    query = make_fake_link(study=study, worker="w", unit="u", expires=soon).partition("?")[2]
    study.state = Study.State.DRAFT
    study.save()
    arrival, trial = read_link(study=study, query=query)
    unit = admit_arrival(study=study, arrival=arrival, trial=trial)
    assert unit.trial
    assert unit.worker.provider == "fake"


@pytest.mark.parametrize(
    ("state", "code"), [("excluded", "worker-excluded"), ("screened", "worker-screened")]
)
def test_workers_who_are_out_get_no_new_unit_but_see_the_old_one(study, state, code):
    unit = admit_arrival(study=study, arrival=Arrival("p1", "s1"))
    CrowdWorker.objects.update(state=state)
    assert refusal(admit_arrival, study=study, arrival=Arrival("p1", "s2")) == code
    assert admit_arrival(study=study, arrival=Arrival("p1", "s1")) == unit


def end(unit, state="complete"):
    now = timezone.now()
    WorkUnit.objects.filter(pk=unit.pk).update(state=state, started_at=now, ended_at=now)


def test_a_worker_starts_at_most_as_many_units_as_allowed(study):
    study.units_per_worker = 2
    study.save()
    for name in ("s1", "s2"):
        end(admit_arrival(study=study, arrival=Arrival("p1", name)))
    assert refusal(admit_arrival, study=study, arrival=Arrival("p1", "s3")) == "worker-limit"
    assert admit_arrival(study=study, arrival=Arrival("p2", "s3"))


def test_a_full_study_admits_nobody_until_an_offer_lapses(study):
    study.max_units = 1
    study.save()
    unit = admit_arrival(study=study, arrival=Arrival("p1", "s1"))
    assert refusal(admit_arrival, study=study, arrival=Arrival("p2", "s2")) == "study-full"
    long_ago = timezone.now() - timedelta(minutes=study.unit_minutes + 1)
    WorkUnit.objects.filter(pk=unit.pk).update(offered_at=long_ago)
    assert admit_arrival(study=study, arrival=Arrival("p2", "s2"))


def test_a_second_unit_ends_an_unstarted_one_and_waits_for_a_started_one(study):
    first = admit_arrival(study=study, arrival=Arrival("p1", "s1"))
    second = admit_arrival(study=study, arrival=Arrival("p1", "s2"))
    first.refresh_from_db()
    assert (first.state, first.reason) == ("abandoned", "another task was opened")
    WorkUnit.objects.filter(pk=second.pk).update(state="started", started_at=timezone.now())
    assert refusal(admit_arrival, study=study, arrival=Arrival("p1", "s3")) == "unit-open"


def test_the_token_of_a_unit_is_signed_and_expires(study, monkeypatch):
    unit = admit_arrival(study=study, arrival=Arrival("p1", "s1"))
    token = make_unit_token(unit)
    assert get_unit_by_token(token) == unit
    assert "/" not in token
    for at in range(len(token)):
        other = token[:at] + ("0" if token[at] != "0" else "1") + token[at + 1 :]
        assert refusal(get_unit_by_token, other) == "bad-unit-link"
    monkeypatch.setattr("crowd.services.doorway.TOKEN_DAYS", -1)
    assert refusal(get_unit_by_token, token) == "expired-unit-link"
