"""A crowd worker's whole way in Chromium, on a phone: without cookies, scripts or a mouse."""

import os
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from crowd.models import Payment, WorkUnit
from judging.models import Judgment
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.crowd.worker_study import make_door_link, make_practice, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 390, "height": 844}
ZOOMED = {"width": 195, "height": 422}
NARROW = {"width": 320, "height": 640}
SMALL = """() => [...document.querySelectorAll('a, button, summary, label.tick, input')].filter(
  e => e.checkVisibility() && e.type !== 'hidden' && !e.closest('.skip')
  && !e.closest('.prose, .sheet') && !e.matches('.tick input')
).map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()]).filter(
  ([, box]) => box.height < 43.5 || box.width < 43.5).map(([html]) => html)"""


class Screens:
    """Looks at each screen: axe, no sideways scrolling, targets; a picture where one is wanted."""

    def __init__(self, page) -> None:
        self.page, self.wrong = page, {}
        self.folder = os.environ.get("CROWD_SHOTS", "")

    def look(self, name: str) -> None:
        found = []
        for size in (PHONE, NARROW, ZOOMED):
            self.page.set_viewport_size(size)
            found += [f"{size['width']}: {one}" for one in serious(self.page)]
            if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append(f"wider than {size['width']}")
            if size == PHONE:
                found += self.page.evaluate(SMALL)
        self.page.set_viewport_size(PHONE)
        if found:
            self.wrong[name] = found
        if self.folder:
            self.take(name)

    def take(self, name: str) -> None:
        folder = Path(self.folder)
        for scheme in ("dark", "light"):
            self.page.emulate_media(color_scheme=scheme)
            self.page.screenshot(path=folder / f"{name}-390-{scheme}.png")
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.screenshot(path=folder / f"{name}-1280.png")
        self.page.set_viewport_size(ZOOMED)
        self.page.screenshot(path=folder / f"{name}-zoomed.png")
        self.page.set_viewport_size(PHONE)


@pytest.fixture
def study(campaign):
    return make_study(campaign, unit_size=3, gold_per_unit=1)


def press(page, selector: str) -> None:
    """Reach an element by the keyboard alone, and press it."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"not reached by Tab: {selector}")


def test_the_whole_way_on_a_phone(open_page, study):
    make_practice(study, [2, 0], needed=1)
    page = open_page(viewport=PHONE)
    screens = Screens(page)
    with DOOR.turn:
        preview, link = make_door_link(study, preview=True), make_door_link(study)
    page.goto(preview)
    screens.look("preview")
    page.goto(link)
    screens.look("consent")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    screens.look("practice")
    page.get_by_role("button", name="Helps").click()
    assert page.get_by_role("heading", name="That is right").is_visible()
    screens.look("feedback")
    page.get_by_role("link", name="Go on").click()
    page.get_by_role("button", name="Helps").click()
    assert page.get_by_role("heading", name="Not quite").is_visible()
    page.get_by_role("link", name="Go on").click()
    screens.look("begin")
    page.get_by_role("button", name="Start").click()
    assert page.get_by_text("Document 1 of 4").is_visible()
    screens.look("item")
    assert page.evaluate("""() => { const box = document.querySelector('.answers')
        .getBoundingClientRect(); return box.bottom <= innerHeight + 1 && box.height < 200; }""")
    page.get_by_role("button", name="Helps").click()
    page.get_by_role("link", name="Change the last answer").click()
    screens.look("change")
    page.wait_for_timeout(250)
    with page.expect_navigation():
        page.keyboard.press("0")
    page.get_by_text("I cannot tell").click()
    screens.look("cannot")
    page.get_by_text("I am not sure.").click()
    page.get_by_role("button", name="Save and go on").click()
    assert page.get_by_text("Document 3 of 4").is_visible()
    page.get_by_role("link", name="Stop here").click()
    screens.look("leave")
    page.get_by_role("link", name="Go on").click()
    page.get_by_role("link", name="Instructions").click()
    screens.look("instructions")
    page.get_by_role("link", name="Back to the task").click()
    for _ in range(2):
        page.get_by_role("button", name="Answers it").click()
    screens.look("finish")
    page.get_by_role("button", name="Finish").click()
    screens.look("end")
    with DOOR.turn:
        unit = WorkUnit.objects.get()
        answers = Judgment.objects.filter(unit=unit).exclude(purpose="training").order_by("pk")
        told = list(answers.values_list("kind", "grade"))
    assert page.get_by_text(unit.receipt).is_visible()
    assert told == [("grade", 2), ("grade", 0), ("skip", None), ("grade", 3), ("grade", 3)]
    assert screens.wrong == {}
    assert page.context.cookies() == []


def test_by_keyboard_alone_and_without_scripts(open_page, study):
    page = open_page(viewport=PHONE, java_script_enabled=True)
    with DOOR.turn:
        link = make_door_link(study)
    page.goto(link)
    page.get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    press(page, "form.agree .primary")
    press(page, ".primary")
    for _ in range(4):
        press(page, ".answer-row button[value='1']")
    press(page, ".primary")
    with DOOR.turn:
        unit = WorkUnit.objects.get()
    assert unit.state == WorkUnit.State.COMPLETE
    assert page.context.cookies() == []


def test_no_script_at_all(open_page, study):
    page = open_page(viewport=PHONE, java_script_enabled=False)
    with DOOR.turn:
        link = make_door_link(study)
    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Start").click()
    for _ in range(4):
        page.get_by_role("button", name="Helps").click()
    page.get_by_role("button", name="Finish").click()
    with DOOR.turn:
        unit = WorkUnit.objects.get()
    assert page.get_by_text(unit.receipt).is_visible()


def test_a_worker_whose_practice_fails_sees_thanks_and_pay(open_page, study):
    make_practice(study, [0], needed=1)
    page = open_page(viewport=PHONE, strict=False)  # a refusal is told on the console
    screens = Screens(page)
    with DOOR.turn:
        link = make_door_link(study)
    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Helps").click()
    page.get_by_role("link", name="Go on").click()
    with DOOR.turn:
        paid = Payment.objects.get().amount
    assert 0 < paid < Decimal("0.50")  # the time it took, at most the amount for practice alone
    assert page.get_by_text(f"{paid} EUR").is_visible()
    screens.look("screened")
    with DOOR.turn:
        WorkUnit.objects.update(offered_at=WorkUnit.objects.get().offered_at - timedelta(days=2))
        other = make_door_link(study, session="s2")
    page.goto(other, wait_until="load")
    screens.look("refused")
    assert screens.wrong == {}
