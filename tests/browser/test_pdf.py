"""A PDF on the desk, drawn as pages with its text: keys, find, terms, passages."""

from __future__ import annotations

import os

import pytest

from campaigns.models import Document
from judging.models import Judgment, Plan
from tests.browser.desk import give_work, said, settle, shown, unsent
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.browser.test_desk_sizes import SEEN, SIZES, SMALL, fold, window
from tests.pdf_documents import turn_into_pdfs
from tests.pdf_files import HEBREW, pdf, show, show_column, write_pdf

PICTURES = (
    "() => [...document.querySelectorAll('.judge-doc:not([hidden]) .pdf-page img')].slice(0, 2)"
    ".every((it) => it.complete && it.naturalWidth > 0)"
)


@pytest.fixture
def pdfs(campaign, assessor):
    """w01 of twelve pages, w02 a page without text, w03 a text."""
    give_work(campaign, assessor, 3, rationale=Plan.Rationale.MAY)
    texts = [f"Page {n} tells of red apples" for n in range(1, 13)]
    turn_into_pdfs(campaign, {"w01": pdf(*texts), "w02": pdf("")})


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


def test_pages_out_of_sight_are_loaded_while_the_first_is_read(desk, pdfs):
    page = desk(strict=False, viewport={"width": 1366, "height": 768})
    settle(page, 2)
    drawn = "[...document.querySelectorAll('.pdf-page img')].map((it) => it.naturalWidth > 0)"
    page.wait_for_function(f"() => {drawn}.every(Boolean)")
    assert page.locator("[loading=lazy]").count() == 0


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


def test_a_word_over_the_end_of_a_line_is_found_and_marked(desk, campaign, assessor):
    give_work(campaign, assessor, 2)
    campaign.topics.filter(number="1").update(title="relevance known", description="")
    lines = ("of no rele-", "vance, but well-", "known and self-", "contained")
    data = write_pdf("\n".join(show(line, 40, 250 - 20 * at) for at, line in enumerate(lines)))
    turn_into_pdfs(campaign, {"w01": data})
    page = desk(strict=False)
    settle(page)
    page.wait_for_function("() => CSS.highlights.get('term')?.size === 2")
    marked = page.evaluate("[...CSS.highlights.get('term')].map(String)")
    assert ["".join(it.split()) for it in marked] == ["rele-vance", "known"]
    page.keyboard.press("/")
    for text in ("relevance", "well-known", "self-contained", "no relevance, but wellknown"):
        page.locator("#find-text").fill(text)
        page.wait_for_function(
            "() => document.querySelector('#find output').value === '1 of 1'", timeout=5000
        )
        page.locator("#find-text").fill("zebra")
        page.wait_for_function("() => document.querySelector('#find output').value === 'not found'")


GARDEN = ["The first column tells of", "red apples in the garden", "and of the winter store"]
PEARS = ["while the second speaks", "of green pears in spring", "and of a cold cellar"]
LAYOUTS = {
    "two columns": write_pdf(
        show_column(GARDEN, 20, size=9) + "\n" + show_column(PEARS, 214, size=9), font="Times-Roman"
    ),
    "landscape": write_pdf(
        f"q 0 1 -1 0 400 0 cm {show_column(GARDEN + PEARS, 120, 300)} Q", page="/Rotate 90"
    ),
    "right to left": write_pdf(
        show("hgfe dcba", 282, 250, 20) + "\n" + show("jihg", 342, 220, 20), meaning=HEBREW
    ),
}
PLACED = """() => {
  const range = [...CSS.highlights.get("found-now")][0];
  const page = range.startContainer.parentElement.closest(".pdf-page");
  const [box, all] = [range, page.querySelector("img")].map((it) => it.getBoundingClientRect());
  return [(box.left - all.left) / all.width, (box.right - all.left) / all.width,
    (box.top - all.top) / all.height, (box.bottom - all.top) / all.height];
}"""


@pytest.mark.parametrize(
    ("name", "words", "where"),
    [
        # Left, right, top and bottom of the words, as parts of the page; Times has no fixed width.
        ("two columns", "spring and of a", (0.535, 0.745, 0.18, 0.255)),
        ("two columns", "red apples", (0.05, 0.15, 0.18, 0.215)),
        ("landscape", "green pears", (0.46, 0.68, 0.35, 0.376)),
        ("right to left", "אבגד", (282 / 400 + 0.15, 282 / 400 + 0.27, 0.1, 0.18)),
        ("right to left", "הוזח", (282 / 400, 282 / 400 + 0.12, 0.1, 0.18)),
        ("right to left", "זחטי", (342 / 400, 342 / 400 + 0.12, 0.2, 0.28)),
    ],
)
def test_words_are_marked_where_they_are_drawn(desk, campaign, assessor, name, words, where):
    give_work(campaign, assessor, 1)
    turn_into_pdfs(campaign, {"w01": LAYOUTS[name]})
    page = desk(viewport={"width": 1280, "height": 800})
    settle(page, 0)
    page.wait_for_function(PICTURES)
    page.keyboard.press("/")
    page.locator("#find-text").fill(words)
    page.wait_for_function("() => document.querySelector('#find output').value.startsWith('1 of')")
    if folder := os.environ.get("PDF_SHOTS"):
        page.wait_for_timeout(300)
        page.screenshot(path=f"{folder}/{name}-{words[:3]}.png")
    assert page.evaluate(PLACED) == pytest.approx(where, abs=0.025)


WIDTH = "document.querySelector('.judge-doc:not([hidden]) .pdf-page').offsetWidth"


def test_pages_are_zoomed_by_keys_and_the_next_pdf_keeps_it(desk, pdfs):
    page = desk(strict=False, viewport={"width": 1366, "height": 768})
    settle(page, 2)
    page.wait_for_function(PICTURES)
    before = page.evaluate(WIDTH)
    page.keyboard.press("PageDown")
    page.wait_for_function(
        "() => document.querySelector('.judge-doc:not([hidden])').scrollTop > 100"
    )
    first = (
        "[...document.querySelectorAll('.judge-doc:not([hidden]) .pdf-page')]"
        ".findIndex((it) => it.getBoundingClientRect().bottom > 60)"
    )
    at = page.evaluate(first)
    for _ in range(3):
        page.keyboard.press("+")
    assert page.evaluate(WIDTH) == pytest.approx(before * 1.25**3, rel=0.01)
    assert page.evaluate(first) == at
    assert page.locator("#live").inner_text() == "195 % of the width"
    sharp = "() => document.querySelector('.judge-doc:not([hidden]) img').naturalWidth === 2800"
    page.evaluate("document.querySelector('.judge-doc:not([hidden])').scrollTop = 0")
    page.wait_for_function(sharp)
    # A line stays where it is drawn.
    line = page.locator(".judge-doc:not([hidden]) .pdf-page p").first.bounding_box()
    picture = page.locator(".pdf-page img").first.bounding_box()
    assert abs(line["x"] - picture["x"] - picture["width"] * 0.1) < 5
    page.keyboard.press("-")
    page.keyboard.press("1")
    settle(page)
    assert page.evaluate(WIDTH) == pytest.approx(before * 1.25**2, rel=0.01)
    page.keyboard.press("w")  # As wide as the desk, then a page whole.
    assert page.evaluate(WIDTH) == before
    page.keyboard.press("w")
    inside = "document.querySelector('.judge-doc:not([hidden])').clientHeight"
    height = page.evaluate(WIDTH.replace("offsetWidth", "offsetHeight"))
    assert 0.9 * page.evaluate(inside) < height <= page.evaluate(inside)
    unsent(page, 0)
