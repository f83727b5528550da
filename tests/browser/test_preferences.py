"""Comparing on the desk: documents by keys, rankings, picks; without scripts; on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from campaigns.models import Campaign, Document
from preferences.models import ComparisonPlan, Preference
from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
from tests.browser.desk import body
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.world.files import make_pool, ranked_run

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RANKED = {"1": " ".join(f"w{n:02}" for n in range(1, 7))}
OTHER = {"1": "w05 w03 w08 w01 w07 w02"}


@pytest.fixture
def texts(campaign) -> Campaign:
    """Topic 1 with documents w01 to w08, which say much of red apples."""
    campaign.topics.filter(number="1").update(title="red apples", description="Apples that are red")
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=docno, title=f"Title of {docno}", body=body(docno))
        for docno in (f"w{n:02}" for n in range(1, 9))
    )
    return campaign


@pytest.fixture
def make_plan(texts, organizer) -> Callable[..., ComparisonPlan]:
    def make(**options: object) -> ComparisonPlan:
        given = ComparisonOptions(**{"title": "Apples", "seed": 3, **options})
        return create_comparison_plan(actor=organizer, campaign=texts, options=given)

    return make


@pytest.fixture
def pairs(make_plan, texts) -> ComparisonPlan:
    pool = make_pool(texts, {"1": ["w01", "w02", "w03"]})
    return make_plan(kind="documents", pool=pool)


@pytest.fixture
def runs(team, other_team) -> dict[str, object]:
    one, two = ranked_run(team, "run-one", RANKED), ranked_run(other_team, "run-two", OTHER)
    return {"run_a": one, "run_b": two, "depth": 6}


@pytest.fixture
def compare(visit, assessor) -> Callable[..., Page]:
    """``compare(plan)``: the desk of ``assessor`` in a visit of its own."""
    return lambda plan, **options: visit(assessor, f"/c/small/comparisons/{plan.pk}/", **options)


def ready(page: Page, done: int, by: str = "keys") -> None:
    """Wait until the comparison after ``done`` answers has been in sight for long enough."""
    page.wait_for_function(
        "([done, by]) => document.querySelector('#judge')?.dataset.settled?.split(' ').includes(by)"
        " && document.querySelector('#progress').textContent.trim()"
        ".startsWith(`${done} of`)",
        arg=[done, by],
    )


def answers() -> list[tuple[str, str, bool]]:
    with DOOR.turn:
        log = Preference.objects.order_by("pk")
        return [(row.kind, row.choice, row.swapped) for row in log]


def side(row: tuple[str, str, bool]) -> str:
    """The side that an answer named."""
    _, choice, swapped = row
    return "tie" if choice == "tie" else "left" if (choice == "a") != swapped else "right"


def test_documents_are_compared_with_one_key_each(pairs, compare) -> None:
    page = compare(pairs)
    ready(page, 0)
    page.keyboard.press("ArrowLeft")
    ready(page, 1)
    page.keyboard.press("2")
    ready(page, 2)
    page.keyboard.press("u")
    ready(page, 1)
    assert "Undone: right is better." in page.locator(".before").inner_text()
    page.keyboard.press("c")
    page.keyboard.type("12 = 0 of one, 2 of the other")
    page.keyboard.press("Enter")
    page.keyboard.press("=")
    ready(page, 2)
    page.keyboard.press("s")
    page.keyboard.press("x")
    page.get_by_role("heading", name="All compared").wait_for()
    log = answers()
    assert [kind for kind, *_ in log] == ["choice", "choice", "withdrawn", "choice", "skip"]
    assert [side(log[at]) for at in (0, 1, 3)] == ["left", "right", "tie"]
    with DOOR.turn:
        assert Preference.objects.get(choice="tie").comment == "12 = 0 of one, 2 of the other"


def test_keys_before_the_comparison_is_read_and_with_modifiers_do_nothing(pairs, compare) -> None:
    page = compare(pairs)
    ready(page, 0)
    page.keyboard.press("Control+1")
    page.keyboard.press("Alt+ArrowUp")
    page.evaluate(
        "document.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: '1', repeat: true, bubbles: true, cancelable: true}))"
    )
    page.keyboard.press("1")
    # Pressed in the page, in the frame of the next comparison: a slow machine would be too late.
    page.wait_for_function(
        "() => document.querySelector('#progress').textContent.includes('1 of')"
        " && (document.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: '1', bubbles: true, cancelable: true})) || true)"
    )
    ready(page, 1)
    assert len(answers()) == 1


def test_rankings_unfold_and_are_compared_by_click(make_plan, runs, compare) -> None:
    page = compare(make_plan(kind="rankings", **runs))
    ready(page, 0, "clicks")
    assert page.locator("#side-left li").count() == page.locator("#side-right li").count() == 6
    item = page.locator("#side-left li").nth(1)
    assert not item.locator(".beginning").is_visible()
    item.locator("summary").click()
    assert "tells of red apples" in item.locator(".beginning").inner_text()
    page.get_by_role("button", name="Right is better").click()
    page.get_by_role("heading", name="All compared").wait_for()
    assert [side(row) for row in answers()] == ["right"]


def test_documents_are_picked_by_keys_space_and_click(make_plan, runs, compare) -> None:
    plan = make_plan(kind="interleaved", **runs)
    page = compare(plan)
    ready(page, 0, "clicks")
    boxes = page.locator("input[name=picks]")
    page.keyboard.press("2")
    page.keyboard.press("3")
    page.keyboard.press("3")
    boxes.nth(3).click()
    page.keyboard.press("1")
    boxes.nth(4).focus()
    page.keyboard.press("Space")
    page.keyboard.press("1")
    assert [boxes.nth(at).is_checked() for at in range(5)] == [False, True, False, True, True]
    page.locator(".judge-doc").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="All compared").wait_for()
    with DOOR.turn:
        documents = plan.comparisons.get().content["documents"]
        assert Preference.objects.get().picks == [documents[at] for at in (1, 3, 4)]


def test_the_desk_works_without_scripts(pairs, make_plan, runs, compare) -> None:
    page = compare(pairs, java_script_enabled=False)
    page.get_by_role("button", name="Left is better").click()
    assert "1 of 3" in page.content()
    page.get_by_role("button", name="Undo").click()
    assert "0 of 3" in page.content()
    page = compare(make_plan(kind="interleaved", **runs), java_script_enabled=False)
    page.locator("input[name=picks]").first.check()
    page.get_by_role("button", name="Submit picks").click()
    assert "All compared" in page.content()
    assert [kind for kind, *_ in answers()] == ["choice", "withdrawn", "choice"]


def test_on_a_phone_both_sides_are_reached_and_nothing_is_wider(pairs, make_plan, runs, compare):
    for plan in (pairs, make_plan(kind="rankings", **runs), make_plan(kind="interleaved", **runs)):
        page = compare(plan, viewport={"width": 390, "height": 844})
        ready(page, 0)
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(width) == 0
        assert page.locator(".judge-doc").evaluate("it => it.scrollWidth - it.clientWidth") == 0
        if plan.kind == "interleaved":
            continue
        page.keyboard.press("t")  # A new topic is unfolded over the documents.
        page.get_by_role("link", name="Right", exact=True).click()
        assert page.locator("#side-right-name").evaluate(
            "it => { const place = it.getBoundingClientRect(),"
            " pane = it.closest('.judge-doc').getBoundingClientRect();"
            " return place.top >= pane.top && place.bottom <= pane.bottom; }"
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way(scheme, pairs, make_plan, runs, compare) -> None:
    wrong = {}
    for plan in (pairs, make_plan(kind="rankings", **runs), make_plan(kind="interleaved", **runs)):
        page = compare(plan, color_scheme=scheme)
        ready(page, 0)
        if plan.kind == "rankings":
            page.locator("#side-left summary").first.click()
        wrong[plan.kind] = serious(page)
    for name in ("", "mine/"):
        page.goto(f"/c/small/comparisons/{name}")
        wrong[name] = serious(page)
    assert {name: rows for name, rows in wrong.items() if rows} == {}
