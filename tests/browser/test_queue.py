"""Nothing lost, nothing doubled: the queue in the browser through all that goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from campaigns.models import Campaign
from judging.models import Judgment, Slot
from judging.services.judgments import claim_next
from judging.views import judging_screen
from tests.browser.desk import give_work, said, settle, shown, sign_in, unsent
from tests.browser.door import DOOR

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ACTS = "**/judge-acts/"


def press(page: Page, keys: str) -> None:
    for key in keys:
        settle(page, 0)
        page.keyboard.press(key)


def come(page: Page, docno: str) -> None:
    page.wait_for_selector(f"#grades [name=docno][value={docno}]", state="attached")


class Line:
    """The way of judgments to the server, cut until it is ``up``. A route that is taken away
    while a request is on it would leave that request without an answer.
    """

    def __init__(self, page: Page, what: str = ACTS, **answer: Any) -> None:
        self.up, self.answer = False, answer
        page.route(what, self.carry)

    def carry(self, route: Route) -> None:
        if self.up:
            route.continue_()
        elif self.answer:
            route.fulfill(**self.answer)
        else:
            route.abort()


def until(page: Page, condition: Callable[[], bool]) -> None:
    """What the page's last word, sent as it is left, does on the server."""
    for _ in range(200):
        with DOOR.turn:
            if condition():
                return
        page.wait_for_timeout(25)
    raise AssertionError("it never came about")


def test_five_minutes_offline_and_a_closed_tab_lose_nothing(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk(strict=False)
    page.clock.install()
    page.reload()
    settle(page, 3)
    page.context.set_offline(True)
    press(page, "123")
    unsent(page, 3)
    page.clock.fast_forward("05:00")
    page.get_by_text("3 unsent – offline").wait_for()
    press(page, "u")  # Taken back without a connection too.
    unsent(page, 4)
    settle(page, 0)
    assert shown(page) == "w03"
    press(page, "0")
    unsent(page, 5)
    assert not Judgment.objects.exists()

    context = page.context
    page.close()
    context.set_offline(False)
    later = context.new_page()
    later.goto("/c/small/judge/")
    later.wait_for_function(
        "() => document.querySelector('#my-topics td').textContent.trim() === '3'"
    )
    assert said() == [("w01", 1), ("w02", 2), ("w03", 3), ("w03", 0)]
    assert said("withdrawn") == [("w03", None)]
    later.goto("/c/small/judge/1/")
    settle(later)
    assert shown(later) == "w04"


def test_at_two_a_minute_five_minutes_offline_are_ten_documents(
    desk, campaign, assessor, monkeypatch
):
    monkeypatch.setattr(judging_screen, "get_own_pace", lambda *_: 120)
    give_work(campaign, assessor, documents=48)
    page = desk(strict=False)
    settle(page, 10)
    page.context.set_offline(True)
    for _ in range(10):
        press(page, "1")
        settle(page, 0)
    assert shown(page) == "w11"
    press(page, "1")
    unsent(page, 11)
    page.get_by_text("No connection").first.wait_for()
    page.context.set_offline(False)
    unsent(page, 0)
    settle(page)
    assert said() == [(f"w{n:02}", 1) for n in range(1, 12)]


def test_a_reload_goes_on_after_what_is_unsent(at_work):
    page = at_work(strict=False, ahead=3)
    line = Line(page)
    press(page, "12")
    unsent(page, 2)
    line.up = True
    page.reload()
    page.locator("#progress", has_text="2 of 8").wait_for()
    settle(page)
    unsent(page, 0)
    assert shown(page) == "w03"
    assert said() == [("w01", 1), ("w02", 2)]


def test_an_answer_that_is_lost_makes_no_second_judgment(at_work):
    """The server writes and dies before it answers; the same act is sent again."""
    page = at_work(strict=False, ahead=3)
    lost = []

    def lose(route) -> None:
        if not lost:
            lost.append(route.fetch().status)
            return route.abort()
        return route.continue_()

    page.route(ACTS, lose)
    press(page, "2")
    unsent(page, 1)
    page.wait_for_function("() => document.querySelector('#judge').dataset.unsent === '0'")
    assert lost == [200]
    assert said() == [("w01", 2)]


def test_a_server_that_restarts_is_waited_for(at_work):
    page = at_work(strict=False, ahead=3)
    ahead, line = Line(page, "**/judge-ahead/", status=500), Line(page, status=502)
    press(page, "1123")
    page.get_by_text("4 unsent – server error").wait_for()
    page.locator(".over p", has_text="The server has an error.").wait_for()
    assert page.get_by_text("No connection").count() == 0
    ahead.up = line.up = True
    unsent(page, 0)
    assert said() == [("w01", 1), ("w02", 1), ("w03", 2), ("w04", 3)]


def test_two_windows_judge_each_document_once(at_work):
    page = at_work(6, ahead=3)
    other = page.context.new_page()
    other.goto("/c/small/judge/1/")
    settle(other, 3)
    assert shown(other) == "w01"
    press(page, "1")
    other.wait_for_function("() => document.querySelector('#grades [name=docno]').value === 'w02'")
    press(other, "2")
    page.wait_for_function("() => document.querySelector('#grades [name=docno]').value === 'w03'")
    press(page, "3")
    for window in (page, other):
        settle(window)
        unsent(window, 0)
    assert sorted(said()) == [("w01", 1), ("w02", 2), ("w03", 3)]


def test_what_another_account_left_is_never_sent_as_this_one(
    at_work, assessor, assessor2, live_server
):
    page = at_work(strict=False, ahead=3)
    line = Line(page)
    press(page, "12")
    unsent(page, 2)
    line.up = True
    # In another tab, say: this page is still the first's.
    sign_in(page, assessor2, live_server.url)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.get_by_text("2 unsent – signed in with another account").wait_for()
    page.goto("/c/small/judge/")
    page.get_by_text("Unsent judgments of another account in this browser: 2.").wait_for()
    assert not Judgment.objects.exists()
    sign_in(page, assessor, live_server.url)
    page.goto("/c/small/judge/1/")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1), ("w02", 2)]
    assert {row.assessor_id for row in Judgment.objects.all()} == {assessor.pk}


