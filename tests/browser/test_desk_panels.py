"""Panels of the desk as a screen reader meets them: Chromium's accessibility tree, and keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from campaigns.models import Document
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from tests.browser.desk import body, give_work, said, settle, shown, unsent
from tests.browser.test_accessibility import serious
from tests.browser.test_guidelines import change

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
FIELDS = {"textbox", "searchbox", "combobox"}
GRADES = "0123"


@dataclass
class Tree:
    """What a screen reader has of the page: its nodes, by the browser."""

    nodes: dict[str, dict] = field(default_factory=dict)

    @classmethod
    def read(cls, page: Page) -> Tree:
        session = page.context.new_cdp_session(page)
        found = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        return cls({node["nodeId"]: node for node in found})

    def focused(self) -> list[tuple[str, str]]:
        """Role and name of what has the focus, then of all that it stands in."""
        has_focus = [node for node in self.nodes.values() if is_set(node, "focused")]
        at = has_focus[-1]["nodeId"]  # The page itself comes first.
        found = []
        while at in self.nodes:
            found.append(told(self.nodes[at]))
            at = self.nodes[at].get("parentId", "")
        return found

    def live(self) -> str:
        """The text of the regions whose changes are announced."""
        all_live = ("polite", "assertive")
        roots = [node for node in self.nodes.values() if read(node, "live") in all_live]
        return " ".join(" ".join(self.texts(node)) for node in roots)

    def texts(self, node: dict) -> list[str]:
        if told(node)[0] == "StaticText":
            return [told(node)[1]]
        inside = [self.nodes[child] for child in node.get("childIds", ()) if child in self.nodes]
        return [text for child in inside for text in self.texts(child)]


def told(node: dict) -> tuple[str, str]:
    return str(node.get("role", {}).get("value", "")), str(node.get("name", {}).get("value", ""))


def read(node: dict, name: str) -> object:
    found = [it["value"].get("value") for it in node.get("properties", ()) if it["name"] == name]
    return found[0] if found else None


def is_set(node: dict, name: str) -> bool:
    return read(node, name) is True


@dataclass(frozen=True)
class Panel:
    """``keys`` open it; then ``focus``, as (role, name), has the focus, in ``inside`` where that
    is another one. ``toggles``: its key closes it, too. ``says``: a live region then has this.
    """

    keys: str
    focus: tuple[str, str]
    inside: tuple[str, str] | None = None
    says: str = ""
    toggles: bool = False


DOCUMENT = ("article", "Document w02")
FLAGS = ("dialog", "Flag this document")
BOTH = "Two documents side by side"
VERSION = "Guidelines, version 1"
PANELS = (
    Panel("?", ("dialog", "Keyboard shortcuts"), toggles=True),
    Panel("c", ("textbox", "Comment"), ("dialog", "Comment")),
    Panel("f", FLAGS, toggles=True),
    Panel("d", ("combobox", "Duplicate of"), FLAGS, "Flagged: duplicate"),
    Panel("d", DOCUMENT, says="No flag, no comment."),
    Panel("s", ("form", "Reason for skipping"), toggles=True),
    Panel(".", ("textbox", "New note"), ("group", "Notebook")),
    Panel("g", ("group", f"{VERSION} g"), says=f"{VERSION}.", toggles=True),
    Panel("t", ("region", "Topic 1 red apples")),
    Panel("/", ("searchbox", "Find in the document"), ("search", "Find in the document")),
    Panel("v", ("dialog", BOTH), says=f"{BOTH}.", toggles=True),
    Panel("p", DOCUMENT, says="Selected: "),
    Panel("n", DOCUMENT, says="of 6"),
)


def check(page: Page, panel: Panel) -> list[str]:
    """Open, look, type all grades into the field if it is one, close by Escape; what is wrong."""
    wrong = []

    def expect(what: str, *, holds: bool) -> None:
        if not holds:
            wrong.append(f"{panel.keys}: {what} – {tree.focused()[:4]} – {tree.live()}")

    def press(keys: str) -> Tree:
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_timeout(120)
        return Tree.read(page)

    def open_panel() -> Tree:
        tree = press(panel.keys)
        for _ in range(50):  # Two documents side by side come from the server.
            if tree.focused()[0] == panel.focus and panel.says in tree.live():
                break
            tree = press("")
        return tree

    tree = open_panel()
    places = tree.focused()
    expect("focus", holds=places[0] == panel.focus)
    expect("place", holds=(panel.inside or panel.focus) in places)
    expect("announced", holds=panel.says in tree.live())
    expect(f"axe {(found := serious(page))}", holds=not found)
    if places[0][0] in FIELDS:
        press(GRADES + "usz")
        written = page.evaluate("document.activeElement.value")
        expect("typed", holds=written.endswith(GRADES + "usz"))
        page.evaluate("document.activeElement.value = ''")
    if panel.toggles:
        tree = press(panel.keys)
        expect("its key closes it", holds=tree.focused()[0] == DOCUMENT)
        open_panel()
    tree = press(["Escape"])
    expect("focus comes back", holds=tree.focused()[0] == DOCUMENT)
    is_closed = page.locator(":popover-open, #find:not([hidden])").count() == 0
    expect("closed", holds=is_closed)
    return wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1366, 455])
def test_each_panel_has_a_name_takes_the_focus_and_gives_it_back(
    desk, campaign, assessor, organizer, width, scheme
):
    """And axe finds nothing serious in it."""
    give_work(campaign, assessor, 4, rationale="may")
    texts = Document.objects.filter(campaign=campaign)
    texts.filter(docno__in=["w01", "w02"]).update(title="Apples", body=body("w01"))
    group_campaign_duplicates(request_duplicates(campaign))
    change(campaign, "Red is red.")
    page = desk(color_scheme=scheme, viewport={"width": width, "height": 768})
    settle(page)
    page.evaluate("document.querySelector('#topic').open = false")
    page.keyboard.press("0")
    settle(page)
    assert shown(page) == "w02"
    page.evaluate("document.querySelector('#topic').open = false")
    wrong = [line for panel in PANELS for line in check(page, panel)]
    assert "\n".join(wrong) == ""
    assert (shown(page), said("skip")) == ("w02", [])
    unsent(page, 0)
    assert said() == [("w01", 0)]


def test_the_focus_stays_in_a_list_from_which_something_is_removed(at_work):
    page = at_work(rationale="may")
    for arrows in (1, 2):
        page.keyboard.press("p")
        for _ in range(arrows):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("p")
        assert "Highlighted: Paragraph" in Tree.read(page).live()
    page.locator("#passage-list button").first.focus()
    for left in (("button", "Remove this passage"), ("article", "Document w01")):
        page.keyboard.press("Enter")
        tree = Tree.read(page)
        assert tree.focused()[0] == left
        assert "Passage removed." in tree.live()
    page.keyboard.press(".")
    for word in ("one", "two"):
        page.keyboard.type(word)
        page.keyboard.press("Enter")
    page.locator("#notes button").first.focus()
    for left in (("button", "Remove from the notebook"), ("textbox", "New note")):
        page.keyboard.press("Enter")
        tree = Tree.read(page)
        assert tree.focused()[0] == left
        assert "Removed from the notebook." in tree.live()
    page.keyboard.press("Escape")
    unsent(page, 0)


def test_keys_of_the_desk_hold_in_panels_and_on_their_boxes(at_work):
    """A focused check box takes Space alone; a key does what it does elsewhere, or nothing."""
    page = at_work()
    page.keyboard.press("f")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("q")
    flagged = "[...document.querySelectorAll('[name=flags]:checked')].map((it) => it.value).sort()"
    assert page.evaluate(flagged) == ["broken", "unsure"]
    page.keyboard.press("?")
    assert Tree.read(page).focused()[0] == ("dialog", "Keyboard shortcuts")
    page.keyboard.press("2")  # Not among the keys that the help has.
    page.keyboard.press("Escape")
    assert shown(page) == "w01"
    page.keyboard.press("s")
    page.keyboard.press("2")
    page.keyboard.press("s")
    assert (shown(page), Tree.read(page).focused()[0]) == ("w01", ("article", "Document w01"))
    page.keyboard.press("f")
    page.keyboard.press("2")
    settle(page)
    unsent(page, 0)
    assert said() == [("w01", 2)]


def test_the_end_of_a_topic_and_a_hint_of_a_break_are_told(desk, campaign, assessor):
    give_work(campaign, assessor, 2)
    page = desk()
    settle(page)
    page.evaluate(
        "key => sessionStorage.setItem(key, JSON.stringify({ judged: [...Array(26).keys()].map("
        "at => [Date.now() - (50 - 2 * at) * 60000 - 5000, 0]), told: 0 }))",
        f"poolbench-pace-{assessor.pk}-small",
    )
    page.reload()
    settle(page)
    page.keyboard.press("1")
    settle(page, 0)
    tree = Tree.read(page)
    assert tree.live().count("minutes without a pause") == 1  # Said once, not twice.
    assert tree.focused()[0] == DOCUMENT
    page.keyboard.press("1")
    page.wait_for_selector(".judge-doc[data-over]:not([data-waiting] *)")
    page.get_by_text("Topic 1 completed").wait_for()
    tree = Tree.read(page)
    assert tree.focused()[0] == ("article", "No documents left in this topic")
    assert "No documents left in this topic" in tree.live()
