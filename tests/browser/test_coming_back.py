"""What the judging screen says and shows after undo, refusal, reload and another window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from campaigns.models import Campaign, Document, User
from judging.models import Judgment
from judging.services.plans import create_plan
from tests.browser.desk import give_work, said, settle, settle_for_clicks, shown, unsent
from tests.browser.test_queue import ACTS, Line, press
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
IN_HAND = "docno => document.querySelector('#grades [name=docno]')?.value === docno"
TO_THE_END = """() => {
  const shown = document.querySelector(".judge-doc:not([hidden])");
  shown.scrollTop = shown.scrollHeight;
}"""


def judged_before(campaign: Campaign, assessor: User, **grades: int) -> None:
    """Judgments that the page has not seen given."""
    topic = campaign.topics.get(number="1")
    for docno, grade in grades.items():
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=grade)


def refuse_first(page: Page) -> None:
    """w01 is called a duplicate of what the campaign does not have."""
    settle(page, 3)
    page.keyboard.press("d")
    page.locator("[name=duplicate_of]").fill("nothing")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.locator("#refusals li").wait_for()
    settle(page, 3)


@pytest.mark.parametrize(("documents", "told"), [(1, "judged 1 document"), (2, "2 documents")])
def test_the_last_word_counts_the_last_judgment(desk, campaign, assessor, documents, told):
    give_work(campaign, assessor, documents)
    page = desk()
    settle(page, documents - 1)
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)

    page.route(ACTS, hold_first)
    press(page, "12"[: documents - 1])
    settle(page, 0)
    with page.expect_response("**/judge-ahead/"):  # It knows nothing of the last judgment.
        page.keyboard.press("3")
    page.wait_for_timeout(100)
    held[0].continue_()
    page.locator(".over h2", has_text="completed").wait_for()
    assert told in page.locator(".over").inner_text()
    assert page.locator("#progress").inner_text().startswith(f"{documents} of {documents}")


def test_after_an_undo_the_last_that_stands_is_told(desk, campaign, assessor):
    give_work(campaign, assessor)
    judged_before(campaign, assessor, w01=1, w02=2)
    page = desk()
    settle(page)
    page.keyboard.press("u")
    page.wait_for_function(IN_HAND, arg="w02")
    settle(page)
    assert page.locator("#last .grade").get_attribute("data-grade") == "1"
    assert "w01" in page.locator("#last").inner_text()


def test_an_undo_that_waits_for_the_line_leaves_the_keys(desk, campaign, assessor):
    give_work(campaign, assessor)
    judged_before(campaign, assessor, w01=1)
    page = desk(strict=False)
    settle(page, 3)
    line = Line(page)
    page.keyboard.press("u")
    page.get_by_text("1 unsent – offline").wait_for()
    assert "No connection" in page.locator("#judge-message").inner_text()
    press(page, "3")
    unsent(page, 2)
    line.up = True
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_function(IN_HAND, arg="w01")
    unsent(page, 0)
    assert said() == [("w01", 1), ("w02", 3)]
    assert said("withdrawn") == [("w01", None)]


def test_an_undo_that_another_window_sends_comes_back_here(desk, campaign, assessor):
    give_work(campaign, assessor)
    judged_before(campaign, assessor, w01=1)
    page = desk(strict=False)
    settle(page, 3)
    page.route(ACTS, lambda route: route.abort())
    page.keyboard.press("u")
    page.get_by_text("1 unsent – offline").wait_for()
    other = page.context.new_page()
    other.goto("/c/small/judge/")
    page.wait_for_function(IN_HAND, arg="w01")
    settle(page)
    assert said("withdrawn") == [("w01", None)]


def test_what_was_refused_is_judged_again_once(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    refuse_first(page)
    page.get_by_role("link", name="Judge again").click()
    settle(page, 0)
    page.keyboard.press("d")
    press(page, "21111")
    settle(page, 0)
    unsent(page, 0)
    assert said() == [("w01", 2), *((f"w0{n}", 1) for n in (2, 3, 4, 5))]


def test_undo_of_what_was_refused_puts_the_refusal_away(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    refuse_first(page)
    page.keyboard.press("u")
    page.locator("#refusals").wait_for(state="hidden")
    settle(page)
    assert shown(page) == "w01"


def test_find_goes_on_in_the_next_document(at_work):
    page = at_work(ahead=3)
    page.keyboard.press("/")
    page.keyboard.type("paragraph")
    page.locator("#find-count", has_text="1 of 30").wait_for()
    settle_for_clicks(page)
    page.locator("#grades [data-grade='1']").click()
    settle(page)
    page.locator("[data-find='1']").click()
    page.wait_for_function(
        "() => [...CSS.highlights.get('found-now')].map((range) =>"
        " range.startContainer.parentElement.closest('.judge-doc').dataset.docno).join() === 'w02'"
    )


def test_a_piece_that_comes_late_stops_no_other_document(desk, campaign, assessor):
    give_work(campaign, assessor, 3)
    text = "\n\n".join(f"Line {n} of a text that is rather long." for n in range(15_000))
    Document.objects.filter(docno__in=["w01", "w02"]).update(body=text)
    page = desk()
    settle(page, 2)
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "from=" in route.request.url and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/documents/body/**", hold)
    with page.expect_request("**/documents/body/**"):
        page.evaluate(TO_THE_END)
    page.keyboard.press("1")
    settle(page, 0)
    with page.expect_response("**/documents/body/**"):
        held[0].continue_()
    page.wait_for_timeout(100)
    pieces = page.locator(".judge-doc:not([hidden]) .chunk")
    before = pieces.count()
    page.evaluate(TO_THE_END)
    pieces.nth(before).wait_for(state="attached")


def test_a_document_that_goes_while_it_is_given_takes_no_other_along(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    press(page, "1")
    settle(page)
    page.locator("#recent-list a").click()
    settle(page)
    page.evaluate("""() => {
      const press = new KeyboardEvent("keydown", { key: "2", bubbles: true });
      document.querySelector(".judge-doc:not([hidden])").dispatchEvent(press);
      document.querySelector("[data-go=next]").click();
    }""")
    settle(page)
    assert shown(page) == "w02"
    page.keyboard.press("u")
    settle(page)
    assert shown(page) == "w01"


def test_what_is_taken_back_counts_no_key_before_it_is_painted(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    press(page, "1")
    settle(page)
    page.evaluate("""() => {
      const frame = requestAnimationFrame;
      window.requestAnimationFrame = (then) => setTimeout(() => frame(then), 400);
    }""")
    page.keyboard.press("u")
    page.wait_for_function(IN_HAND, arg="w01")
    page.wait_for_timeout(250)
    page.keyboard.press("2")
    settle(page)
    assert shown(page) == "w01"


def test_a_reload_after_a_document_that_was_asked_for_goes_on(at_work):
    page = at_work()
    page.goto("/c/small/judge/1/?docno=w01")
    press(page, "1")
    settle(page)
    unsent(page, 0)
    page.reload()
    settle(page, 0)
    assert shown(page) == "w02"


def test_time_with_a_document_that_gave_way_to_an_undo_counts(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    press(page, "1")
    settle(page)
    page.wait_for_timeout(1_500)
    press(page, "u23")
    settle(page)
    unsent(page, 0)
    assert Judgment.objects.get(docno="w02").active_seconds > 1.5


def test_undo_leads_to_a_topic_with_any_number(desk, campaign, assessor):
    give_work(campaign, assessor)
    judged_before(campaign, assessor, w01=1)
    pool = make_pool(campaign, {"2": ["d5"]}, version=2)
    create_plan(actor=campaign.created_by, pool=pool, overlap=1, assessors={"2": [assessor]})
    campaign.topics.filter(number="2").update(number="b:2/y")
    campaign.topics.filter(number="1").update(number="a:1/x")
    page = desk("/c/small/judge/b:2/y/")
    settle(page, 0)
    page.keyboard.press("u")
    page.wait_for_url("**/judge/a*x/*docno=w01*")
    settle(page, 0)
    assert shown(page) == "w01"
