"""A pool is frozen after its page has said that submission is open."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign, Run
from tests.confirming import confirm, read_confirmation
from tests.pages import read_page
from tests.world.files import accepted_run


@pytest.fixture
def address(campaign) -> str:
    Campaign.objects.update(runs_deadline=timezone.now() + timedelta(days=9))
    return reverse("pool-freeze", args=["small"])


@pytest.fixture
def run(team) -> Run:
    return accepted_run(team, "alpha", "1 Q0 d1 1 1 alpha\n2 Q0 d3 1 1 alpha\n")


@pytest.fixture
def wanted(run) -> dict[str, object]:
    return {"run": [run.pk], "depth": 2, "seconds": 30, "after": 0}


def test_the_preview_leads_to_the_page_that_asks(as_user, organizer, campaign, address, wanted):
    client = as_user(organizer)
    preview = read_page(client.get(reverse("pools", args=["small"]), wanted))
    assert f'action="{address}"' in preview
    for shown in (client.get(address, wanted), client.post(address, wanted)):
        page = read_page(shown)
        assert "Freeze pool 1?" in page
        assert "2 documents of 1 run of 1 team" in page
        assert "Submission is open until" in page
        assert "Freeze although submission is open" in page
        # Of closing submission and freezing all the same, only one can be chosen.
        assert page.count('type="radio" name="confirm-submission-open"') == 2
    assert not campaign.pools.exists()


def test_pooling_while_submission_is_open_is_a_choice(
    as_user, organizer, campaign, address, wanted
):
    client = as_user(organizer)
    assert confirm(client, address, wanted, confirm=[]).status_code == 422
    assert not campaign.pools.exists()
    chosen = {"confirm": [], "confirm-submission-open": "submission-open"}
    done = confirm(client, address, wanted, **chosen)
    assert done.url == campaign.pools.get().get_absolute_url()
    campaign.refresh_from_db()
    assert campaign.takes_runs()
    kept = campaign.events.get(code="pool.frozen").data["confirmed"]
    assert kept["overridden"] == ["submission-open"]


def test_freezing_can_close_submission(as_user, organizer, participant, campaign, address, wanted):
    done = confirm(as_user(organizer), address, wanted, confirm=["close-submissions"])
    assert done.status_code == 302
    campaign.refresh_from_db()
    assert not campaign.takes_runs()
    assert campaign.events.get(code="pool.frozen").data["confirmed"]["overridden"] == []
    assert "Submission closed" in read_page(as_user(participant).get("/c/small/"))


def test_closed_submission_needs_no_decision(as_user, organizer, campaign, address, wanted):
    Campaign.objects.update(runs_deadline=timezone.now() - timedelta(days=1))
    form = read_confirmation(as_user(organizer).post(address, wanted))
    assert form["confirm"] == []
    assert as_user(organizer).post(address, form).status_code == 302


def test_a_run_accepted_since_shows_the_page_again(
    as_user, organizer, campaign, other_team, address, wanted
):
    client = as_user(organizer)
    form = read_confirmation(client.post(address, wanted))
    accepted_run(other_team, "late", "1 Q0 d9 1 1 late\n")
    answer = client.post(address, form)
    assert answer.status_code == 409
    assert "late: scored only on documents" in read_page(answer)
    assert not campaign.pools.exists()
    assert client.post(address, read_confirmation(answer)).status_code == 302


def test_the_api_freezes_with_consent(as_user, organizer, campaign, run, address):
    client, pools = as_user(organizer), reverse("api-pool-list")
    body = {"campaign": "small", "depth": 2, "runs": [run.pk]}
    refused = client.post(pools, body, content_type="application/json")
    assert (refused.status_code, refused.json()["missing"]) == (409, ["submission-open"])
    assert not campaign.pools.exists()
    body["confirm"] = ["close-submissions"]
    assert client.post(pools, body, content_type="application/json").status_code == 201
    campaign.refresh_from_db()
    assert not campaign.takes_runs()
