"""The assessor's pages, through the test client."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Judgment, Slot
from judging.queries.judgments import current_judgments
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from tests.pages import read_page
from tests.world.files import make_pool


@pytest.fixture
def screen(as_user, assessor, campaign):
    """The client, signed in as ``assessor``."""
    return as_user(assessor)


@pytest.fixture
def url(campaign) -> str:
    return reverse("judge", args=[campaign.slug, "1"])


def field(page: str, name: str) -> str:
    return re.search(rf'name="{name}" value="([^"]*)"', page)[1]


def form_of(page: str, **more: object) -> dict[str, object]:
    return {name: field(page, name) for name in ("docno", "client_uuid", "token")} | more


def shown(page: str) -> str:
    return field(page, "docno")


def test_screen_judges_by_plain_posts_and_shows_the_next(plan, screen, url):
    first = read_page(screen.get(url))
    assert "The text of document 1." in first
    answer = screen.post(url, form_of(first, grade=2, comment="good"))
    assert (answer.status_code, answer.url) == (302, url)
    page = read_page(screen.get(url))
    assert shown(page) == "d2"
    assert "1 of 4" in page
    given = Judgment.objects.get()
    assert (given.grade, given.comment, given.source) == (2, "good", "screen")
    assert given.served_at is not None


def test_screen_takes_a_double_click_for_one_judgment(plan, screen, url):
    form = form_of(read_page(screen.get(url)), grade=2, active_seconds="3.5")
    assert screen.post(url, form).url == url
    assert screen.post(url, form).url == url
    assert shown(read_page(screen.get(url))) == "d2"
    assert Judgment.objects.get().active_seconds == 3.5


def test_screen_asks_again_when_an_old_form_says_something_else(plan, screen, url):
    form = form_of(read_page(screen.get(url)), grade=2)
    screen.post(url, form)
    answer = screen.post(url, {**form, "grade": 0})
    assert answer.url.startswith(reverse("judge-change", args=["small", "1"]))
    assert shown(read_page(screen.get(answer.url))) == "d1"
    assert 'aria-pressed="true"' in read_page(screen.get(answer.url))
    assert Judgment.objects.get().grade == 2


def test_screen_says_what_it_could_not_save(plan, screen, url):
    form = form_of(read_page(screen.get(url)), grade=9)
    text = read_page(screen.post(url, form, follow=True))
    assert "Not saved. Grade 9 is not on the grade scale." in text
    assert shown(text) == "d1"
    text = read_page(screen.post(url, {"docno": "d1"}, follow=True))
    assert "Not saved: the form was incomplete." in text
    assert not Judgment.objects.exists()


def test_screen_skips_with_a_reason_and_undoes(plan, screen, url):
    page = read_page(screen.get(url))
    skip_url = reverse("judge-skip", args=["small", "1"])
    assert screen.post(skip_url, form_of(page, reason="broken")).url == url
    page = read_page(screen.get(url))
    assert shown(page) == "d2"
    undo_url = reverse("judge-undo", args=["small"])
    uuid = re.search(r'judge-undo/".*?name="client_uuid" value="([^"]+)"', page, re.DOTALL)[1]
    for _ in range(2):  # a double click goes back once
        text = read_page(screen.post(undo_url, {"client_uuid": uuid}, follow=True))
        assert shown(text) == "d1"
        assert "Undone:" in text
    kinds = Judgment.objects.values_list("kind", flat=True)
    assert list(kinds) == ["skip", "withdrawn"]


def test_screen_changes_an_earlier_judgment(plan, screen, url, campaign):
    screen.post(url, form_of(read_page(screen.get(url)), grade=0))
    change = reverse("judge-change", args=["small", "1"], query={"docno": "d1"})
    page = read_page(screen.get(change))
    assert "Your judgment:" in page
    screen.post(url, form_of(page, grade=3))
    assert list(current_judgments(campaign).values_list("grade", "revision")) == [(3, 2)]
    never = reverse("judge-change", args=["small", "1"], query={"docno": "d4"})
    assert screen.get(never).status_code == 404


def test_screen_is_calm_when_all_is_done(plan, screen, url):
    for _ in range(4):
        screen.post(url, form_of(read_page(screen.get(url)), grade=0))
    page = read_page(screen.get(url))
    assert "Topic 1 completed" in page
    assert reverse("judge", args=["small", "2"]) in page


def test_screen_tells_when_judging_is_closed(plan, screen, url, campaign):
    campaign.judging_deadline = timezone.now()
    campaign.save()
    assert "Judging is closed" in read_page(screen.get(url))
    assert "Judging closed on" in read_page(screen.get(reverse("work", args=["small"])))
    assert not Slot.objects.filter(state="leased").exists()


def test_screen_shows_the_docno_where_the_campaign_has_no_text(
    campaign, organizer, assessor, screen, url
):
    pool = make_pool(campaign, {"1": ["unknown-7"]})
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    page = read_page(screen.get(url))
    assert "unknown-7" in page
    assert "This document has no text in the campaign" in page


def test_my_judgments_filters_by_topic_and_grade(plan, screen, assessor, grade):
    grade(assessor, "d1", 3)
    grade(assessor, "d2", 0)
    mine = reverse("my-judgments", args=["small"])
    assert read_page(screen.get(mine)).count("Change <span") == 2
    page = read_page(screen.get(mine, {"grade": "3", "topic": "1"}))
    assert "d1</th>" in page
    assert "d2</th>" not in page
    assert "No judgments match" in read_page(screen.get(mine, {"topic": "2"}))


LEAKS = (
    "SECRETRUN",
    "SECRETTEAM",
    "98765432",
    "assessor2",
    "theirs-only",
    "contributors",
    "min_rank",
)


def test_an_assessor_sees_nothing_of_runs_pools_or_others(
    double_plan, campaign, organizer, assessor, assessor2, screen, url, grade
):
    for docno in ("d1", "d2", "d3"):
        grade(assessor2, docno, 3, comment="theirs-only")
    grade(assessor, "d2", 0)
    freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    change = reverse("judge-change", args=["small", "1"], query={"docno": "d2"})
    pages = [url, change, reverse("work", args=["small"]), reverse("my-judgments", args=["small"])]
    for address in pages:
        answer = screen.get(address)
        assert answer.status_code == 200
        seen = read_page(answer) + str(answer.headers)
        assert [leak for leak in LEAKS if leak in seen] == []
    text = screen.post(url, form_of(read_page(screen.get(url)), grade=1), follow=True)
    seen = read_page(text) + str(text.headers)
    assert [leak for leak in LEAKS if leak in seen] == []


def test_undo_button_of_another_topic_leads_there(plan, screen, campaign, assessor, grade):
    other = campaign.topics.get(number="2")
    grade(assessor, "d5", 1, topic=other, client_uuid=uuid4())
    answer = screen.post(reverse("judge-undo", args=["small"]))
    assert answer.url.startswith(reverse("judge", args=["small", "2"]) + "?docno=d5&token=")
    assert shown(read_page(screen.get(answer.url))) == "d5"
