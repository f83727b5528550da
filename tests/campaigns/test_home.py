"""Home and the overview of a campaign: what is wrong, what waits, how good it is, dates, who sees
what; at a constant cost.
"""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaigns.lifecycle import campaign as campaign_lifecycle
from campaigns.lifecycle import registry
from campaigns.lifecycle.home import build_home
from campaigns.lifecycle.registry import LifeCycle, PageVerdict
from campaigns.lifecycle.status import get_campaign_status, list_campaign_statuses
from campaigns.models import Campaign, Document, Member, Role, Run, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.snapshots import compute_report
from campaigns.views.overview import format_distance
from evaluation.services.release import release_scores
from poolbench.judging.scale import GradeSpec
from poolbench.verdicts import Verdict, VerdictState
from tests.examples import ALL
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
    few, some, many = (1, 10, 40) if ALL else (1, 3, 9)
    for more in (few, some, many):
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
    assert counts[few] == counts[some] == counts[many] <= 30, counts


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


def section(page: str, heading: str) -> str:
    """The text of the section below ``heading``."""
    part = re.search(f"<h2>{heading}</h2>(.*?)</section>", page, re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", part[1]).split()) if part else ""


def test_a_task_is_an_act_with_its_reason(campaign, organizer, alpha, as_user):
    page = read_page(as_user(organizer).get("/c/small/"))
    assert section(page, "Your tasks") == "Build pool 1 run is ready for pooling"
    assert '<a href="/c/small/pool/">Build pool</a>' in page


def test_verdicts_are_for_organizers(monkeypatch, campaign, organizer, viewer, as_user):
    sentence = "Whichever judgments you take, the order of the runs stays almost the same."
    rows = [PageVerdict("Agreement", "agreement", Verdict("a", VerdictState.AMBER, sentence))]
    added = LifeCycle(verdicts=(lambda _status: rows,))
    monkeypatch.setattr(registry, "LIFE_CYCLES", [*registry.LIFE_CYCLES, added])
    page = read_page(as_user(organizer).get("/c/small/"))
    assert f"Agreement With care: {sentence}" in section(page, "How good is it")
    assert 'class="state state-amber" href="/c/small/judging/agreement/"' in page
    assert sentence not in read_page(as_user(viewer).get("/c/small/"))


def test_dates_stand_in_order_and_the_next_one_is_marked(campaign, viewer, as_user):
    now = timezone.now()
    Campaign.objects.update(
        created_at=now - timedelta(days=60),
        runs_deadline=now - timedelta(days=3),
        judging_deadline=now + timedelta(days=2, hours=1),
    )
    page = read_page(as_user(viewer).get("/c/small/"))
    dates = section(page, "Dates")
    order = ["Campaign created", "Runs closed", "Judging closes, in 2 days"]
    assert [dates.index(label) for label in order] == sorted(dates.index(label) for label in order)
    assert page.count('<li class="next">') == 1
    assert "No deadlines" not in page
    Campaign.objects.update(runs_deadline=None, judging_deadline=None)
    assert "No deadlines" in read_page(as_user(viewer).get("/c/small/"))


@pytest.mark.parametrize(
    ("ahead", "text"),
    [
        (timedelta(days=-1), ""),
        (timedelta(minutes=20), "within the hour"),
        (timedelta(hours=1, minutes=59), "in 1 hour"),
        (timedelta(hours=23, minutes=59), "in 23 hours"),
        (timedelta(days=1), "in 1 day"),
        (timedelta(days=30), "in 30 days"),
        (timedelta(days=30, seconds=1), ""),
    ],
)
def test_the_distance_of_a_date(ahead, text):
    assert format_distance(ahead) == text


def test_who_sees_what_changes_with_a_release(
    campaign, organizer, participant, viewer, score_set, as_user
):
    before = section(read_page(as_user(participant).get("/c/small/")), "Who sees what")
    assert "Runs organizers; each team its own" in before
    assert "Qrels organizers" in before
    assert "after the release each team: own scores" in before
    release_scores(actor=organizer, score_set=score_set)
    page = read_page(as_user(participant).get("/c/small/"))
    assert "Scores organizers; each team: own scores" in section(page, "Who sees what")
    assert "Scores released" in section(page, "Dates")
    assert 'href="/c/small/setup/visibility/"' in read_page(as_user(organizer).get("/c/small/"))
    assert 'href="/c/small/results/' not in read_page(as_user(viewer).get("/c/small/"))


def test_an_empty_campaign_says_what_is_missing(campaign, organizer, viewer, as_user):
    campaign.topics.all().delete()
    Document.objects.all().delete()
    Campaign.objects.update(description="")
    page = read_page(as_user(organizer).get("/c/small/"))
    assert section(page, "Your tasks").startswith("Import topics No topics imported")
    assert "as soon as there are judgments and scores." in section(page, "How good is it")
    assert "Add description" in page
    assert "Add description" not in read_page(as_user(viewer).get("/c/small/"))


def test_after_the_deadline_only_organizers_have_the_page_of_submission(
    campaign, organizer, participant, as_user
):
    tab = 'href="/c/small/runs/upload/"'
    assert tab in read_page(as_user(participant).get("/c/small/runs/"))
    Campaign.objects.update(runs_deadline=timezone.now() - timedelta(days=1))
    assert tab not in read_page(as_user(participant).get("/c/small/runs/"))
    assert tab in read_page(as_user(organizer).get("/c/small/runs/"))


def test_the_overview_counts_the_campaign_once(monkeypatch, campaign, organizer, as_user):
    seen = []
    counts = campaign_lifecycle.CampaignFacts.counts
    monkeypatch.setattr(
        campaign_lifecycle.CampaignFacts, "counts", lambda viewer: seen.append(1) or counts(viewer)
    )
    client = as_user(organizer)
    with CaptureQueriesContext(connection) as queries:
        client.get("/c/small/")
    assert len(seen) == 1
    assert len(queries) <= 25
