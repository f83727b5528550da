"""The public page: nothing before its publication, scores only after theirs, and as they were."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from campaigns.models import Campaign
from campaigns.services.campaigns import change_visibility
from campaigns.services.public_page import edit_public_page, publish_page, withdraw_page
from evaluation.services.release import publish_scores
from tests.confirming import confirm
from tests.pages import read_page
from tests.refusals import refusal

ADDRESS = "/p/small/"
SECRETS = ("small-a", "small-b", "team1-run1")


def publish(world, **texts: str) -> None:
    actor, campaign = world.people["organizer"], world.campaign
    edit_public_page(actor=actor, campaign=campaign, **texts)
    publish_page(actor=actor, campaign=campaign)


def test_the_page_is_public_once_that_is_confirmed_and_can_be_taken_down(world, client_for):
    visitor, client = client_for("anonymous"), client_for("organizer")
    assert (visitor.get(ADDRESS).status_code, visitor.get("/p/none/").status_code) == (404, 404)
    assert "Not public." in read_page(client.get(ADDRESS))
    texts = {"summary": "A <b>task</b>", "call": "# Rank\n\n<script>x</script>", "dates": "soon"}
    assert client.post("/c/small/setup/public/", texts).status_code == 422
    texts["dates"] = "2027-01-20 Runs close\n2027-03-01 12:00 Scores"
    assert client.post("/c/small/setup/public/", texts).status_code == 302
    assert confirm(client, "/c/small/setup/public/publish/", confirm=[]).status_code == 422
    assert visitor.get(ADDRESS).status_code == 404
    assert confirm(client, "/c/small/setup/public/publish/").status_code == 302
    answer = visitor.get(ADDRESS)
    page = read_page(answer)
    head = answer.content.decode()
    assert 'property="og:description" content="A &lt;b&gt;task&lt;/b&gt;"' in head
    assert "<h3>Rank</h3>" in head
    assert "<script>x" not in page
    assert "20 Jan" in page
    assert "21 Jan 2027, 11:59 UTC" in page
    assert "1 Mar 2027, 00:00 AoE" in page
    assert "1 Mar 2027, 12:00 UTC" in page
    assert "open.txt" in page
    assert "notes.txt" not in page
    assert "topics.xml" not in page
    assert ADDRESS in read_page(visitor.get("/"))
    withdraw_page(actor=world.people["organizer"], campaign=world.campaign)
    assert visitor.get(ADDRESS).status_code == 404
    assert ADDRESS not in read_page(visitor.get("/"))


def test_caches_may_keep_what_visitors_get_and_nothing_else(world, client_for):
    publish(world)
    visitor = client_for("anonymous").get(ADDRESS)
    assert visitor["Cache-Control"] == "public, max-age=60"
    assert not visitor.cookies
    assert {"Cookie", "Accept-Language"} <= set(visitor["Vary"].split(", "))
    for role in ("stranger", "owner", "organizer"):
        assert "no-store" in client_for(role).get(ADDRESS)["Cache-Control"]


def test_scores_appear_once_they_are_published(world, client_for):
    publish(world)
    visitor = client_for("anonymous")
    page = read_page(visitor.get(ADDRESS))
    assert not any(secret in page for secret in (*SECRETS, "Results"))
    act = {"actor": world.people["organizer"]}
    assert refusal(publish_scores, **act, score_set=world.draft) == "not-released"
    address = reverse("score-publish", args=["small", world.score_set.pk])
    assert confirm(client_for("organizer"), address, confirm=[]).status_code == 422
    assert confirm(client_for("organizer"), address).status_code == 302
    page = read_page(visitor.get(ADDRESS))
    assert "Results" in page
    assert "Median" in page
    # The board: own scores with best, median and worst. Nobody has own ones here.
    assert not any(secret in page for secret in SECRETS)
    assert refusal(publish_scores, **act, score_set=world.score_set) == "already-published"


@pytest.mark.parametrize(
    ("board", "visible", "hidden"),
    [("pseudonyms", "team1-run1", "small-a"), ("names", "small-a", "team1-run1")],
)
def test_names_are_those_of_the_board_at_the_time(world, client_for, board, visible, hidden):
    publish(world)
    actor, campaign = world.people["organizer"], world.campaign
    change_visibility(actor=actor, campaign=campaign, board=board)
    publish_scores(actor=actor, score_set=world.score_set)
    page = read_page(client_for("anonymous").get(ADDRESS))
    assert visible in page
    assert hidden not in page
    other = "names" if board == "pseudonyms" else "pseudonyms"
    change_visibility(actor=actor, campaign=Campaign.objects.get(pk=campaign.pk), board=other)
    page = read_page(client_for("anonymous").get(ADDRESS))
    assert visible in page
    assert hidden not in page


def test_deadlines_are_among_the_dates(world, client_for):
    Campaign.objects.filter(pk=world.campaign.pk).update(
        runs_deadline=datetime(2027, 1, 20, 11, 59, tzinfo=UTC)
    )
    publish(world)
    page = read_page(client_for("anonymous").get(ADDRESS))
    assert "Runs close" in page
    assert "19 Jan 2027, 23:59 AoE" in page
