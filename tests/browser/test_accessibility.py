"""axe-core finds nothing serious on the pages where people work, light and dark."""

from __future__ import annotations

import pytest

from tests.browser.desk import give_work, settle, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SERIOUS = {"serious", "critical"}


def serious(page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{row['id']}: {node['html'][:150]}"
        for row in found
        if row["impact"] in SERIOUS
        for node in row["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way(
    scheme, desk, campaign, assessor, organizer, live_server
):
    give_work(campaign, assessor, rationale="relevant")
    page = desk(color_scheme=scheme)
    settle(page)
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
    for name in ("judge", "my-judgments"):
        page.goto(f"/c/small/{name}/")
        wrong[name] = serious(page)
    sign_in(page, organizer, live_server.url)
    for name in ("", "judging/", "agreement/", "adjudication/", "adjudication/meeting/"):
        page.goto(f"/c/small/{name}")
        wrong[name or "dashboard"] = serious(page)
    assert {name: found for name, found in wrong.items() if found} == {}
