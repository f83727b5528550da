"""What the desk remembers: drafts until a document is judged, and how the text looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from campaigns.models import Document, Grade
from campaigns.services.campaigns import update_campaign
from judging.models import Judgment, Plan
from tests.browser.desk import give_work, settle, shown, unsent
from tests.browser.test_adjudication import disputed, ready  # noqa: F401
from tests.browser.test_desk_sizes import ON_SCREEN, fold, give_texts, window
from tests.browser.test_judging import SELECT
from tests.poolbench.texts.test_text_layout import CODE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DRAFTS = "() => Object.keys(localStorage).filter((key) => key.startsWith('poolbench-draft-'))"
SPACE = f"() => getComputedStyle(document.querySelector('{ON_SCREEN} .chunk > *')).whiteSpace"


def draft(page: Page) -> None:
    """A comment, a flag and a passage for the document at hand."""
    settle(page)
    page.keyboard.press("c")
    page.keyboard.type("half of it")
    page.keyboard.press("Enter")
    page.keyboard.press("b")
    page.evaluate(SELECT)
    page.keyboard.press("p")


def test_a_draft_survives_a_reload_and_goes_with_the_judgment(desk, campaign, assessor):
    give_work(campaign, assessor, rationale=Plan.Rationale.RELEVANT)
    page = desk()
    draft(page)
    assert page.locator("#draft-note").inner_text() == "Flagged: unreadable · Comment: half of it"
    page.reload()
    settle(page)
    assert shown(page) == "w01"
    assert page.locator("#comment").input_value() == "half of it"
    assert page.locator("[name=flags][value=broken]").is_checked()
    assert page.locator("#passage-list li").count() == 1
    assert page.evaluate("CSS.highlights.get('passage').size") == 1
    assert "half of it" in page.locator("#draft-note").inner_text()
    page.keyboard.press("2")
    settle(page)
    unsent(page, 0)
    assert page.evaluate(DRAFTS) == []
    assert page.locator("#comment").input_value() == ""
    assert not page.locator("#draft-note").is_visible()
    row = Judgment.objects.get()
    assert (row.comment, row.flags, len(row.passages)) == ("half of it", ["broken"], 1)


def test_a_draft_goes_with_a_skip_and_when_it_is_emptied(at_work):
    page = at_work()
    page.keyboard.press("b")
    assert len(page.evaluate(DRAFTS)) == 1
    page.keyboard.press("b")
    assert page.evaluate(DRAFTS) == []
    page.keyboard.press("l")
    page.keyboard.press("s")
    page.keyboard.press("l")
    settle(page)
    assert page.evaluate(DRAFTS) == []


def test_a_draft_is_of_one_person_and_ends_when_they_sign_out(at_work, organizer, live_server):
    page = at_work()
    page.keyboard.press("b")
    [key] = page.evaluate(DRAFTS)
    assert '"small","1","w01"' in key
    page.goto("/c/small/judge/")
    with page.expect_navigation():
        page.evaluate(
            "setTimeout(() => document.querySelector('form[action*=logout]').requestSubmit())"
        )
    assert page.evaluate(DRAFTS) == []


def test_a_draft_older_than_a_week_is_dropped(at_work):
    page = at_work()
    page.evaluate(
        "localStorage.setItem('poolbench-draft-old', '{\"at\": 5}'),"
        " localStorage.setItem('poolbench-draft-broken', '{')"
    )
    page.reload()
    settle(page)
    assert page.evaluate(DRAFTS) == []


def test_an_adjudicators_draft_survives_until_the_decision(
    disputed,  # noqa: F811
    organizer,
    visit,
):
    page = visit(organizer, "/c/small/judging/adjudication/meeting/")
    page.get_by_role("link", name="d1").click()
    ready(page, "d1")
    page.keyboard.press("c")
    page.keyboard.type("we agreed")
    page.keyboard.press("Enter")
    page.reload()
    ready(page, "d1")
    assert page.locator("#comment").input_value() == "we agreed"
    page.keyboard.press("2")
    ready(page, "d2")
    assert page.evaluate(DRAFTS) == []


def test_layout_of_prose_and_of_columns_are_kept_apart(desk, campaign, assessor):
    give_texts(campaign, assessor)
    Document.objects.filter(docno="w03").update(body=CODE)
    page = desk(**window("laptop"))
    settle(page)
    assert page.evaluate(SPACE) == "pre-line"
    page.keyboard.press("w")
    assert page.evaluate(SPACE) == "pre"
    assert "as written" in page.locator("#live").inner_text()
    page.keyboard.press("w")
    page.keyboard.press("0")
    settle(page)
    assert page.evaluate(SPACE) == "pre"
    assert page.locator(ON_SCREEN).evaluate("it => it.scrollWidth > it.clientWidth")
    page.keyboard.press("w")
    assert page.evaluate(SPACE) == "pre-wrap"
    assert page.locator(ON_SCREEN).evaluate("it => it.scrollWidth <= it.clientWidth")
    page.keyboard.press("0")
    settle(page)
    assert page.evaluate(SPACE) == "pre-wrap"
    page.locator("#size-4").check()
    page.reload()
    settle(page)
    assert page.evaluate(SPACE) == "pre-wrap"
    assert page.locator("#size-4").is_checked()
    assert page.locator("#flip-columns").is_checked()
    assert not page.locator("#flip-prose").is_checked()


def test_the_size_reaches_the_frame_of_an_html_document(desk, campaign, assessor):
    give_texts(campaign, assessor)
    Document.objects.filter(docno="w01").update(format="html", body="<p>One</p>")
    page = desk(**window("laptop"))
    settle(page)
    size = "() => getComputedStyle(document.querySelector('iframe').contentDocument.body).fontSize"
    before = page.evaluate(size)
    page.locator("#size-4").check()
    assert float(page.evaluate(size)[:-2]) > float(before[:-2])


def test_a_new_topic_is_open_once_and_t_folds_it_at_any_size(desk, campaign, assessor):
    give_texts(campaign, assessor)
    page = desk(**window("laptop"))
    settle(page)
    is_open = "() => document.getElementById('topic').open"
    before = page.locator(ON_SCREEN).bounding_box()["width"]
    page.keyboard.press("t")
    assert not page.evaluate(is_open)
    assert page.locator(ON_SCREEN).bounding_box()["width"] > before + 200
    assert page.locator("h1").inner_text().split() == [
        "Topic",
        "1",
        "time",
        "limit",
        "for",
        "waiting",
    ]
    page.reload()
    settle(page)
    assert not page.evaluate(is_open)
    page.keyboard.press("t")
    page.set_viewport_size({"width": 683, "height": 384})
    page.wait_for_function("() => !document.getElementById('topic').open")
    page.keyboard.press("t")
    assert page.evaluate(is_open)
    page.keyboard.press("0")
    settle(page)
    assert not page.evaluate(is_open)
    page.reload()
    settle(page)
    assert not page.evaluate(is_open)
    page.set_viewport_size({"width": 1366, "height": 768})
    page.wait_for_function(is_open)


def test_g_unfolds_the_topic_for_the_guidelines(desk, campaign, assessor):
    give_texts(campaign, assessor)
    update_campaign(actor=campaign.created_by, campaign=campaign, guidelines="Rule A")
    page = desk(**window("zoom-200"))
    settle(page)
    fold(page)
    page.keyboard.press("g")
    assert page.locator("#guidelines .prose").is_visible()
    page.keyboard.press("g")
    assert not page.locator("#topic").evaluate("it => it.open")


def test_panels_are_reached_by_key_and_by_touch_where_there_is_little_room(
    desk, campaign, assessor
):
    give_texts(campaign, assessor)
    page = desk(**window("phone-across"))
    settle(page)
    fold(page)
    page.locator(".more-button").click()
    page.locator("#comment-button").click()
    page.locator("#comment").fill("by touch")
    page.keyboard.press("Enter")
    page.keyboard.press("f")
    page.keyboard.press("b")
    page.keyboard.press("2")  # A grade, with the flags open.
    settle(page)
    unsent(page, 0)
    row = Judgment.objects.get()
    assert (row.comment, row.flags, row.grade) == ("by touch", ["broken"], 2)


def test_a_grade_that_has_a_key_of_the_screen_keeps_it(desk, campaign, assessor):
    """Scales from before the keys were reserved: the button is there for the function."""
    give_texts(campaign, assessor)
    Grade.objects.filter(campaign=campaign, value=2).update(key="t")
    page = desk(**window("laptop"))
    settle(page)
    page.keyboard.press("t")
    settle(page)
    assert shown(page) == "w02"
    page.locator("#topic > summary").click()
    assert not page.locator("#topic").evaluate("it => it.open")


@pytest.mark.parametrize("name", ["laptop", "zoom-300", "phone"])
def test_without_scripts_everything_is_reached(desk, campaign, assessor, name):
    give_texts(campaign, assessor)
    page = desk(java_script_enabled=False, **window(name))
    assert page.locator(".judge-topic").is_visible()
    page.locator("#topic > summary").click()
    assert not page.locator(".judge-topic").is_visible()
    page.locator("#grades [data-grade='1']").click()
    assert shown(page) == "w02"
    if name != "laptop":
        page.locator(".view-button").click()
    page.locator("label:has(#flip-columns)").click()
    if name != "laptop":
        page.keyboard.press("Escape")
    chunk = page.locator(".layout-columns .chunk > *").first
    assert chunk.evaluate("it => getComputedStyle(it).whiteSpace") == "pre-wrap"
    page.locator("#grades [data-grade='3']").click()
    assert shown(page) == "w03"
