"""The desk at every size: the document has most of the window, and nothing moves or is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from campaigns.models import Campaign, Document
from tests.browser.desk import give_work, said, settle, unsent
from tests.browser.test_accessibility import serious
from tests.poolbench.texts.test_text_layout import CODE, LONG_LINES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SIZES = {
    "wide": (1920, 1080),
    "laptop": (1366, 768),
    "zoom-200": (683, 384),
    "phone-across": (844, 390),
    "phone": (390, 844),
    "zoom-300": (455, 256),
}
TOUCH = ("phone-across", "phone")
SMALL = ("zoom-200", "phone-across", "phone", "zoom-300")
HEBREW = "\n\n".join(["הרכבת המתינה בתחנה שלוש שעות, ואיש לא ידע מדוע היא אינה נוסעת."] * 40)
HTML = (
    "<h1>Waiting</h1><p>A <b>queue</b> is filled.</p><table><tr><td>a</td><td>b</td></tr></table>"
)
WIDE_CODE = CODE + "# " + "x" * 180 + "\n" + CODE * 4
HUGE = "\n\n".join(f"{n} " + "words that are long enough " * 12 for n in range(16_500))
BODIES = {"w01": LONG_LINES * 9, "w02": WIDE_CODE, "w03": HEBREW, "w05": HUGE}
NARRATIVE = "Highly relevant is what exists in order to set a time limit on an operation. " * 6
ON_SCREEN = ".judge-doc:not([hidden])"
PLACES = """() => {
  const place = (at) => { const r = document.querySelector(at).getBoundingClientRect();
    return [r.left, r.top, r.width, r.height].map(Math.round); };
  return [".judge-doc:not([hidden])", ".grade-bar", ".grades [data-grade='0']", ".desk-line"]
    .map(place);
}"""
# The height of the document, and whether it is uncovered at nine heights.
SEEN = """() => {
  const pane = document.querySelector(".judge-doc:not([hidden])");
  const box = pane.getBoundingClientRect();
  const height = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  const free = [...Array(9).keys()].every((n) => pane.contains(
    document.elementFromPoint(box.left + box.width / 2, box.top + (n + 0.5) / 9 * box.height)));
  return [Math.round(height), free, Math.round(box.width)];
}"""
OUTSIDE = """() => [...document.querySelectorAll(
  ".desk-line a, .desk-line summary, .desk-line button, .grade-bar button, .desk-facts > *")]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .filter((node) => { const r = node.getBoundingClientRect();
    return r.width && (r.left < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1); })
  .map((node) => node.outerHTML.slice(0, 90))"""


def give_texts(campaign: Campaign, assessor, **more: object) -> None:
    """Prose, code with a line of 180 characters, Hebrew, HTML and 5 MB, in this order."""
    give_work(campaign, assessor, **more)
    campaign.topics.filter(number="1").update(
        title="time limit for waiting", narrative=NARRATIVE, description="How can I stop waiting?"
    )
    for docno, body in BODIES.items():
        Document.objects.filter(docno=docno).update(body=body)
    Document.objects.filter(docno="w04").update(format="html", body=HTML)


def window(name: str) -> dict[str, object]:
    width, height = SIZES[name]
    options: dict[str, object] = {"viewport": {"width": width, "height": height}}
    return options | ({"has_touch": True, "is_mobile": True} if name in TOUCH else {})


def fold(page: Page) -> None:
    """Fold the topic if it covers the document."""
    if page.locator("#topic").evaluate("it => it.open"):
        page.keyboard.press("t")


@pytest.mark.parametrize("name", SIZES)
def test_the_document_has_most_of_the_window_and_nothing_moves(desk, campaign, assessor, name):
    give_texts(campaign, assessor)
    page = desk(**window(name))
    settle(page, 3)
    # A new topic is open once; where it has no room beside the document, it is a step before it.
    assert page.locator("#topic").evaluate("it => it.open")
    step = page.locator(".to-document button")
    assert step.is_visible() == (name in SMALL)
    if name in SMALL:
        pane, box = page.locator(".judge-topic").bounding_box(), step.bounding_box()
        document = page.locator(ON_SCREEN).bounding_box()
        assert pane == document
        assert pane["y"] <= box["y"] <= pane["y"] + pane["height"] - box["height"]
        page.keyboard.press("1")  # Nothing is judged unseen.
        assert step.evaluate("it => it === document.activeElement")
        page.keyboard.press("Enter")
        assert page.locator(ON_SCREEN).evaluate("it => it === document.activeElement")
        assert said() == []
    height, free, _ = page.evaluate(SEEN)
    assert free
    assert height >= 0.6 * SIZES[name][1]
    places = page.evaluate(PLACES)
    assert page.evaluate(OUTSIDE) == []
    wide = "() => document.documentElement.scrollWidth - innerWidth"
    for key in "0123":
        page.keyboard.press(key)
        settle(page)
        assert page.evaluate(PLACES) == places
        assert page.evaluate(wide) <= 0
    page.keyboard.press("u")
    settle(page)
    assert page.evaluate(PLACES) == places
    unsent(page, 0)


def test_eighty_columns_are_not_cut_on_a_laptop(desk, campaign, assessor):
    give_texts(campaign, assessor)
    Document.objects.filter(docno="w01").update(body=CODE + "# " + "8" * 78 + "\n")
    page = desk(**window("laptop"))
    settle(page)
    assert page.locator(f"{ON_SCREEN} .layout-columns").count() == 1
    for size in range(1, 3):
        page.locator(f"#size-{size}").check()
        assert page.locator(ON_SCREEN).evaluate("it => it.scrollWidth <= it.clientWidth")


def test_grades_stand_at_the_thumb_of_a_phone_held_across(desk, campaign, assessor):
    give_texts(campaign, assessor)
    page = desk(**window("phone-across"))
    settle(page)
    boxes = [button.bounding_box() for button in page.locator("#grades [data-grade]").all()]
    assert all(
        box["x"] >= 844 - 116 and box["width"] >= 90 and box["height"] >= 70 for box in boxes
    )
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in SIZES), ("wide", "dark"), ("phone", "dark")]
)
def test_nothing_serious_stands_in_the_way(desk, campaign, assessor, name, scheme):
    """Also with lines wider than the window, right to left, in a frame and in 5 MB."""
    give_texts(campaign, assessor, rationale="relevant")
    page = desk(color_scheme=scheme, **window(name))
    settle(page)
    wrong = {"topic": serious(page)}
    fold(page)
    for kind, key in (("prose", "0"), ("code", "0"), ("rtl", "0"), ("html", "0"), ("5 MB", "")):
        wrong[kind] = serious(page)
        if key:
            page.keyboard.press(key)
            settle(page)
    for key in "cfs?":
        page.keyboard.press(key)
        page.wait_for_selector(":popover-open")
        wrong[key] = serious(page)
        page.keyboard.press("Escape")
        page.wait_for_selector(":popover-open", state="hidden")
    assert {name: found for name, found in wrong.items() if found} == {}
