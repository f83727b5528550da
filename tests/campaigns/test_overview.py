"""The overview: what comes next, how good it is, dates, and who sees what."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns.lifecycle import campaign as campaign_lifecycle
from campaigns.lifecycle import registry
from campaigns.lifecycle.registry import LifeCycle, PageVerdict
from campaigns.models import Campaign, Document
from campaigns.views.overview import format_distance
from evaluation.services.release import release_scores
from poolbench.verdicts import Verdict, VerdictState
from tests.pages import read_page


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
