"""Disagreements settled by keys: one press a pair, undo, skip; and all sides at a meeting."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from campaigns.models import Campaign, Role
from judging.models import Judgment, Purpose
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.plans import create_plan
from tests.browser.desk import settle, shown, unsent
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import joined

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def disputed(campaign, organizer, assessor, assessor2) -> Campaign:
    """d1 0/3, d2 (of topic 2) 0/2, d3 0/1: settled in this order."""
    pool = make_pool(campaign, {"1": ["d1", "d3"], "2": ["d2"]})
    people = {number: [assessor, assessor2] for number in "12"}
    create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    campaign.topics.filter(number="2").update(title="Two words")
    for docno, value in (("d1", 3), ("d2", 2), ("d3", 1)):
        topic = campaign.topics.get(number="2" if docno == "d2" else "1")
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
        " && document.querySelector('.judge-doc:not([hidden])')?.dataset.docno === docno",
        arg=docno,
    )


def decisions() -> list[tuple[str, str, int | None]]:
    log = Judgment.objects.filter(purpose=Purpose.ADJUDICATE).order_by("pk")
    return list(log.values_list("docno", "kind", "grade"))


@pytest.fixture
def at_round(disputed, organizer, visit) -> Callable[..., Page]:
    """``at_round()``: the desk of an adjudicator in a round of all three pairs, with topic 2's."""

    def opened(*, blind: bool = False, **options: object) -> Page:
        third = joined(disputed, "third", Role.ADJUDICATOR)
        wanted = list_pairs_to_adjudicate(disputed, min_difference=1, crossing=False)
        round_ = {"pairs": wanted, "adjudicators": [third], "blind": blind}
        open_round(actor=organizer, campaign=disputed, **round_)
        page = visit(third, "/c/small/adjudicate/", **options)
        settle(page, 2)
        return page

    return opened


def test_one_key_settles_a_pair_and_undo_brings_it_back(at_round):
    page = at_round()
    loads = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    assert "3 for d1" in page.locator(".assessor-judgments").inner_text()
    page.keyboard.press("2")
    ready(page, "d2")
    assert "2 for d2" in page.locator(".assessor-judgments").inner_text()
    assert page.locator("#topic-name .mono").inner_text() == "2"
    assert "Two words" in page.locator(".topic-title").inner_text()
    page.keyboard.press("c")
    page.keyboard.type("2 of them 3")
    page.keyboard.press("Escape")
    assert shown(page) == "d2"
    page.keyboard.press("1")
    ready(page, "d3")
    assert page.locator("#topic-name .mono").inner_text() == "1"
    page.keyboard.press("u")
    ready(page, "d2")
    assert "2 for d2" in page.locator(".assessor-judgments").inner_text()
    page.keyboard.press("3")
    ready(page, "d3")
    page.keyboard.press("s")
    page.keyboard.press("x")
    page.get_by_role("heading", name="All resolved").wait_for()
    assert page.locator(".assessor-judgments").count() == 0
    unsent(page, 0)
    assert loads == []
    assert decisions() == [
        ("d1", "grade", 2),
        ("d2", "grade", 1),
        ("d2", "withdrawn", None),
        ("d2", "grade", 3),
        ("d3", "skip", None),
    ]
    assert Judgment.objects.get(docno="d2", purpose=Purpose.ADJUDICATE, grade=1).comment


def test_an_adjudicator_offline_loses_nothing(at_round):
    """Judged, taken back and judged again without a connection; sent when it is back."""
    page = at_round(strict=False)
    page.context.set_offline(True)
    for key, then in (("2", "d2"), ("1", "d3"), ("u", "d2"), ("3", "d3")):
        page.keyboard.press(key)
        ready(page, then)
    page.keyboard.press("0")
    unsent(page, 5)
    page.get_by_text("No connection").wait_for()
    assert decisions() == []
    context = page.context
    page.close()
    context.set_offline(False)
    later = context.new_page()
    later.goto("/c/small/judging/adjudication/")
    later.get_by_text("3 of 3 adjudicated or skipped").wait_for()
    assert decisions() == [
        ("d1", "grade", 2),
        ("d2", "grade", 1),
        ("d2", "withdrawn", None),
        ("d2", "grade", 3),
        ("d3", "grade", 0),
    ]
    later.goto("/c/small/adjudicate/")
    settle(later, 0)
    later.keyboard.press("u")
    ready(later, "d3")
    assert "1 for d3" in later.locator(".assessor-judgments").inner_text()


def test_a_meeting_goes_from_pair_to_pair_by_keys(disputed, organizer, visit):
    page = visit(organizer, "/c/small/judging/adjudication/meeting/")
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
