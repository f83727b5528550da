"""A document and its translation on the desk: rows, columns, one at a time; keys, find, the log."""

import pytest

from campaigns.models import Document, Translation
from judging.models import Judgment, Plan
from poolbench.texts.translations import align_segments
from tests.browser.desk import give_work, settle, shown, unsent
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.browser.test_desk_sizes import OUTSIDE, SEEN, SIZES, SMALL, fold, window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ROWS = 40
PERSIAN = [f"سطر {n} از سیب‌های سرخ WHO می‌گوید و از باغ." for n in range(1, ROWS + 1)]
ENGLISH = [f"Line {n} tells of red apples and of the garden." for n in range(1, ROWS + 1)]
CHINESE = "\n\n".join(f"第{n}段讲的是红苹果和花园。" for n in range(1, ROWS + 1))
HTML = "<h1>Äpfel</h1>" + "<p>Die <b>roten</b> Äpfel im Garten.</p>" * 12
DOC = ".judge-doc:not([hidden])"
COUNT = "document.querySelector('#find-count').value"


def translate(docno: str, text: str, language: str, english: str, **more: object) -> None:
    Document.objects.filter(docno=docno).update(body=text, language=language)
    Translation.objects.create(
        document=Document.objects.get(docno=docno), language="en", title="Red apples",
        body=english, sha256="0" * 64, **more,
    )  # fmt: skip


@pytest.fixture
def translated(campaign, assessor) -> Plan:
    """w01 in rows and from right to left, w02 in columns, w03 a page, w04 without a translation."""
    plan = give_work(campaign, assessor, 4, rationale=Plan.Rationale.MAY)
    text, english = " ".join(PERSIAN), " ".join(ENGLISH)
    rows = align_segments(text, english, list(zip(PERSIAN, ENGLISH, strict=True)))
    translate("w01", text, "fa", english, segments=rows, by="Model 3")
    translate("w02", CHINESE, "zh-Hans", "\n\n".join(ENGLISH), by="Model 3")
    translate("w03", HTML, "de", "\n\n".join(ENGLISH[:12]))
    Document.objects.filter(docno="w03").update(format="html")
    return plan


def sides(page) -> list[bool]:
    """Whether the original and the translation are seen."""
    return [page.locator(f"{DOC} .{side} >> nth=0").is_visible()
            for side in ("original", "translation")]  # fmt: skip


def logged() -> list[tuple[str, str]]:
    with DOOR.turn:
        rows = Judgment.objects.filter(kind="grade").order_by("pk")
        return list(rows.values_list("docno", "language_shown"))


def find(page, words: str) -> str:
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.wait_for_function(f"() => {COUNT} !== '' && !{COUNT}.includes('loading')")
    page.wait_for_timeout(250)
    count = page.evaluate(COUNT)
    page.keyboard.press("Escape")
    return str(count)


def test_rows_are_read_searched_and_judged_by_keys(desk, translated):
    page = desk(viewport={"width": 1366, "height": 768})
    settle(page, 3)
    page.mouse.click(900, 400)  # A click anywhere takes no key away.
    assert sides(page) == [True, True]
    cells = [page.locator(f"{DOC} [data-row='7'] .{side}") for side in ("original", "translation")]
    assert [cell.get_attribute("lang") for cell in cells] == ["fa", "en"]
    assert [cell.evaluate("it => getComputedStyle(it).direction") for cell in cells] == [
        "rtl", "ltr",
    ]  # fmt: skip
    assert [cell.inner_text().strip() for cell in cells] == [PERSIAN[7], ENGLISH[7]]
    left, right = (cell.bounding_box() for cell in cells)
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    assert page.locator(f"{DOC} .translation .language-head").first.inner_text().split("\n") == [
        "Machine translation by Model 3", "English",
    ]  # fmt: skip
    marked = page.evaluate("CSS.highlights.get('term').size")
    assert marked == 2 * ROWS + 2
    assert find(page, "سیب‌های سرخ") == f"1 of {ROWS}"
    assert find(page, "red apples") == f"1 of {ROWS + 1}"
    page.keyboard.press("k")
    assert sides(page) == [True, False]
    assert find(page, "red apples") == "not searched: the translation"
    page.keyboard.press("n")
    assert page.locator("#judge-message").inner_text() == "not searched: the translation"
    page.keyboard.press("k")
    assert sides(page) == [False, True]
    assert find(page, "Line 12 tells") == "1 of 1 · not searched: the original"
    page.keyboard.press("n")
    assert page.evaluate("CSS.highlights.get('term').size") == marked
    page.keyboard.press("2")
    settle(page, 2)
    assert (shown(page), sides(page)) == ("w02", [False, True])  # The choice stays.
    page.keyboard.press("1")
    settle(page, 1)
    for _ in range(2):
        page.keyboard.press("k")
    assert (shown(page), sides(page)) == ("w03", [True, False])
    page.keyboard.press("0")
    settle(page, 0)
    page.keyboard.press("0")
    settle(page, 0)
    unsent(page, 0)
    assert logged() == [("w01", "both"), ("w02", "translation"), ("w03", "both"), ("w04", "")]


