"""Duplicates on the judging screen: side by side, and the other grade after the judgment."""

import pytest

from campaigns.models import Document
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from judging.models import Judgment
from tests.browser.desk import body, give_work, said, settle, shown, unsent
from tests.browser.door import DOOR

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LINE = ".judge-doc:not([hidden]) .notice.duplicates"


def test_a_duplicate_is_compared_by_keys_and_its_grade_comes_after(desk, campaign, assessor):
    give_work(campaign, assessor, 4)
    texts = Document.objects.filter(campaign=campaign)
    texts.filter(docno__in=["w01", "w02"]).update(title="Apples", body=body("w01"))
    near = body("w01").replace("Paragraph 3 of", "Section 3 of")
    texts.filter(docno="w03").update(title="Apples", body=near)
    group_campaign_duplicates(request_duplicates(campaign))
    page = desk()
    settle(page)
    assert page.locator(LINE).count() == 0
    page.keyboard.press("3")
    settle(page)
    assert (shown(page), page.locator(LINE).inner_text().split()[:4]) == (
        "w02", ["Same", "text", "as", "w01"],
    )  # fmt: skip
    page.keyboard.press("v")
    panel = page.locator("#duplicate-panel")
    panel.get_by_text("The same text.").wait_for()
    assert page.locator("#duplicate-news").is_hidden()
    page.keyboard.press("1")
    settle(page)
    unsent(page, 0)
    assert (panel.is_hidden(), said()) == (True, [("w01", 3), ("w02", 1)])
    news = page.locator("#duplicate-news")
    news.wait_for()
    assert "w02: 1" in news.inner_text()
    assert "w01: 3" in news.inner_text()
    assert "Nearly the same text as" in page.locator(LINE).inner_text()
    page.keyboard.press("Shift+V")
    panel.get_by_text("Keep both").wait_for()
    page.wait_for_timeout(300)
    page.keyboard.press("2")  # Not a grade of w03, which is behind the panel.
    page.keyboard.press("j")
    panel.wait_for(state="hidden")
    assert (news.is_hidden(), shown(page), said()) == (True, "w03", [("w01", 3), ("w02", 1)])
    page.keyboard.press("v")
    panel.locator("mark").first.wait_for()
    assert panel.locator("mark").all_inner_texts() == [
        f"{word} 3 of w01 tells of red apples and of pears." for word in ("Section", "Paragraph")
    ]
    page.keyboard.press("Escape")
    panel.wait_for(state="hidden")
    page.keyboard.press("d")
    field = page.locator("[name=duplicate_of]")
    own = field.input_value()
    field.fill("w0")
    page.locator("#last-docnos option[value=w04]").wait_for(state="attached")
    field.fill(own)
    for key in ("Enter", "1"):
        page.keyboard.press(key)
    settle(page, 0)
    unsent(page, 0)
    with DOOR.turn:
        last = Judgment.objects.latest("pk")
    assert (last.docno, last.flags, last.duplicate_of) == ("w03", ["duplicate"], "w02")
