"""Chromium, headless, against Django's live server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from django.core.handlers.wsgi import WSGIHandler

from tests.browser.desk import give_work, settle, sign_in
from tests.browser.door import DOOR

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from campaigns.models import User

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
EACH_TIME = """
    accessibility/nothing_serious_stands_in_the_way[light]
    accessibility/pages_that_ask_before_an_act_are_clear[390-dark]
    adjudication/one_key_settles_a_pair_and_undo_brings_it_back
    coming_back/an_undo_that_waits_for_the_line_leaves_the_keys
    coming_back/what_was_refused_is_judged_again_once
    crowd_worker/by_keyboard_alone_and_without_scripts
    desk_choices/a_draft_survives_a_reload_and_goes_with_the_judgment
    desk_choices/without_scripts_everything_is_reached[phone]
    desk_panels/each_panel_has_a_name_takes_the_focus_and_gives_it_back[1366]
    desk_sizes/the_document_has_most_of_the_window_and_nothing_moves[phone]
    desk_truth/a_key_pressed_before_the_document_could_be_read_is_none
    documents/no_attack_in_a_document_runs_or_fetches[past-the-sanitiser]
    documents/pdf_and_pictures_are_shown_in_the_page
    documents/a_long_text_goes_on_where_it_is_scrolled_to
    frame/the_head_is_low_and_the_page_alone_scrolls[viewer]
    frame/the_menu_of_all_pages_needs_no_script
    guidelines/a_change_is_announced_and_g_opens_it
    help/a_question_mark_opens_its_word_by_keyboard[True]
    journey/campaign_goes_through_its_whole_life
    judging/fifty_judgments_cost_fifty_keys
    judging/a_thousand_key_events_misfire_never
    judging/undo_takes_one_key_and_shows_what_was_given
    judging/flags_comment_and_skip_go_with_the_document
    judging/a_passage_is_marked_with_its_place_in_the_body
    language/the_language_is_chosen_below_the_page_and_stays
    paper/a_team_takes_its_results[light]
    pool_form/enter_in_a_rule_ticks_by_it_and_forgets_nothing
    preferences/documents_are_compared_with_one_key_each
    queue/five_minutes_offline_and_a_closed_tab_lose_nothing
    queue/what_another_account_left_is_never_sent_as_this_one
    registration/a_team_comes_in_by_mail_alone
    tables/sorting_keeps_totals_at_the_end
"""
JOURNEYS = frozenset(EACH_TIME.split())
"""What ``make test`` does in the browser; all else here, as the other sizes and schemes, is
``full``.
"""


def pytest_itemcollected(item: pytest.Item) -> None:
    if f"{item.path.stem}/{item.name}".replace("test_", "") not in JOURNEYS:
        item.add_marker("full")


# Playwright's loop makes Django take this thread for an asynchronous one.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = os.environ.get("POOLBENCH_TEST_CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.skip("needs Chromium: install it or set POOLBENCH_TEST_CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield started
        started.close()


@pytest.fixture(scope="package", autouse=True)
def _door() -> Iterator[None]:
    """Taken away before other tests with a live server, which would find it shut."""

    def one_by_one(self: WSGIHandler, environ: object, start: Callable[..., object]) -> object:
        return DOOR.let_in(self, environ, start)

    WSGIHandler.__call__ = one_by_one
    yield
    WSGIHandler.__call__ = DOOR.answer


@pytest.fixture(autouse=True)
def _open_door(_door: None) -> None:
    DOOR.is_open = True


@pytest.fixture
def open_page(browser: Browser, live_server) -> Iterator[Callable[[], Page]]:
    """A page of its own visitor; anything that the console reports as an error fails the test,
    unless the visit is one without a connection (``strict=False``).
    """
    contexts, errors = [], []

    def opened(*, strict: bool = True, **options: object) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        if strict:
            page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: errors.append(str(e)))
        return page

    yield opened
    for context in contexts:
        context.close()
    DOOR.shut()
    assert errors == []


@pytest.fixture
def visit(open_page, live_server) -> Callable[..., Page]:
    """``visit(user, path)``: a page of its own visitor, signed in as ``user``."""

    def opened(user: User, path: str, **options: object) -> Page:
        page = open_page(**options)
        sign_in(page, user, live_server.url)
        page.goto(path)
        return page

    return opened


@pytest.fixture
def desk(visit, assessor) -> Callable[..., Page]:
    """``desk()``: the judging screen of ``assessor`` in a visit of its own."""
    return lambda path="/c/small/judge/1/", **options: visit(assessor, path, **options)


@pytest.fixture
def at_work(desk, campaign, assessor) -> Callable[..., Page]:
    """``at_work()``: that screen with the work of ``give_work`` on it, and ``ahead`` behind it."""

    def opened(documents: int = 8, *, ahead: int = 1, rationale: str = "no", **options) -> Page:
        give_work(campaign, assessor, documents, rationale=rationale)
        page = desk(**options)
        settle(page, ahead)
        return page

    return opened
