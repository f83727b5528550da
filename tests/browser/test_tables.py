"""Tables in a browser: heads and totals stay in sight, columns by address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.world.site import World

if TYPE_CHECKING:
    from playwright.sync_api import Page

MANY = 60


@pytest.fixture
def open_wide(visit, world: World):
    """``open_wide(path)``: the organizer's page, 1280 pixels wide unless told otherwise."""

    def opened(path: str, width: int = 1280, height: int = 900) -> Page:
        size = {"width": width, "height": height}
        return visit(world.people["organizer"], path, strict=False, viewport=size)

    return opened


LONG = """(count) => {
  const body = document.querySelector("#board tbody");
  for (let at = 0; at < count; at += 1) body.append(body.rows[0].cloneNode(true));
}"""
PLACE = """(part) => {
  const box = document.querySelector(`#board ${part}`).getBoundingClientRect();
  return [box.top, box.bottom, innerHeight];
}"""


def test_head_and_median_stay_in_sight(open_wide, world) -> None:
    page = open_wide(world.score_set.get_absolute_url())
    first = page.locator("#board tbody tr").first.bounding_box()
    assert first
    assert first["y"] <= 350
    page.evaluate(LONG, MANY)
    _, bottom, height = page.evaluate(PLACE, "tfoot th")
    assert bottom == pytest.approx(height, abs=1)
    page.evaluate("scrollTo(0, 1200)")
    top, _, _ = page.evaluate(PLACE, "thead th")
    assert top == pytest.approx(0, abs=1)
    tall = page.locator("#board tbody tr").first.bounding_box()
    assert tall
    assert tall["height"] == pytest.approx(29, abs=1)


def test_sorting_keeps_totals_at_the_end(open_wide, world) -> None:
    page = open_wide(world.score_set.get_absolute_url())
    first = page.locator("#board tbody th").first.inner_text()
    page.locator("#board thead button").first.click()
    page.locator("#board thead button").first.click()
    assert page.locator("#board thead th").first.get_attribute("aria-sort") == "descending"
    assert page.locator("#board tfoot th").inner_text().startswith("Median")
    assert page.locator("#board tbody tr").count() == len(world.score_set.runs.all())
    assert first


def test_a_link_keeps_the_columns(open_wide, world) -> None:
    page = open_wide(f"/c/{world.campaign.slug}/runs/?state=accepted")
    page.locator(".drop > summary").click()
    for name in ("priority", "documents", "file"):
        page.locator(f'.drop [value="{name}"]').uncheck()
    page.get_by_role("button", name="Show columns").click()
    page.wait_for_url("**/runs/?*column=state*")
    assert "state=accepted" in page.url
    heads = page.locator("#runs thead th").all_inner_texts()
    assert "Team" in heads
    assert not {"Priority", "Documents", "File"} & {*heads}
    page.goto(page.url)
    assert page.locator("#runs thead th").all_inner_texts() == heads


def test_phones_show_the_name_and_the_main_column(open_wide, world) -> None:
    page = open_wide(f"/c/{world.campaign.slug}/runs/", 390, 844)
    visible = [head for head in page.locator("#runs thead th").all() if head.is_visible()]
    assert [head.inner_text() for head in visible] == ["Run", "State"]
    assert "8 more columns: turn the phone" in page.locator(".cue.phone").inner_text()


WIDEN = """() => {
  const box = document.querySelector(".table");
  const table = box.querySelector("table");
  for (const row of table.rows) {
    for (let at = 0; at < 30; at += 1) row.append(row.cells[1].cloneNode(true));
  }
  box.style.width = "60rem";
}"""


def test_columns_that_do_not_fit_rest_until_asked_for(open_wide, world) -> None:
    page = open_wide(f"/c/{world.campaign.slug}/setup/topics/")
    page.evaluate(WIDEN)
    page.locator(".table.folded").first.wait_for()
    cue = page.locator(".cue.made").first
    assert "more columns." in cue.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    cue.get_by_role("button").click()
    page.locator(".table.pans.cut-end").first.wait_for()
    box = page.locator(".table.pans").first
    assert "columns, scroll" in page.locator(".cue.made").first.inner_text()
    box.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
    page.locator(".table.pans.cut-start:not(.cut-end)").first.wait_for()
    left = box.evaluate("(box) => box.getBoundingClientRect().left")
    name = page.locator("table.data tbody tr > *").first.bounding_box()
    assert name
    assert name["x"] == pytest.approx(left, abs=1)


def test_a_matrix_keeps_its_columns_and_its_names_in_sight(open_wide, world) -> None:
    page = open_wide(f"{world.score_set.get_absolute_url()}measures/", 390, 844)
    page.locator(".table[data-matrix].pans").wait_for()
    box = page.locator(".table[data-matrix]").first
    assert box.locator(".rests").count() == 0
    assert "columns, scroll" in page.locator(".table[data-matrix] + .cue.made").inner_text()
    left = box.evaluate("(box) => { box.scrollLeft = box.scrollWidth; return box.offsetLeft; }")
    name = box.locator("tbody th").first.bounding_box()
    assert name
    assert name["x"] == pytest.approx(left, abs=1)
