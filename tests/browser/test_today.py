"""Today, home and My topics with documents to look at again, in a browser."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.services.snapshots import compute_report
from judging.models import ReviewRequest
from judging.services.today import put_alarm_aside, request_review
from tests.browser.desk import give_work, said, settle, sign_in, unsent
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
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
    page.locator(".again .tag.done").nth(count - 2).wait_for()
    assert page.locator(".again .tag.done").count() == count - 1
    page.get_by_label("Answer, optional").press_sequentially("w02 stays.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Thank you").wait_for()
    with DOOR.turn:
        assert ReviewRequest.objects.get().answer == "w02 stays."