def test_who_was_signed_out_signs_in_and_goes_on(at_work, assessor, live_server):
    page = at_work(strict=False, ahead=3)
    with DOOR.turn:
        Session.objects.all().delete()
    press(page, "1")
    page.get_by_text("1 unsent – sign in again").wait_for()
    assert page.locator("#unsent a").get_attribute("href") == "/accounts/login/"
    sign_in(page, assessor, live_server.url)
    page.evaluate("dispatchEvent(new Event('focus'))")
    unsent(page, 0)
    assert said() == [("w01", 1)]


def test_what_the_server_refuses_stays_until_it_is_judged_again(at_work):
    page = at_work(strict=False, ahead=3)
    with DOOR.turn:
        Campaign.objects.update(judging_deadline=timezone.now() - timedelta(minutes=1))
    press(page, "12")
    page.locator("#refusals li", has_text="Judging closed on").nth(1).wait_for()
    page.reload()
    page.locator("#refusals li", has_text="w01").wait_for()
    with DOOR.turn:
        Campaign.objects.update(judging_deadline=None)
    page.reload()
    settle(page, 3)
    again = page.get_by_role("link", name="Judge again")
    again.nth(0).click()  # In hand already, and w02 waits behind it: neither comes twice.
    assert shown(page) == "w01"
    again.nth(1).click()
    come(page, "w02")
    for key, then in (("3", "w01"), ("1", "w03")):
        press(page, key)
        come(page, then)
    unsent(page, 0)
    page.locator("#refusals").wait_for(state="hidden")
    assert said() == [("w02", 3), ("w01", 1)]


def test_a_lease_that_passes_on_keeps_the_judgment(desk, campaign, assessor, assessor2):
    plan = give_work(campaign, assessor)
    topic = campaign.topics.get(number="1")
    plan.assignments.create(topic=topic, assessor=assessor2)
    page = desk()
    settle(page, 3)
    with DOOR.turn:
        past = timezone.now() - timedelta(minutes=1)
        Slot.objects.filter(state="leased").update(expires_at=past)
        taken = claim_next(actor=assessor2, campaign=campaign, topic=topic)
    assert taken.item.docno == shown(page) == "w01"
    press(page, "1")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1)]
    page.get_by_text(
        "Saved, but w01 was reassigned before: your judgment is an extra one."
    ).wait_for()


def test_a_page_that_is_left_gives_back_what_was_not_shown(at_work):
    page = at_work(ahead=3)
    assert Slot.objects.filter(state="leased").count() == 4
    page.goto("/c/small/judge/")
    until(page, lambda: Slot.objects.filter(state="leased").count() == 1)
    assert Slot.objects.get(state="leased").item.docno == "w01"


def test_a_browser_that_keeps_nothing_sends_at_once_and_says_so(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk("/c/small/judge/")
    page.add_init_script("delete window.indexedDB; window.indexedDB = undefined;")
    page.goto("/c/small/judge/1/")
    settle(page)
    page.get_by_text("This browser cannot store judgments offline").wait_for()
    press(page, "1")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1)]
