"""Guidelines that change while an assessor judges, in Chromium."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api")

from typing import TYPE_CHECKING

from campaigns.models import Campaign
from campaigns.services.campaigns import update_campaign
from judging.models import Judgment
from tests.browser.desk import give_work, settle, shown, unsent
from tests.browser.door import DOOR
from tests.browser.test_queue import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
NEWS, PANE = "#guidelines-news", "#guidelines"


def change(campaign: Campaign, text: str) -> None:
    with DOOR.turn:
        fresh = Campaign.objects.get(pk=campaign.pk)
        update_campaign(actor=fresh.created_by, campaign=fresh, guidelines=text)


def versions() -> list[int]:
    with DOOR.turn:
        rows = Judgment.objects.order_by("pk")
        return list(rows.values_list("guideline_version", flat=True))


def judge(page: Page) -> None:
    before = len(versions())
    settle(page)
    page.keyboard.press("1")
    until(page, lambda: len(versions()) > before)
    unsent(page, 0)


def test_a_change_is_announced_and_g_opens_it(desk, campaign, assessor):
    """Judgments hold the version on the page: the old one until the new one is opened."""
    give_work(campaign, assessor)
    change(campaign, "Rule A")
    page = desk()
    settle(page)
    assert not page.is_visible(NEWS)
    change(campaign, "Rule B")
    judge(page)
    page.wait_for_selector(NEWS, state="visible")
    assert "Guidelines changed – press g to read them" in page.inner_text(NEWS)
    judge(page)
    assert versions() == [1, 1]
    settle(page)
    page.keyboard.press("g")
    page.wait_for_selector(f"{PANE} .prose:has-text('Rule B')")
    page.wait_for_selector(NEWS, state="hidden")
    assert page.locator(PANE).evaluate("node => node.open")
    judge(page)
    assert versions() == [1, 1, 2]
    settle(page)
    page.keyboard.press("g")
    page.wait_for_selector(f"{PANE}:not([open])")
    before = shown(page)
    judge(page)
    assert shown(page) != before
    page.reload()
    settle(page)
    assert not page.is_visible(NEWS)
    assert page.locator(f"{PANE} .tag").count() == 0


def test_a_new_version_in_the_folded_topic_is_not_open(desk, campaign, assessor):
    give_work(campaign, assessor)
    change(campaign, "Rule A")
    page = desk()
    judge(page)
    settle(page)
    page.keyboard.press("t")
    page.wait_for_selector("#topic:not([open])")
    change(campaign, "Rule B")
    page.reload()
    settle(page)
    page.wait_for_selector("#topic:not([open])")
    judge(page)
    assert versions() == [1, 1]
    settle(page)
    page.keyboard.press("g")
    page.wait_for_selector(f"{PANE}[open]")
    judge(page)
    assert versions() == [1, 1, 2]


def test_judgments_kept_offline_hold_the_version_they_were_made_with(desk, campaign, assessor):
    give_work(campaign, assessor)
    change(campaign, "Rule A")
    page = desk(strict=False)
    settle(page, ahead=3)
    page.context.set_offline(True)
    for _ in range(2):
        settle(page)
        page.keyboard.press("0")
    unsent(page, 2)
    change(campaign, "Rule B")
    page.context.set_offline(False)
    unsent(page, 0)
    assert versions() == [1, 1]
    page.wait_for_selector(NEWS, state="visible")
    page.reload()
    settle(page)
    assert "changed since you last judged" in page.inner_text(f"{PANE} summary")
    assert not page.is_visible(NEWS)  # They stand open beside the document.
    judge(page)
    assert versions() == [1, 1, 2]


def test_guidelines_written_while_a_tab_is_open_appear(at_work, campaign):
    page = at_work()
    assert not page.is_visible(PANE)
    change(campaign, "The first rule")
    judge(page)
    page.wait_for_selector(NEWS, state="visible")
    page.click(f"{NEWS} a")
    page.wait_for_selector("#guidelines .prose:has-text('The first rule')")
    judge(page)
    assert versions() == [0, 1]


def test_without_scripts_the_guidelines_open_and_the_version_is_posted(desk, campaign, assessor):
    give_work(campaign, assessor)
    change(campaign, "Rule A")
    page = desk(java_script_enabled=False)
    page.click(f"{PANE} summary")
    assert page.is_visible(f"{PANE} .prose")
    change(campaign, "Rule B")
    page.click("#grades button[value='1']")
    assert versions() == [1]
    assert page.is_visible(NEWS)
    assert "Rule B" in page.inner_text(PANE)
    page.click(f"{PANE} a")
    page.click("#grades button[value='1']")
    assert versions() == [1, 2]
