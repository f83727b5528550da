"""Notebook, break and passages by keys alone in Chromium, also without a connection."""

from campaigns.models import Document
from judging.models import Judgment, TopicNote
from tests.browser.desk import give_work, said, settle, shown, unsent
from tests.browser.door import DOOR

MARKS = "() => CSS.highlights.get('term')?.size ?? 0"


def written() -> list[tuple[str, str, str]]:
    rows = TopicNote.objects.filter(removed_at=None).order_by("pk")
    with DOOR.turn:
        return list(rows.values_list("kind", "text", "docno"))


def test_notes_words_and_typical_documents_by_keys(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk(strict=False)
    settle(page, 3)
    before = page.evaluate(MARKS)
    page.context.set_offline(True)
    page.keyboard.press(".")
    assert page.evaluate("document.activeElement.id") == "note-text"
    page.keyboard.type("1 is a fruit, 2 a tree")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("paragraph")
    page.keyboard.press("Enter")
    page.keyboard.type("Paragraph")  # It is there.
    page.keyboard.press("Enter")
    page.wait_for_function(f"n => ({MARKS})() > n", arg=before)
    page.keyboard.press("Escape")
    settle(page, 0)
    assert shown(page) == "w01"  # Digits in a note judge nothing.
    page.keyboard.press("e")
    page.locator("#draft-note", has_text="typical").wait_for()
    page.keyboard.press("2")
    settle(page, 0)
    assert shown(page) == "w02"
    assert page.locator("#typical li").inner_text().split()[:2] == ["w01", "2"]
    page.context.set_offline(False)
    unsent(page, 0)
    assert written() == [("note", "1 is a fruit, 2 a tree", "w01"), ("word", "paragraph", "w01")]
    assert said() == [("w01", 2)]
    page.reload()
    settle(page, 1)
    assert page.evaluate(MARKS) > before
    assert page.locator("#typical li").count() == 1
    page.get_by_role("button", name="Remove from the notebook").first.click()
    unsent(page, 0)
    assert written() == [("word", "paragraph", "w01")]


def test_after_fifty_minutes_a_break_is_hinted_at_with_counts(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk(strict=False)
    settle(page, 3)
    # One document every 2 minutes for 50 minutes; 0 in the first half, then 1.
    page.evaluate(
        "key => sessionStorage.setItem(key, JSON.stringify({ judged: [...Array(26).keys()].map("
        "at => [Date.now() - (50 - 2 * at) * 60000 - 5000, at < 13 ? 0 : 1]), told: 0 }))",
        f"poolbench-pace-{assessor.pk}-small",
    )
    page.reload()
    settle(page, 3)
    page.keyboard.press("1")
    settle(page, 0)
    hint = page.locator("#judge-message").inner_text()
    # Of the last 20 minutes 11, with this one, and 10 before: of those the 0s end 26 minutes ago.
    assert hint.startswith("50 minutes without a pause. In the last 20: 11 documents, 0 with")
    assert "in the 20 before: 10, 7." in hint
    page.keyboard.press("1")
    settle(page, 0)
    assert page.locator("#judge-message").inner_text() == ""


def test_a_passage_is_chosen_by_keys_alone(desk, campaign, assessor):
    give_work(campaign, assessor, rationale="relevant")
    page = desk()
    settle(page, 1)
    page.keyboard.press("n")  # The first term is in the title, the next in the first sentence.
    page.keyboard.press("n")
    page.keyboard.press("p")
    page.locator("#judge-message", has_text="Arrows choose a sentence").wait_for()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Shift+ArrowDown"):
        page.keyboard.press(key)
    assert "Paragraph 2 of w01" in page.locator("#live").inner_text()
    page.keyboard.press("p")
    assert page.locator("#passage-list li").count() == 2  # One for each paragraph.
    page.keyboard.press("2")
    settle(page, 1)
    unsent(page, 0)
    with DOOR.turn:
        passages = Judgment.objects.get().passages
        text = Document.objects.get(docno="w01").body
    assert [text[start:end] for start, end, _ in passages] == [
        f"Paragraph {n} of w01 tells of red apples and of pears." for n in (1, 2)
    ]


def test_a_document_that_comes_again_does_not_show_that_it_was_typical(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk(strict=False)
    settle(page, 1)
    page.keyboard.press("e")
    page.keyboard.press("2")
    settle(page, 1)
    is_hidden = "() => document.querySelector('#typical li').hidden"
    assert not page.evaluate(is_hidden)
    page.keyboard.press("u")
    settle(page, 0)
    assert shown(page) == "w01"
    assert page.evaluate(is_hidden)
