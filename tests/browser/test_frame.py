"""The frame of campaign pages: its height at two widths, no page wider than its window, nothing
that scrolls but the page, and the menu of all pages without a script.
"""

import pytest

from tests.access_table import rows
from tests.browser.desk import sign_in
from tests.test_access import urls
from tests.world.site import ROLES, World

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MEMBERS = ("viewer", "owner", "assessor", "organizer")
HEAD = "document.querySelector('.campaign-head')?.getBoundingClientRect().height ?? null"
WIDER = "document.documentElement.scrollWidth > innerWidth"
WIDE = """[...document.body.querySelectorAll('*')].filter(each =>
  each.getBoundingClientRect().right > innerWidth + 1).map(each => each.outerHTML.slice(0, 80))
  .slice(0, 3)"""
INNER_SCROLLERS = """() => [...document.querySelectorAll('main *')].filter((box) => {
  const { overflowY } = getComputedStyle(box);
  const inMenu = box.closest("details.menu, details.drop, [popover], textarea, select, pre");
  return /auto|scroll/.test(overflowY) && box.scrollHeight > box.clientHeight + 1 && !inMenu;
}).map((box) => `${box.localName}.${box.className}`)"""
"""Only the page itself scrolls vertically, and menus."""
CUT_LINES = """[...document.querySelectorAll('.groups, .group-pages')].filter(line =>
  line.scrollWidth > line.clientWidth + 1).map(line => line.className)"""
FITTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Tables fold their columns a moment after the window has changed."""
HIGHEST = {1280: 96, 390: 80, 320: 80}
WITHOUT_HEAD = {
    "judge",
    "judge-change",
    "judge-duplicate",
    "judge-docnos",
    "consensus-pair",
    "comparison-desk",
}
"""The desks."""
FILES = {"document-body", "run-file"}


def pages(world: World, role: str) -> dict[str, str]:
    """The addresses of all campaign pages that ``role`` may read, by URL name."""
    addresses, at = urls(world), ROLES.index(role)
    return {
        name: addresses[name]
        for name, method, statuses in rows()
        if method == "GET"
        and statuses[at] == 200
        and addresses[name].startswith("/c/")
        and "@" not in name
        and addresses[name].endswith(("/", "docno=d1"))
        and name not in FILES
    }


@pytest.mark.parametrize("role", MEMBERS)
def test_the_head_is_low_and_the_page_alone_scrolls(role, world, open_page, live_server):
    page = open_page()
    sign_in(page, world.people[role], live_server.url)
    headed, wrong = set(), []
    for name, address in pages(world, role).items():
        page.goto(address)
        for width, highest in HIGHEST.items():
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_function("width => innerWidth === width", arg=width)
            page.evaluate(FITTED)
            height = page.evaluate(HEAD)
            if height is None and name in WITHOUT_HEAD:
                continue
            headed.add(name)
            if height is None or height > highest:
                wrong.append(f"{name} at {width}: head of {height} px")
            if page.evaluate(WIDER):
                wrong.append(f"{name} at {width}: wider than the window: {page.evaluate(WIDE)}")
            wrong += [f"{name} at {width}: {box}" for box in page.evaluate(INNER_SCROLLERS)]
        if name not in WITHOUT_HEAD and page.locator("h1").count() != 1:
            wrong.append(f"{name}: {page.locator('h1').count()} headings of the first rank")
    assert wrong == []
    assert len(headed) >= {"viewer": 4, "owner": 10, "assessor": 8, "organizer": 60}[role]


def test_the_menu_of_all_pages_needs_no_script(world, visit):
    options = {"viewport": {"width": 390, "height": 844}, "java_script_enabled": False}
    without = visit(world.people["organizer"], "/c/small/", **options)
    without.locator(".all-pages > summary").click()
    without.locator(".all-pages a", has_text="Reusability").click()
    assert without.url.endswith("/c/small/results/collection/")
    assert without.locator("h1").inner_text().startswith("Reusability")
    assert without.locator(".all-pages > summary").inner_text().split()[:2] == [
        "Results",
        "Reusability",
    ]


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_tab_hides_between_phone_and_desk(language, world, visit):
    page = visit(world.people["organizer"], "/c/small/judging/", locale=language)
    for width in (780, 900, 1160):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("width => innerWidth === width", arg=width)
        assert page.evaluate(CUT_LINES) == [], width
