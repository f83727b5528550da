"""What the desk says and does is true: keys on a busy page, search without text, long lines."""

import pytest

from campaigns.models import Document
from tests.browser.desk import give_work, said, settle, unsent
from tests.browser.test_documents import png
from tests.browser.test_guidelines import change
from tests.browser.test_queue import until
from tests.pdf_files import pdf
from tests.world.judgments import submit_judgment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
ON_SCREEN = ".judge-doc:not([hidden])"
COUNT = "document.querySelector('#find-count').value"
DOC = f"document.querySelector('{ON_SCREEN}')"
# Busy for 700 ms from the moment at which w02 is painted; notes when a key was pressed.
BLOCK = """() => {
  const docno = () => document.querySelector("#grades [name=docno]").value;
  window.addEventListener("keydown", (event) => { window.pressedAt = event.timeStamp; }, true);
  let frames = 0;
  const block = () => {
    window.busyAt = performance.now();
    console.log("busy", performance.timeOrigin + window.busyAt);
    while (performance.now() < window.busyAt + 700);
  };
  const look = () => {
    if (docno() === "w02" && (frames += 1) === 2) setTimeout(block);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def test_a_key_pressed_before_the_document_could_be_read_is_none(at_work):
    """Pressed 30 ms after w02 was painted, handled 700 ms after; and once more, in time."""
    page = at_work(ahead=3)
    page.evaluate(BLOCK)
    with page.expect_console_message(lambda message: message.text.startswith("busy")) as told:
        page.keyboard.press("1")
    pressed_at = float(told.value.text.split()[1]) / 1000 + 0.03
    key = {"type": "keyDown", "key": "2", "code": "Digit2", "text": "2", "timestamp": pressed_at}
    page.context.new_cdp_session(page).send("Input.dispatchKeyEvent", key)
    assert 20 < page.evaluate("window.pressedAt - window.busyAt") < 40
    assert page.evaluate("performance.now() - window.busyAt") >= 700
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1)]
    page.keyboard.press("3")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 1), ("w02", 3)]


def test_a_pdf_is_turned_by_keys_and_takes_none(desk, campaign, assessor):
    give_work(campaign, assessor, 3)
    Document.objects.filter(docno="w01").update(format="pdf", body="", title="", file="0" * 64)
    page = desk(strict=False)
    body = pdf("one", "two", "three", "four")
    page.route(
        "**/documents/body/**", lambda r: r.fulfill(body=body, content_type="application/pdf")
    )
    page.reload()
    settle(page)

    frame = page.locator("iframe.document-frame")
    first, places = frame.screenshot(), []
    for key in ("PageDown", "Space", "PageUp", "Shift+Space"):
        page.keyboard.press(key)
        places.append(frame.get_attribute("src").partition("#")[2])
    assert places[2:] == [places[0], "page=1&navpanes=0&view=FitH,0"]
    assert len(set(places)) == 3
    page.keyboard.press("PageDown")
    until(page, lambda: frame.screenshot() != first)
    focused = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        focused.add(page.evaluate("document.activeElement.tagName"))
    assert "IFRAME" not in focused
    page.locator(ON_SCREEN).focus()
    page.keyboard.press("1")
    unsent(page, 0)
    settle(page)
    assert said() == [("w01", 1)]


def test_what_cannot_be_searched_is_never_said_to_be_without(desk, campaign, assessor):
    give_work(campaign, assessor, 3)
    Document.objects.filter(docno="w01").update(format="pdf", body="", title="", file="0" * 64)
    page = desk(strict=False)
    page.route(
        "**/documents/body/**",
        lambda r: r.fulfill(body=pdf("red moth"), content_type="application/pdf"),
    )
    page.reload()
    settle(page)
    assert (
        page.locator("iframe.document-frame").get_attribute("src").endswith("#navpanes=0&view=FitH")
    )
    page.keyboard.press("n")
    assert page.locator("#judge-message").inner_text() == "not searched: PDF"
    page.keyboard.press("/")
    page.keyboard.type("moth")
    page.wait_for_function(f"() => {COUNT} === 'not searched: PDF'")
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    settle(page)
    page.keyboard.press("/")
    page.keyboard.type("zebra")
    page.wait_for_function(f"() => {COUNT} === 'not found'")


ABSTRACT = "Title: Moths\nAuthors: A. Wing\n\n" + "The moth flies at night. " * 70
TABLE = "a\t" + "b\t" * 60 + "\n"


@pytest.mark.parametrize("width", [390, 1366])
def test_a_long_line_wraps_and_an_edge_shadow_tells_of_more(desk, campaign, assessor, width):
    give_work(campaign, assessor, 3)
    Document.objects.filter(docno="w01").update(body=ABSTRACT)
    Document.objects.filter(docno="w02").update(body=(TABLE * 4 + "\n" + "Prose. " * 60))
    html = f"<table><tr>{'<td>wide</td>' * 60}</tr></table><pre>{'code; ' * 60}</pre>"
    Document.objects.filter(docno="w03").update(format="html", body=html)
    page = desk(viewport={"width": width, "height": 768})
    settle(page)
    hidden = f"{DOC}.scrollWidth - {DOC}.clientWidth"
    shadow = f"parseFloat(getComputedStyle({DOC}).backgroundSize)"
    assert page.locator(f"{ON_SCREEN} .layout-columns").count() == 1
    assert (page.evaluate(hidden), page.evaluate(shadow)) == (0, 0)
    page.keyboard.press("0")
    settle(page)
    assert page.evaluate(hidden) > 0
    page.wait_for_function(f"() => {shadow} === 32")
    page.evaluate(f"{DOC}.scrollLeft = 10_000")
    page.wait_for_function(f"() => {shadow} === 0")
    fits = f"{DOC}.querySelector('.long').offsetWidth <= {DOC}.clientWidth"
    assert page.evaluate(fits)
    page.keyboard.press("0")
    settle(page, 0)
    for place in ("pre", "html"):
        there = f"{DOC}.querySelector('iframe').contentDocument.querySelector('{place}')"
        shadow = f"parseFloat(getComputedStyle({there}).backgroundSize)"
        page.wait_for_function(f"() => {shadow} === 32")
        page.evaluate(f"{there}.scrollLeft = 10_000")
        page.wait_for_function(f"() => {shadow} === 0")


def test_a_tall_picture_is_as_wide_as_the_desk_and_w_shows_it_whole(desk, campaign, assessor):
    give_work(campaign, assessor, 3)
    Document.objects.filter(docno__in=["w01", "w02"]).update(
        format="image", body="", title="", file="0" * 64
    )
    page = desk("/c/small/judge/", viewport={"width": 1280, "height": 800})
    shapes = {"w01": png(50, 400), "w02": png(400, 300)}
    page.route(
        "**/documents/body/**",
        lambda r: r.fulfill(body=shapes[r.request.url[-3:]], content_type="image/png"),
    )
    page.goto("/c/small/judge/1/")
    settle(page)
    share = f"{DOC}.querySelector('img').offsetWidth / {DOC}.clientWidth"
    page.wait_for_function(f"() => {share} > .8")
    page.keyboard.press("w")
    page.wait_for_function(f"() => {DOC}.querySelector('img').offsetHeight < innerHeight")
    width = page.evaluate(f"{DOC}.querySelector('img').offsetWidth")
    page.keyboard.press("+")
    assert abs(page.evaluate(f"{DOC}.querySelector('img').offsetWidth") - 1.25 * width) <= 1
    for _ in range(15):
        page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => {DOC}.scrollLeft > 0 && {DOC}.scrollTop > 0")
    page.keyboard.press("w")
    page.wait_for_function(f"() => {share} > .8")
    page.keyboard.press("w")
    page.wait_for_function(f"() => {DOC}.querySelector('img').offsetHeight < innerHeight")
    page.keyboard.press("0")
    settle(page)
    assert page.locator(f"{ON_SCREEN} .document-picture.wide").count() == 0


def test_panels_take_the_focus_and_a_folded_topic_is_told(at_work):
    """So that a screen reader says what is open."""
    page = at_work()
    focused = "document.activeElement.id || document.activeElement.className"
    for key, panel in (("f", "flag-panel"), ("?", "judge-help")):
        page.keyboard.press(key)
        assert page.evaluate(focused) == panel
        named = "document.getElementById(document.activeElement.getAttribute('aria-labelledby'))"
        assert page.evaluate(f"{named}.textContent").strip()
        page.keyboard.press("Escape")
        assert page.evaluate(focused) == "judge-doc"
    page.keyboard.press("t")
    assert page.locator("#live").inner_text() == "Topic folded."
    page.keyboard.press("t")
    assert page.evaluate(focused) == "judge-topic"


def test_the_last_ten_docnos_are_offered_for_a_duplicate(at_work):
    page = at_work(14, ahead=3)
    for _ in range(7):
        page.keyboard.press("1")
        settle(page)
    unsent(page, 0)
    page.reload()
    settle(page)
    for _ in range(5):
        page.keyboard.press("1")
        settle(page)
    offered = page.locator("#last-docnos option").evaluate_all("all => all.map((it) => it.value)")
    unsent(page, 0)
    assert offered == [docno for docno, _ in said()][:1:-1]
    assert page.locator("#recent-list li").count() == 5


@pytest.mark.parametrize(("width", "lies"), [(1366, False), (390, True)])
def test_a_notice_goes_when_the_new_guidelines_stand_open(desk, campaign, assessor, width, lies):
    give_work(campaign, assessor, 3)
    topic = campaign.topics.get(number="1")
    submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="w01", grade=0)
    change(campaign, "Rule A")
    page = desk(viewport={"width": width, "height": 768})
    settle(page)
    if lies:  # There the topic covers the document, and is folded once it was read.
        page.keyboard.press("t")
        page.reload()
        settle(page)
    assert page.locator("#guidelines .prose").is_visible() is not lies
    assert page.is_visible("#guidelines-news") is lies
    end = f"{DOC}.scrollTop = {DOC}.scrollHeight; {DOC}.querySelector('.reading')"
    bottom = page.evaluate(f"{end}.getBoundingClientRect().bottom")
    if lies:
        assert bottom <= page.locator("#guidelines-news").bounding_box()["y"]


def test_a_long_title_is_cut_at_its_end_only(desk, campaign, assessor):
    give_work(campaign, assessor, 3)
    campaign.topics.filter(number="1").update(title="What do moths do at night? " * 6)
    page = desk(viewport={"width": 390, "height": 844})
    settle(page)
    line, title = (page.locator(it).bounding_box() for it in (".desk-line", "#topic-name"))
    assert line["y"] <= title["y"]
    assert title["y"] + title["height"] <= line["y"] + line["height"]
