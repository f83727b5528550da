"""The judging screen in Chromium: one key a judgment, undo, marks, search, flags, passages."""

import random
from pathlib import Path

import pytest

from campaigns.models import Document
from judging.models import Judgment, Plan, TrainingPair
from tests.browser.desk import give_work, said, settle, settle_for_clicks, shown, unsent
from tests.examples import ALL

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ON_SCREEN = ".judge-doc:not([hidden])"
STATIC = Path(__file__).parents[2] / "static" / "js"


def test_fifty_judgments_cost_fifty_keys(desk, campaign, assessor):
    count = 50 if ALL else 12
    give_work(campaign, assessor, count + 2)
    page = desk()
    for n in range(count):
        settle(page)
        page.keyboard.press(str(n % 4))
    settle(page)
    unsent(page, 0)
    assert said() == [(f"w{n + 1:02}", n % 4) for n in range(count)]


def test_the_next_document_comes_before_the_server_has_answered(at_work):
    page = at_work(strict=False, ahead=3)
    held = []

    def hold(route):
        held.append(route)

    page.route("**/judge-a*/", hold)  # judge-acts and judge-ahead: no answer.
    for n in range(3):
        settle(page, 0)
        page.keyboard.press("1")
        page.wait_for_function(
            "n => document.querySelector('#judge').dataset.unsent == n", arg=n + 1
        )
    assert (shown(page), said()) == ("w04", [])
    # The time from the key to the painted document, which docs/performance.md has.
    page.wait_for_function("() => performance.getEntriesByName('judge:next').length === 3")
    for route in held:
        route.abort()


MISFIRES = """(events) => {
  const places = {
    document: document.querySelector(".judge-doc:not([hidden])"), body: document.body,
    comment: document.querySelector("#comment"),
    original: document.querySelector("[name=duplicate_of]"),
    find: document.querySelector("#find-text"),
  };
  const editable = document.createElement("div");
  editable.setAttribute("contenteditable", "");
  places.editable = document.body.appendChild(editable);
  const choice = document.createElement("select");
  places.choice = document.body.appendChild(choice);
  for (const { place, keyCode, ...init } of events) {
    const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
    if (keyCode) Object.defineProperty(event, "keyCode", { value: keyCode });
    places[place].dispatchEvent(event);
  }
}"""
KEYS = [*"0123uzsbldcpnh/?", "N", "Enter", " ", "x", "9", "é", "Process", "Dead", "Escape", "F5"]
ACTING = [*"0123uzsbldp"]
FIELDS = ["comment", "original", "find", "editable", "choice"]


def misfit(luck: random.Random) -> dict[str, object]:
    """A key press that must do nothing: in a field, with a modifier, composing or held."""
    wrong = luck.choice(["field", "modifier", "composing", "ime", "repeat", "other"])
    press: dict[str, object] = {
        "place": luck.choice(["document", "body"]),
        "key": luck.choice(KEYS),
    }
    if wrong == "field":
        press["place"] = luck.choice(FIELDS)
    elif wrong == "modifier":
        press[luck.choice(["ctrlKey", "altKey", "metaKey"])] = True
    elif wrong == "composing":
        press["isComposing"] = True
    elif wrong == "ime":
        press["keyCode"] = 229
    elif wrong == "repeat":
        press["repeat"] = True
    else:
        press["key"] = luck.choice(["x", "9", "é", "Dead", "F5", "Process", "Tab"])
    return press


def test_a_thousand_key_events_misfire_never(at_work):
    page = at_work(ahead=3)
    luck = random.Random(1950)  # noqa: S311
    page.evaluate(MISFIRES, [misfit(luck) for _ in range(1000)])
    assert shown(page) == "w01"
    assert page.evaluate("document.querySelector('#judge').dataset.unsent") == "0"
    assert page.locator("[name=flags]:checked, :popover-open, #find:not([hidden])").count() == 0
    page.evaluate(HASTE, ACTING)
    assert shown(page) == "w02"
    assert page.locator("[name=flags]:checked, :popover-open").count() == 0
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1)]
    assert said("withdrawn") == said("skip") == []


HASTE = """async (keys) => {
  const docno = () => document.querySelector("#grades [name=docno]").value;
  const press = (key) => document.querySelector(".judge-doc:not([hidden])")
    .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const all = () => { keys.forEach(press); return new Promise((resolve) => setTimeout(resolve)); };
  press("1");
  while (docno() === "w01") await all();
  for (const begun = performance.now(); performance.now() - begun < 100;) await all();
}"""
"""One grade, and then every key that acts until 100 ms after the next document came."""


