"""Home: what is wrong, what waits, the campaigns, this week; at a constant cost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.lifecycle.home import build_home
from campaigns.lifecycle.status import get_campaign_status, list_campaign_statuses
from campaigns.models import Campaign, Member, Role, Run, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.snapshots import compute_report
from poolbench.judging.scale import GradeSpec
from tests.pages import read_page

HOME = reverse("home")
SCALE = (GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0))


def make_campaigns(organizer: User, count: int) -> list[Campaign]:
    organizer.can_create_campaigns = True
    organizer.save()
    campaigns = []
    for at in range(count):
        campaign = create_campaign(actor=organizer, title=f"More {at}", scale=SCALE)
        Topic.objects.create(campaign=campaign, number="1", title="one")
        campaigns.append(campaign)
    return campaigns


def test_strangers_see_the_front_page(client, db):
    page = read_page(client.get(HOME))
    assert [word in page for word in ("From runs to pools", "Sign in", "shared task")] == [True] * 3


def test_one_campaign_is_home(campaign, as_user, organizer, assessor):
    for user in (organizer, assessor):
        answer = as_user(user).get(HOME)
        assert answer.status_code == 302
        assert answer.url == campaign.get_absolute_url()
        assert campaign.title in read_page(as_user(user).get(HOME, {"all": ""}))


def test_a_new_organizer_and_a_stranger(as_user, stranger):
    page = read_page(as_user(stranger).get(HOME))
    assert "No campaigns yet" in page
    assert "Ask an organizer for an invitation link" in page
    stranger.can_create_campaigns = True
    stranger.save()
    page = read_page(as_user(User.objects.get(pk=stranger.pk)).get(HOME))
    assert "New campaign" in page
    assert "Something is wrong" not in page


@pytest.mark.parametrize("role", ["organizer", "assessor", "participant"])
def test_the_cost_does_not_grow_with_the_campaigns(world, as_user, role):
    user = world.people["owner" if role == "participant" else role]
    counts = {}
    organizer = world.people["organizer"]
    present = 0
    for more in (1, 10, 40):
        for campaign in make_campaigns(organizer, more - present):
            if role == "assessor":
                Member.objects.create(campaign=campaign, user=user, role=Role.ASSESSOR)
            if role == "participant":
                team = campaign.teams.create(name="T")
                Member.objects.create(
                    campaign=campaign, user=user, role=Role.PARTICIPANT, team=team
                )
            compute_report(campaign, "today")
        present = more
        client = as_user(user)
        client.get(HOME)
        with CaptureQueriesContext(connection) as queries:
            assert "More 0" in read_page(client.get(HOME, {"all": ""}))
        counts[more] = len(queries)
    assert counts[1] == counts[10] == counts[40], counts
    assert counts[40] <= 30


@pytest.mark.parametrize("role", ["organizer", "owner", "viewer"])
def test_many_statuses_are_those_of_each(world, role):
    """All columns and counts, but for what waits for an assessor."""
    user = world.people[role]
    make_campaigns(world.people["organizer"], 2)
    campaigns = list(Campaign.objects.visible_to(user))
    for status in list_campaign_statuses(campaigns, user):
        assert status == get_campaign_status(status.campaign, user)


def test_alarms_stand_first_and_name_their_campaign(
    campaign, as_user, organizer, assessor, restore
):
    restore("pool")
    restore("plan")
    from tests.judging.test_today import move_back

    make_campaigns(organizer, 1)
    move_back(10)
    compute_report(campaign, "today")
    page = read_page(as_user(organizer).get(HOME))
    wrong = page.split('id="wrong"')[1].split("</section>")[0]
    assert "Judging stands still" in wrong
    assert campaign.title in wrong
    assert page.index("Something is wrong") < page.index("Waits for you")
    # Assessors see no alarms.
    Member.objects.create(
        campaign=Campaign.objects.get(title="More 0"), user=assessor, role=Role.ASSESSOR
    )
    page = read_page(as_user(assessor).get(HOME))
    assert "stands still" not in page


def test_an_assessor_sees_the_next_document_first(campaign, as_user, organizer, assessor, restore):
    restore("pool")
    restore("plan")
    (other,) = make_campaigns(organizer, 1)
    Member.objects.create(campaign=other, user=assessor, role=Role.ASSESSOR)
    Campaign.objects.filter(pk=campaign.pk).update(
        judging_deadline=timezone.now() + timedelta(days=3)
    )
    home = build_home(assessor)
    assert home.tasks[0].label == "Judge topic 1 next · 9 documents wait"
    assert home.tasks[0].url == reverse("judge", args=[campaign.slug, "1"])
    assert [date.label for date in home.dates] == ["Judging closes"]
    page = read_page(as_user(assessor).get(HOME))
    assert "Judge topic 1 next" in page
    assert "Something is wrong" not in page


def test_a_team_sees_its_runs_and_dates(campaign, alpha, team, participant, organizer, as_user):
    (other,) = make_campaigns(organizer, 1)
    Member.objects.create(
        campaign=other, user=participant, role=Role.PARTICIPANT, team=other.teams.create(name="T")
    )
    Campaign.objects.filter(pk=campaign.pk).update(
        runs_deadline=timezone.now() + timedelta(days=20)
    )
    home = build_home(participant)
    own = dict(home.runs)[campaign]
    assert (own["accepted"], own["rejected"]) == (Run.objects.filter(team=team).count(), 0)
    # Without a date this week, the next one.
    assert [date.label for date in home.dates] == ["Runs close"]
    page = read_page(as_user(participant).get(HOME))
    assert "Your runs" in page
    assert "accepted 1" in page