def test_a_passage_of_the_translation_has_its_text_alone(desk, translated):
    page = desk(viewport={"width": 1366, "height": 768})
    settle(page, 3)
    page.evaluate(
        f"""() => {{ const row = document.querySelector("{DOC} [data-row='0']");
        const at = (side) => row.querySelector(`.${{side}} p`);
        document.getSelection().setBaseAndExtent(at("original"), 0, at("translation"), 1); }}"""
    )
    page.keyboard.press("p")
    assert page.evaluate("CSS.highlights.get('passage').size") == 2
    page.keyboard.press("2")
    settle(page, 2)
    unsent(page, 0)
    with DOOR.turn:
        passages = Judgment.objects.get(docno="w01").passages
    assert passages == [[0, len(PERSIAN[0]), PERSIAN[0]], [None, None, ENGLISH[0]]]


def test_what_the_plan_shows_first_is_shown_of_each_document(desk, translated):
    Plan.objects.filter(pk=translated.pk).update(first_language=Plan.Language.ORIGINAL)
    page = desk(viewport={"width": 1366, "height": 768})
    settle(page, 3)
    assert sides(page) == [True, False]
    page.keyboard.press("k")
    assert sides(page) == [False, True]
    page.keyboard.press("1")
    settle(page, 2)
    assert sides(page) == [True, False]
    page.keyboard.press("1")
    settle(page, 1)
    page.keyboard.press("u")
    settle(page, 1)
    assert (shown(page), sides(page)) == ("w02", [True, False])
    page.keyboard.press("2")
    settle(page, 1)
    unsent(page, 0)
    assert logged() == [("w01", "both"), ("w02", "original"), ("w02", "original")]


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in SIZES), ("wide", "dark"), ("phone", "dark")]
)
def test_two_languages_have_most_of_the_window(desk, translated, name, scheme):
    page = desk(color_scheme=scheme, **window(name))
    settle(page, 3)
    if name in SMALL:
        fold(page)
    both = name in ("wide", "laptop")
    wrong = {}
    for docno in ("w01", "w02", "w03"):
        assert (shown(page), sides(page)) == (docno, [both, True])
        height, free, _ = page.evaluate(SEEN)
        assert (free, page.evaluate(OUTSIDE)) == (True, [])
        assert height >= 0.6 * SIZES[name][1]
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.locator(DOC).evaluate("it => it.scrollWidth - it.clientWidth") <= 0
        wrong[docno] = serious(page)
        page.keyboard.press("k")
        assert sides(page) == ([True, False])
        wrong[f"{docno} original"] = serious(page)
        page.keyboard.press("k")
        page.keyboard.press("k") if both else None
        page.keyboard.press("1")
        settle(page, 0)
    unsent(page, 0)
    assert {place: found for place, found in wrong.items() if found} == {}
    assert logged() == [(docno, "both") for docno in ("w01", "w02", "w03")]
