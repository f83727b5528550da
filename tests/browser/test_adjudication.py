"""Disagreements settled by keys: one press a pair, undo, skip; and all sides at a meeting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from campaigns.models import Campaign, Role
from judging.models import Judgment, Purpose
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.plans import create_plan
from tests.browser.desk import shown, sign_in
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import joined

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def disputed(campaign, organizer, assessor, assessor2) -> Campaign:
    """d1 0/3, d2 0/2, d3 0/1: settled in this order."""
    pool = make_pool(campaign, {"1": ["d1", "d2", "d3"]})
    people = {"1": [assessor, assessor2]}
    create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    topic = campaign.topics.get(number="1")
    for docno, value in (("d1", 3), ("d2", 2), ("d3", 1)):
        for user, grade in ((assessor, 0), (assessor2, value)):
            submit_judgment(
                actor=user, campaign=campaign, topic=topic, docno=docno, grade=grade,
                comment=f"{grade} for {docno}",
            )  # fmt: skip
    return campaign


def ready(page: Page, docno: str) -> None:
    """Wait until ``docno`` has been in sight for long enough."""
    page.wait_for_function(
        "docno => document.querySelector('#judge')?.dataset.settled !== undefined"
        " && document.querySelector('.judge-doc')?.dataset.docno === docno",
        arg=docno,
    )


def decisions() -> list[tuple[str, str, int | None]]:
    log = Judgment.objects.filter(purpose=Purpose.ADJUDICATE).order_by("pk")
    return list(log.values_list("docno", "kind", "grade"))


def test_one_key_settles_a_pair_and_undo_brings_it_back(
    disputed, organizer, open_page, live_server
):
    third = joined(disputed, "third", Role.ADJUDICATOR)
    wanted = list_pairs_to_adjudicate(disputed, min_difference=1, crossing=False)
    open_round(actor=organizer, campaign=disputed, pairs=wanted, adjudicators=[third], blind=False)
    page = open_page()
    sign_in(page, third, live_server.url)
    page.goto("/c/small/adjudicate/")
    ready(page, "d1")
    assert "3 for d1" in page.locator(".assessor-judgments").inner_text()
    page.keyboard.press("2")
    ready(page, "d2")
    page.keyboard.press("c")
    page.keyboard.type("2 of them 3")
    page.keyboard.press("Escape")
    assert shown(page) == "d2"
    page.keyboard.press("1")
    ready(page, "d3")
    page.keyboard.press("u")
    ready(page, "d2")
    page.keyboard.press("3")
    ready(page, "d3")
    page.keyboard.press("s")
    page.keyboard.press("d")
    page.get_by_role("heading", name="All resolved").wait_for()
    assert decisions() == [
        ("d1", "grade", 2),
        ("d2", "grade", 1),
        ("d2", "withdrawn", None),
        ("d2", "grade", 3),
        ("d3", "skip", None),
    ]
    assert Judgment.objects.get(docno="d2", purpose=Purpose.ADJUDICATE, grade=1).comment


def test_a_meeting_goes_from_pair_to_pair_by_keys(disputed, organizer, open_page, live_server):
    page = open_page()
    sign_in(page, organizer, live_server.url)
    page.goto("/c/small/judging/adjudication/meeting/")
    page.get_by_role("link", name="d1").click()
    ready(page, "d1")
    page.keyboard.press("j")
    ready(page, "d2")
    page.keyboard.press("1")
    ready(page, "d3")
    page.keyboard.press("0")
    ready(page, "d1")
    page.keyboard.press("2")
    page.get_by_text("No unresolved pairs left in this list").wait_for()
    assert decisions() == [("d2", "grade", 1), ("d3", "grade", 0), ("d1", "grade", 2)]
