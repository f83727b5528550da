"""The ``?`` after a word by keyboard and in a narrow window, and the pages of the help."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WIDER = "document.documentElement.scrollWidth > innerWidth"
BESIDE = """() => {
  const meaning = document.querySelector('.what > :popover-open');
  const [a, b] = [meaning.previousElementSibling.previousElementSibling, meaning]
    .map((e) => e.getBoundingClientRect());
  return Math.abs(a.left - b.left) < 40 && Math.min(b.top - a.bottom, a.top - b.bottom) < 20;
}"""
"""Whether the open meaning is directly above or below its mark."""
TARGET_IN_SIGHT = """() => {
  const { top } = document.querySelector('tr:is(:target, :has(:target))').getBoundingClientRect();
  return top >= 0 && top < innerHeight;
}"""
SIZES = ((1280, 900, "light"), (390, 844, "dark"))


@pytest.mark.parametrize("script", [True, False])
def test_a_question_mark_opens_its_word_by_keyboard(script, world, visit):
    options = {"java_script_enabled": script, "viewport": {"width": 1280, "height": 900}}
    page = visit(world.people["organizer"], f"/c/{world.campaign.slug}/setup/", **options)
    mark = page.get_by_role("button", name="Meaning of “relevance level”")
    meaning = page.locator(f"#{mark.get_attribute('popovertarget')}")
    assert not meaning.is_visible()
    mark.focus()
    page.keyboard.press("Enter")
    assert meaning.is_visible()
    page.wait_for_function(BESIDE)
    page.keyboard.press("Tab")
    assert meaning.get_by_role("link").evaluate("it => it === document.activeElement")
    page.keyboard.press("Escape")
    assert not meaning.is_visible()


def test_a_meaning_stays_within_a_phone(world, visit):
    size = {"width": 390, "height": 844}
    page = visit(world.people["organizer"], f"/c/{world.campaign.slug}/setup/", viewport=size)
    for mark in page.locator(".what > button").all():
        if not mark.is_visible():
            continue
        mark.click()
        box = page.locator(".what > :popover-open").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        page.keyboard.press("Escape")


@pytest.mark.parametrize(("width", "height", "scheme"), SIZES)
def test_pages_of_the_help_fit_and_lead_to_their_anchors(width, height, scheme, open_page):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    for address in (
        "/help/",
        "/help/?q=submit+a+run",
        "/help/formats/#E07",
        "/help/glossary/#w-pool-depth",
        "/help/measures/",
        "/help/crowd/",
        "/help/commands/",
    ):
        page.goto(address)
        assert not page.evaluate(WIDER), address
        if "#" in address:
            page.wait_for_function(TARGET_IN_SIGHT)
        found = Axe().run(page).response["violations"]
        serious = [it["id"] for it in found if it["impact"] in ("serious", "critical")]
        assert serious == [], address


def test_code_is_copied_with_a_button(world, visit):
    allowed = ["clipboard-read", "clipboard-write"]
    page = visit(world.people["organizer"], "/help/formats/", permissions=allowed)
    place = page.locator(".help-text .copyable").first
    place.get_by_role("button", name="Copy").click()
    place.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == place.locator(".code").inner_text().strip()
