"""What people do on pages in the journeys through a whole campaign, ``fruit``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from campaigns.models import User
from tests.browser.desk import settle

if TYPE_CHECKING:
    from playwright.sync_api import Page

PASSWORD = "a-long-password-7"


def sign_in_by_form(page: Page, username: str) -> None:
    page.goto("/accounts/login/")
    page.fill("[name=username]", username)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/")


def create_campaign(page: Page) -> None:
    """By ``olga``, who may; binary measures count from grade 1."""
    User.objects.create_user("olga", password=PASSWORD, can_create_campaigns=True)
    sign_in_by_form(page, "olga")
    page.goto("/campaigns/new/")
    page.fill("[name=title]", "Fruit")
    page.fill("[name=relevance_level]", "1")
    page.click("main form button.primary")
    page.wait_for_url("**/c/fruit/**")


def import_collection(page: Page, topics: str, documents: str) -> None:
    page.goto("/c/fruit/setup/topics/import/")
    upload(page, {"topics.tsv": topics})
    page.goto("/c/fruit/setup/documents/import/")
    upload(page, {"documents.tsv": documents})


def upload(page: Page, texts: dict[str, str]) -> None:
    """Choose files of these names and texts, and send the form."""
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        for name, text in texts.items()
    ]
    page.set_input_files("[name=file]", files)
    page.click("main form:has([name=file]) button.primary")


def invite(page: Page, role: str, team: str = "") -> str:
    """Make a link on the people page and return it."""
    page.goto("/c/fruit/people/")
    form = page.locator("form[action$='/invite/']")
    form.locator("[name=role]").select_option(role)
    form.locator("[name=team]").fill(team)
    form.get_by_role("button", name="Create invitation").click()
    return page.get_by_label(f"Link for {role}").first.input_value()


def join(page: Page, link: str, username: str) -> None:
    page.goto(link)
    page.fill("[name=name]", username.title())
    page.fill("[name=username]", username)
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    page.get_by_role("button", name="Create account and join").click()
    page.wait_for_url("**/c/fruit/**")


def confirm(page: Page, *boxes: str) -> None:
    """Tick the boxes of a page that asks before an act, and act."""
    for box in boxes:
        page.get_by_label(box).check()
    page.locator(".decision button").click()


def press(page: Page, key: str) -> None:
    """One key, once the document has been on screen long enough to be meant."""
    settle(page, ahead=0)
    page.keyboard.press(key)


def release_scores(page: Page, told: str) -> None:
    """Freeze qrels, evaluate, and release the scores; the page before says ``told``."""
    page.goto("/c/fruit/results/qrels/")
    page.get_by_role("button", name="Freeze qrels").click()
    confirm(page)
    page.wait_for_url("**/qrels/1/")
    page.goto("/c/fruit/results/scores/")
    page.get_by_role("button", name="Evaluate runs").click()
    page.wait_for_load_state()
    page.goto("/c/fruit/results/scores/")
    page.locator(".release").get_by_role("link", name="Release scores").click()
    confirm(page, told)
    page.get_by_text("released", exact=False).first.wait_for()
