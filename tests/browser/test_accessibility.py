"""axe-core finds nothing serious on the pages where people work, light and dark."""

import pytest

from tests.browser.acts import prepare_acts
from tests.browser.desk import settle, sign_in
from tests.examples import take

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SERIOUS = {"serious", "critical"}


LANDMARKS = "region"
"""The rule of axe by which everything stands in a landmark; it does not call it serious."""


def serious(page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{row['id']}: {node['html'][:150]}"
        for row in found
        if row["impact"] in SERIOUS or row["id"] == LANDMARKS
        for node in row["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way(scheme, at_work, organizer, live_server):
    page = at_work(rationale="relevant", color_scheme=scheme)
    page.keyboard.press("0")
    settle(page)
    wrong = {"judging": serious(page)}
    page.keyboard.press("?")
    wrong["keys"] = serious(page)
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    wrong["skip"] = serious(page)
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    wrong["find"] = serious(page)
    for name in take(("judge", "my-judgments"), 2):
        page.goto(f"/c/small/{name}/")
        wrong[name] = serious(page)
    sign_in(page, organizer, live_server.url)
    names = ("", "judging/adjudication/", "judging/today/", "judging/", "judging/agreement/",
             "people/outbox/", "people/outbox/new/")  # fmt: skip
    for name in take((*names, "judging/adjudication/meeting/"), 2):
        page.goto(f"/c/small/{name}")
        wrong[name or "dashboard"] = serious(page)
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_that_ask_before_an_act_are_clear(
    scheme, width, open_page, campaign, team, other_team, organizer, live_server
):
    addresses = prepare_acts(campaign, team, other_team)
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    sign_in(page, organizer, live_server.url)
    wrong = {}
    for name, address in take(addresses.items(), 4):
        page.goto(address)
        wrong[name] = serious(page)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong[name].append("wider than the window")
    assert {name: found for name, found in wrong.items() if found} == {}
