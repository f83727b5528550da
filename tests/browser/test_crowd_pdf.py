"""A PDF before a crowd worker: its pages with their text, as on the desk."""

from __future__ import annotations

import pytest

from campaigns.models import Document
from judging.models import Judgment
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.browser.test_desk_sizes import SIZES, window
from tests.crowd.worker_study import make_door_link, make_study
from tests.pdf_documents import turn_into_pdfs
from tests.pdf_files import pdf

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGES = 9
DRAWN = "() => document.querySelector('.pdf-page img').naturalWidth === 1400"
PLACED = "() => document.querySelector('.pdf-page').hasAttribute('data-placed')"


@pytest.fixture
def link(campaign) -> str:
    """To a unit of which all documents are PDFs."""
    study = make_study(campaign, unit_size=3, gold_per_unit=1)
    docnos = Document.objects.filter(campaign=campaign).values_list("docno", flat=True)
    data = pdf(*[f"Page {n} tells of red apples" for n in range(1, PAGES + 1)])
    turn_into_pdfs(campaign, dict.fromkeys(docnos, data))
    return make_door_link(study)


def open_first(open_page, link: str, **options: object):
    page = open_page(**options)
    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Start").click()
    assert page.locator(".pdf-page").count() == PAGES
    assert page.locator("iframe, embed, object").count() == 0
    return page


@pytest.mark.parametrize("name", SIZES)
def test_keys_hold_after_a_click_and_words_are_found(open_page, link, name):
    page = open_first(open_page, link, **window(name))
    page.locator(".pdf-page").first.scroll_into_view_if_needed()
    page.wait_for_function(DRAWN)
    page.wait_for_function(PLACED)
    line = page.locator(".pdf-page p").first.bounding_box()
    picture = page.locator(".pdf-page img").first.bounding_box()
    assert abs(line["x"] - picture["x"] - 0.1 * picture["width"]) < 3
    assert 0.3 < line["width"] / picture["width"] < 0.9
    assert picture["x"] >= 0
    assert picture["x"] + picture["width"] <= SIZES[name][0]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert serious(page) == []
    assert page.evaluate("window.find('Page 9 tells')")
    assert (
        page.evaluate("getSelection().anchorNode.parentElement.closest('section').dataset.number")
        == "9"
    )
    page.locator(".pdf-page").first.click()  # A click anywhere takes no key away.
    page.wait_for_timeout(200)
    with page.expect_navigation():
        page.keyboard.press("2")
    assert page.get_by_text("Document 2 of 4").is_visible()
    with DOOR.turn:
        assert list(Judgment.objects.values_list("grade", flat=True)) == [2]
    assert page.context.cookies() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_scripts_the_pages_are_there_and_the_answer_is_saved(open_page, link, scheme):
    page = open_first(open_page, link, java_script_enabled=False, color_scheme=scheme)
    assert page.locator(".pdf-page img").first.bounding_box()["height"] > 200
    page.get_by_role("button", name="Helps").click()
    assert page.get_by_text("Document 2 of 4").is_visible()
