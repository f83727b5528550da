"""A PDF on the desk, drawn as pages with its text: keys, find, terms, passages."""

from __future__ import annotations

import pytest

from campaigns import store
from campaigns.models import Document, PdfLayout
from campaigns.services.pdf_layouts import read_unread_pdfs
from judging.models import Judgment, Plan
from tests.browser.desk import give_work, said, settle, shown, unsent
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.browser.test_desk_sizes import SEEN, SIZES, SMALL, fold, window
from tests.pdf_files import pdf

PICTURES = (
    "() => [...document.querySelectorAll('.judge-doc:not([hidden]) .pdf-page img')]"
    ".every((it) => it.complete && it.naturalWidth > 0)"
)


@pytest.fixture
def pdfs(campaign, assessor):
    """w01 of twelve pages, w02 a page without text, w03 a text."""
    give_work(campaign, assessor, 3, rationale=Plan.Rationale.MAY)
    texts = [f"Page {n} tells of red apples" for n in range(1, 13)]
    for docno, pages in (("w01", texts), ("w02", [""])):
        data = pdf(*pages)
        file = {"file": store.put_blob(data), "size": len(data), "media_type": "application/pdf"}
        Document.objects.filter(docno=docno).update(format="pdf", body="", title="", **file)
    assert [reason for _, reason in read_unread_pdfs(campaign)] == ["", ""]
    assert PdfLayout.objects.count() == 2


def test_a_pdf_is_judged_searched_and_marked_by_keys(desk, pdfs):
    page = desk(strict=False)
    settle(page, 2)
    page.wait_for_function(PICTURES)
    page.mouse.click(700, 300)  # A click anywhere takes no key away.
    assert page.evaluate("CSS.highlights.get('term').size") == 12
    page.keyboard.press("n")
    line = page.locator(".judge-doc:not([hidden]) .pdf-page p").first
    box, picture = line.bounding_box(), page.locator(".pdf-page img").first.bounding_box()
    # Placed where it is drawn: x 40 of 400 points, as wide as the words are.
    assert abs(box["x"] - picture["x"] - picture["width"] * 0.1) < 3
    assert abs(box["y"] - picture["y"] - picture["height"] * 0.26) < 0.03 * picture["height"]
    assert 0.3 < box["width"] / picture["width"] < 0.9
    page.keyboard.press("/")
    page.keyboard.type("page 12 tells")
    page.wait_for_function("() => document.querySelector('#find output').value === '1 of 1'")
    page.keyboard.press("Escape")
    assert page.locator(".judge-doc:not([hidden]) .pdf-page").count() == 12
    page.keyboard.press("p")  # From the keyboard: the sentence in sight.
    page.keyboard.press("p")
    page.keyboard.press("2")
    settle(page)
    assert shown(page) == "w02"
    assert page.get_by_text("pictures without text").is_visible()
    page.keyboard.press("n")
    assert page.locator("#judge-message").inner_text() == "not searched: pages without text"
    page.keyboard.press("/")
    page.keyboard.type("apples")
    page.wait_for_function(
        "() => document.querySelector('#find output').value.startsWith('not searched')"
    )
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    settle(page, 0)
    unsent(page, 0)
    assert said() == [("w01", 2), ("w02", 0)]
    with DOOR.turn:
        [[start, end, text]] = Judgment.objects.get(docno="w01").passages
        assert Document.objects.get(docno="w01").body[start:end] == text


@pytest.mark.parametrize("name", SIZES)
def test_a_pdf_has_most_of_the_window_at_every_size(desk, pdfs, name):
    page = desk(**window(name))
    settle(page, 2)
    page.wait_for_function(PICTURES)
    if page.locator("#topic").evaluate("it => it.open") and name in SMALL:
        fold(page)
    height, free, _ = page.evaluate(SEEN)
    assert free
    assert height >= 0.6 * SIZES[name][1]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    picture = page.locator(".pdf-page img").first.bounding_box()
    assert picture["x"] + picture["width"] <= SIZES[name][0]
    assert serious(page) == []
    page.locator(".judge-doc:not([hidden]) .pdf-page").first.click()
    page.keyboard.press("PageDown")
    page.wait_for_function(
        "() => document.querySelector('.judge-doc:not([hidden])').scrollTop > 100"
    )
    page.keyboard.press("1")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1)]