def test_a_double_click_is_one_judgment(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    settle_for_clicks(page)
    page.evaluate("""async () => {
      const button = document.querySelector("#grades [data-grade='2']");
      button.click();
      await new Promise((resolve) => setTimeout(resolve, 20));
      button.click();
    }""")
    settle(page)
    unsent(page, 0)
    assert shown(page) == "w02"
    assert said() == [("w01", 2)]


def test_undo_takes_one_key_and_shows_what_was_given(desk, campaign, assessor):
    give_work(campaign, assessor)
    page = desk()
    for key in "130":
        settle(page)
        page.keyboard.press(key)
    settle(page)
    page.keyboard.press("u")
    settle(page)
    assert shown(page) == "w03"
    assert page.locator("#grades [aria-pressed=true]").get_attribute("data-grade") == "0"
    assert "Undone: w03" in page.locator("#live").inner_text()
    page.keyboard.press("z")
    settle(page)
    assert shown(page) == "w02"
    page.keyboard.press("2")
    settle(page)
    assert shown(page) == "w03"
    page.keyboard.press("3")
    settle(page)
    assert shown(page) == "w04"
    unsent(page, 0)
    assert said() == [("w01", 1), ("w02", 3), ("w03", 0), ("w02", 2), ("w03", 3)]
    assert [docno for docno, _ in said("withdrawn")] == ["w03", "w02"]
    page.reload()  # What the page did not see itself can be taken back as well.
    settle(page)
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('#grades [name=docno]').value === 'w03'")
    settle(page)
    assert page.locator("#grades [aria-pressed=true]").get_attribute("data-grade") == "3"


def test_flags_comment_and_skip_go_with_the_document(at_work):
    page = at_work()
    page.keyboard.press("b")
    page.keyboard.press("c")
    page.keyboard.type("2 ends u")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    settle(page)
    page.keyboard.press("d")
    page.keyboard.press("1")  # Into the field, which has the focus.
    page.keyboard.press("Enter")
    page.keyboard.press("f")
    page.locator("[name=duplicate_of]").fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    assert "Enter the docno of the original" in page.locator("#judge-message").inner_text()
    page.locator("[name=duplicate_of]").fill("w01")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    settle(page)
    page.keyboard.press("s")
    page.keyboard.press("l")
    settle(page)
    unsent(page, 0)
    first, second = Judgment.objects.filter(kind="grade").order_by("pk")
    assert (first.comment, first.flags) == ("2 ends u", ["broken"])
    assert (second.flags, second.duplicate_of) == (["duplicate"], "w01")
    skipped = Judgment.objects.get(kind="skip")
    assert (skipped.docno, skipped.reason, skipped.flags) == ("w03", "language", [])


def test_another_reason_for_skipping_is_said_before_the_next_document(at_work):
    page = at_work()
    page.keyboard.press("s")
    page.keyboard.press("o")
    assert "Say why you skip" in page.locator("#judge-message").inner_text()
    assert shown(page) == "w01"
    page.keyboard.type("2 of 3 pages are blank")  # Into the field, which has the focus.
    page.keyboard.press("Enter")
    settle(page)
    assert shown(page) == "w02"
    page.keyboard.press("s")
    assert page.locator("#skip-comment").input_value() == ""
    page.keyboard.press("c")  # As everywhere: to the comment.
    page.keyboard.type("half of it")
    page.keyboard.press("Tab")
    page.keyboard.press("x")
    settle(page)
    unsent(page, 0)
    skips = Judgment.objects.order_by("pk").values_list("docno", "reason", "comment")
    assert list(skips) == [
        ("w01", "other", "2 of 3 pages are blank"),
        ("w02", "undecided", "half of it"),
    ]


SELECT = """() => {
  const shown = document.querySelector(".judge-doc:not([hidden]) .reading");
  const block = shown.querySelectorAll(":is(p, pre)[data-start]")[1];
  const range = document.createRange();
  range.setStart(block.firstChild, 5);
  range.setEnd(block.firstChild, 26);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


def test_a_passage_is_marked_with_its_place_in_the_body(desk, campaign, assessor):
    give_work(campaign, assessor, rationale=Plan.Rationale.RELEVANT)
    text = "An apple 🍎 is red.\n\n  Ünd 𝄞 so it says, that a red apple 🍎 is 🍐 none.\n\nEnd."
    Document.objects.filter(docno="w01").update(body=text)
    page = desk()
    settle(page)
    page.keyboard.press("2")
    assert "highlight the passage" in page.locator("#judge-message").inner_text()
    page.evaluate(SELECT)
    page.keyboard.press("p")
    page.evaluate(SELECT)
    page.keyboard.press("p")  # The same again is not a second one.
    assert page.locator("#passage-list li").count() == 1
    assert page.evaluate("CSS.highlights.get('passage').size") == 1
    page.locator("#passage-list button").click()
    assert page.locator("#passage-list li").count() == 0
    page.evaluate(SELECT)
    page.locator("#highlight").click()
    page.keyboard.press("2")
    settle(page)
    unsent(page, 0)
    [[start, end, passage]] = Judgment.objects.get().passages
    assert text[start:end] == passage
    assert len(passage) > 10
    page.keyboard.press("u")  # It comes back with the document.
    settle(page)
    assert page.locator("#passage-list q").inner_text() == passage


def test_words_of_the_topic_are_marked_and_reached(at_work):
    page = at_work()
    page.wait_for_function("() => CSS.highlights.get('term')?.size === 60")
    page.keyboard.press("n")
    page.wait_for_function("() => CSS.highlights.get('term-now')?.size === 1")
    words = "() => [...CSS.highlights.get('term-now')].map(String).join()"
    assert page.evaluate(words) == "red"
    page.keyboard.press("n")
    page.wait_for_function(f"() => ({words})() === 'apples'")
    for _ in range(3):
        page.keyboard.press("Shift+N")
    top = f"() => document.querySelector('{ON_SCREEN}').scrollTop"
    page.wait_for_function(f"() => ({top})() > 0")
    page.keyboard.press("h")
    page.wait_for_function("() => !CSS.highlights.has('term')")


def test_find_reads_on_in_a_long_text(desk, campaign, assessor):
    give_work(campaign, assessor, 2)
    long = "\n\n".join(f"Line {n} of a text that is rather long." for n in range(15_000))
    Document.objects.filter(docno="w01").update(body=long)
    page = desk()
    settle(page)
    page.keyboard.press("/")
    page.keyboard.type("line 1499")
    count = "() => document.querySelector('#find-count').value"
    page.wait_for_function(f"() => ({count})() === '1 of 11'")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"() => ({count})() === '11 of 11'")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    settle(page, 0)
    unsent(page, 0)
    assert said() == [("w01", 1)]


def test_keys_work_inside_the_frame_of_an_html_document(desk, campaign, assessor):
    give_work(campaign, assessor, 3)
    Document.objects.filter(docno="w01").update(
        format="html", body="<h1>Red apples</h1><p>An <b>apple</b> a day.</p>"
    )
    page = desk(strict=False)
    settle(page)
    frame = page.frame_locator(f"{ON_SCREEN} iframe")
    frame.locator("b").click()
    page.wait_for_function(
        "() => document.querySelector('iframe').contentWindow"
        ".CSS.highlights.get('term')?.size === 3"
    )
    page.keyboard.press("3")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 3)]
    page.context.set_offline(True)  # What was taken back can still be read.
    page.keyboard.press("u")
    settle(page)
    assert shown(page) == "w01"
    assert frame.locator("b").inner_text() == "apple"


def test_training_shows_the_known_grade_beside_ones_own(desk, campaign, assessor):
    give_work(campaign, assessor, 2)
    topic = campaign.topics.get(number="1")
    for at, docno in enumerate(["d1", "d2"]):
        TrainingPair.objects.create(
            campaign=campaign,
            topic=topic,
            docno=docno,
            grade=2,
            explanation="Says so.",
            position=at,
        )
    page = desk()
    assert page.url.endswith("/judge-training/")
    for n, key in enumerate("12"):
        page.get_by_text(f"training {n + 1} of 2").wait_for()
        page.wait_for_selector("#judge[data-settled] #grades")
        page.keyboard.press(key)
        page.get_by_text("Correct grade", exact=True).wait_for()
        assert page.get_by_text("Says so.").count() == 1
        assert seen(page.locator(".compared-grades dd").last)
        page.wait_for_selector("#judge[data-settled]")
        page.keyboard.press("Enter")
    page.wait_for_url("**/judge/")
    assert list(Judgment.objects.order_by("pk").values_list("purpose", "grade")) == [
        ("training", 1), ("training", 2),
    ]  # fmt: skip


def test_on_a_phone_the_original_of_a_duplicate_leaves_the_grades_free(at_work):
    page = at_work(2, viewport={"width": 390, "height": 844})
    page.keyboard.press("d")
    page.locator("[name=duplicate_of]").wait_for()
    assert all(seen(button) for button in page.locator("#grades [data-grade]").all())


def seen(place) -> bool:
    """Whether the middle of ``place`` is neither cut off nor covered."""
    return place.evaluate(
        "e => { const r = e.getBoundingClientRect();"
        " return e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); }"
    )


def test_without_scripts_plain_buttons_do_it_all(desk, campaign, assessor):
    give_work(campaign, assessor, 4, rationale=Plan.Rationale.RELEVANT)
    page = desk(java_script_enabled=False)
    page.locator("#grades [data-grade='0']").click()
    assert shown(page) == "w02"
    page.locator("#comment-button").click()
    page.locator("[name=quotes]").fill("tells of red apples")
    page.locator("#comment").fill("plain")
    page.locator("#grades [data-grade='2']").click()
    assert shown(page) == "w03"
    page.locator("#undo button").click()
    assert shown(page) == "w02"
    assert page.locator("#grades [aria-pressed=true]").get_attribute("data-grade") == "2"
    assert said() == [("w01", 0), ("w02", 2)]
    assert Judgment.objects.get(docno="w02", kind="grade").passages == [
        [None, None, "tells of red apples"]
    ]


def test_the_scripts_of_the_screen_are_small(desk):
    import gzip

    files = [STATIC / "judge.js", STATIC / "app.js", STATIC / "tables.js"]
    files += sorted((STATIC / "judge").glob("*.js"))
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 60_000
