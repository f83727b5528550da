"""Today, home and My topics with documents to look at again, in a browser: axe and width."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.services.snapshots import compute_report
from judging.services.today import put_alarm_aside, request_review
from tests.browser.desk import give_work, sign_in
from tests.browser.test_accessibility import serious

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
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
