"""Today, home and My topics with documents to look at again, in a browser."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.services.snapshots import compute_report
from judging.models import Plan, ReviewRequest
from judging.services.plans import create_plan
from judging.services.reviews import request_review
from judging.services.today import put_alarm_aside
from tests.browser.desk import give_work, said, settle, shown, sign_in, unsent
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOWN = "docno => document.querySelector('#grades [name=docno]').value === docno"
PAGES = {
    "organizer": ("/c/small/judging/today/", "/?all", "/c/small/judging/review/assessor/"),
    "assessor": ("/c/small/judge/", "/?all"),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_mornings_pages_are_clear(
    scheme, width, open_page, campaign, organizer, assessor, live_server
):
    give_work(campaign, assessor)
    # Closed with judgments missing: an alarm that sounds.
    Campaign.objects.filter(pk=campaign.pk).update(
        judging_deadline=timezone.now() - timedelta(days=5)
    )
    campaign.refresh_from_db()
    compute_report(campaign, "today")
    who = {"actor": organizer, "campaign": campaign}
    request_review(**who, assessor=assessor, message="What does <b>partly</b> mean here?")
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    wrong = {}
    for user in (organizer, assessor):
        sign_in(page, user, live_server.url)
        for address in PAGES[user.username]:
            page.goto(live_server.url + address)
            wrong[user.username, address] = serious(page)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wrong[user.username, address].append("wider than the window")
    sign_in(page, organizer, live_server.url)
    page.goto(live_server.url + PAGES["organizer"][0])
    page.get_by_text("Put aside").first.click()
    wrong["put aside"] = serious(page)
    put_alarm_aside(**who, name="end-late", subject="", reason="the deadline moves")
    page.reload()
    assert page.locator("#aside .alarm").count() == 1
    wrong["aside"] = serious(page)
    assert {place: faults for place, faults in wrong.items() if faults} == {}


def topic_shown(page):
    return page.locator("#topic-name .mono").inner_text(), page.locator(".topic-title").inner_text()


def test_an_undo_in_documents_to_look_at_again_loses_none(desk, campaign, organizer, assessor):
    """Over two topics: the grade that was changed is back, and the queue is as it was."""
    give_work(campaign, assessor, 3)
    pool = make_pool(campaign, {"2": ["w01"]}, version=2)
    people = {"2": [assessor]}
    strict = create_plan(actor=organizer, pool=pool, assessors=people)
    Plan.objects.filter(pk=strict.pk).update(rationale="relevant")
    campaign.topics.filter(number="2").update(title="Two words")
    documents = [("1", "w01"), ("2", "w01"), ("1", "w02")]
    for number, docno in documents:
        topic = campaign.topics.get(number=number)
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=0)
    request_review(actor=organizer, campaign=campaign, assessor=assessor, documents=documents)
    page = desk("/c/small/judge/")
    page.locator(".again a").first.click()
    settle(page, 2)
    one, two = ("1", "red apples"), ("2", "Two words")
    assert topic_shown(page) == one
    page.keyboard.press("2")
    settle(page, 1)
    assert (topic_shown(page), shown(page)) == (two, "w01")
    page.keyboard.press("3")  # Only this topic asks for passages.
    assert "highlight the passage" in page.locator("#judge-message").inner_text()
    page.keyboard.press("u")
    settle(page, 2)
    assert (topic_shown(page), page.locator("#progress").inner_text()) == (one, "0 of 3")
    assert "Your judgment: 0" in page.locator(".judge-doc:not([hidden]) .before").inner_text()
    unsent(page, 0)
    assert said() == [("w01", 0), ("w01", 0), ("w02", 0), ("w01", 2), ("w01", 0)]
    page.reload()  # It is not done, and is shown first.
    settle(page, 2)
    assert (topic_shown(page), page.locator("#progress").inner_text()) == (one, "0 of 3")
    page.keyboard.press("j")  # The judgment stands: that is done.
    settle(page, 1)
    assert topic_shown(page) == two
    unsent(page, 0)
    page.reload()
    settle(page, 1)
    assert (topic_shown(page), page.locator("#progress").inner_text()) == (two, "1 of 3")
    page.keyboard.press("0")
    settle(page, 0)
    assert (topic_shown(page), shown(page)) == (one, "w02")
    # What was judged here stands among the latest, with its topic.
    page.locator("#recent-list li", has_text="2:").locator("a").click()
    page.wait_for_function(SHOWN, arg="w01")
    settle(page, 1)
    assert topic_shown(page) == two
    page.keyboard.press("j")
    page.wait_for_function(SHOWN, arg="w02")
    settle(page, 0)
    page.keyboard.press("1")
    page.get_by_role("heading", name="No documents left to look at again").wait_for()
    unsent(page, 0)
    assert "3 of 3 looked at again" in page.locator(".over").inner_text()
    assert said()[5:] == [("w01", 0), ("w02", 1)]
    edge = "getComputedStyle(document.querySelector('.over .button.primary')).borderTopStyle"
    assert page.evaluate(edge) == "solid"


def test_what_one_was_unsure_of_is_gone_over_by_keys_and_ticked(desk, campaign, assessor):
    give_work(campaign, assessor, 7)
    topic = campaign.topics.get(number="1")
    for at in range(1, 8):
        own = {"docno": f"w{at:02}", "grade": 0, "flags": ["unsure"] if at > 2 else []}
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **own)
    page = desk("/c/small/my-judgments/?kind=unsure", strict=False)
    page.get_by_role("button", name="Look at them again").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/**")
    for at in range(5):
        settle(page, 0 if at == 4 else 1)
        page.keyboard.press("2" if at == 3 else "j")
    page.get_by_text("5 of 5 looked at again").wait_for()
    unsent(page, 0)
    assert said()[7:] == [("w04", 2)]
    settle(page, 0)
    page.keyboard.press("Enter")
    page.locator(".again .tag.done").nth(4).wait_for()
    page.get_by_role("button", name="Remove list").click()
    page.get_by_text("List removed.").wait_for()
    assert page.locator(".again").count() == 0


def test_a_change_leads_back_to_the_list_that_it_came_from(desk, campaign, organizer, assessor):
    give_work(campaign, assessor, 5)
    topic = campaign.topics.get(number="1")
    for docno, grade in (("w01", 1), ("w02", 0), ("w03", 1)):
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=grade)
    page = desk("/c/small/my-judgments/?topic=1&grade=1", strict=False)
    for keys, rows in (("j", 2), ("u1j", 2), ("0", 1)):
        page.get_by_role("link", name="Change w01").click()
        page.context.set_offline(keys == "0")
        for key in keys:
            page.wait_for_selector("#judge[data-settled]")
            page.keyboard.press(key)
        if keys == "0":
            page.get_by_text("The desk goes on when the connection is back").wait_for()
            page.context.set_offline(False)
        page.wait_for_url(re.compile(r"/my-judgments/\?topic=1&grade=1$"))
        page.locator("#mine tbody tr").nth(rows - 1).wait_for()
        assert page.locator("#mine tbody tr").count() == rows


@pytest.mark.parametrize("count", [3, 50])
def test_documents_are_looked_at_again_by_keys_alone(desk, campaign, organizer, assessor, count):
    """From the list through all of them without a page load, and back; one is left as it is."""
    give_work(campaign, assessor, count + 2)
    topic = campaign.topics.get(number="1")
    docnos = [f"w{n:02}" for n in range(1, count + 1)]
    for docno in docnos:
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno=docno, grade=0)
    documents = [("1", docno) for docno in docnos]
    request_review(actor=organizer, campaign=campaign, assessor=assessor, documents=documents)
    page = desk("/c/small/judge/")
    page.locator(".again a").first.focus()
    page.keyboard.press("Enter")
    settle(page, 2)
    loads: list[str] = []
    page.on("load", lambda it: loads.append(it.url))
    for docno in docnos:
        page.wait_for_function(SHOWN, arg=docno)
        settle(page, 0)
        page.keyboard.press("j" if docno == "w02" else "2")
    page.get_by_role("heading", name="No documents left to look at again").wait_for()
    assert page.locator("#topic-name").inner_text() == "Documents to look at again"
    unsent(page, 0)
    assert loads == []
    assert said()[count:] == [(docno, 2) for docno in docnos if docno != "w02"]
    settle(page, 0)
    page.keyboard.press("Enter")
    page.locator(".again .tag.done").nth(count - 1).wait_for()
    assert page.locator(".again .tag.done").count() == count
    page.get_by_label("Answer, optional").press_sequentially("w02 stays.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Thank you").wait_for()
    with DOOR.turn:
        assert ReviewRequest.objects.get().answer == "w02 stays."
