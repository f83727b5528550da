"""One campaign's whole life in a browser: organizer, participant, assessor, release."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from campaigns.models import Campaign, User
from judging.models import Judgment
from tests.browser.desk import settle, unsent
from tests.browser.steps import (
    confirm,
    create_campaign,
    import_collection,
    invite,
    join,
    press,
    release_scores,
    upload,
)
from tests.examples import ALL

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NUMBERS = (1, 2) if ALL else (1,)
TOPICS = "".join(f"{n}\tred apples\tWhich apples are red?\n" for n in NUMBERS)
DOCUMENTS = "".join(f"d{i}\tTitle {i}\tThe text of document {i} is short.\n" for i in range(6))
RUN = "".join(f"{t} Q0 d{i} {i + 1} {9 - i} first\n" for t in NUMBERS for i in range(4))


def set_up(page: Page) -> tuple[str, str]:
    """Create the campaign with its topics and documents; return the two invitation links."""
    create_campaign(page)
    import_collection(page, TOPICS, DOCUMENTS)
    return invite(page, "participant", "Orchard"), invite(page, "assessor")


def submit(page: Page) -> None:
    """A bad run is refused with its faults, a good one is accepted."""
    page.goto("/c/fruit/runs/upload/")
    upload(page, {"bad.txt": RUN.replace("d3", "d9").replace(" 9 ", " high ")})
    page.get_by_text("E10").first.wait_for()
    page.get_by_text("E14").first.wait_for()
    page.goto("/c/fruit/runs/upload/")
    upload(page, {"good.txt": RUN})
    page.get_by_text(re.compile("accepted", re.IGNORECASE)).first.wait_for()
    page.goto("/c/fruit/results/scores/")
    assert page.locator("table").count() == 0


def pool_and_plan(page: Page) -> None:
    page.goto("/c/fruit/pool/")
    page.fill("[name=depth]", "3")
    page.get_by_role("button", name="Preview pool").click()
    page.get_by_role("button", name="Freeze pool 1").click()
    confirm(page, "Close submission now")
    page.wait_for_url("**/pool/1/")
    page.goto("/c/fruit/judging/plan/")
    page.get_by_role("button", name="All assessors on all topics").click()
    page.get_by_role("button", name="Create plan").click()
    page.wait_for_url("**/judging/")


def judge(page: Page, topic: int) -> None:
    """Three documents cost three keys; an undo and its repetition cost two more."""
    page.goto(f"/c/fruit/judge/{topic}/")
    press(page, "1")
    press(page, "u")
    press(page, "2")
    press(page, "0")
    press(page, "1")
    settle(page, ahead=0)
    unsent(page, 0)


def test_campaign_goes_through_its_whole_life(open_page, client, settings):
    organizer, participant, assessor = open_page(), open_page(), open_page()
    for_team, for_assessor = set_up(organizer)
    join(participant, for_team, "pat")
    join(assessor, for_assessor, "ann")
    submit(participant)
    pool_and_plan(organizer)
    for number in NUMBERS:
        judge(assessor, number)
    release_scores(organizer, "1 team, 1 person will see scores")
    participant.goto("/c/fruit/results/scores/")
    participant.get_by_role("link", name="first").first.click()
    participant.wait_for_url("**/run/*/")
    assert "map" in participant.content()

    campaign = Campaign.objects.get(slug="fruit")
    assert campaign.qrels.get().pairs == 3 * len(NUMBERS)
    assert Judgment.objects.filter(kind="grade").count() == 4 * len(NUMBERS)
    assert Judgment.objects.filter(kind="withdrawn").count() == len(NUMBERS)
    client.force_login(User.objects.get(username="pat"))
    scores = campaign.score_sets.get().runs.get()
    url = f"/c/fruit/results/scores/{scores.score_set_id}/run/{scores.run_id}/scores.json"
    assert client.get(url).status_code == 200
