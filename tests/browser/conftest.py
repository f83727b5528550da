"""Chromium, headless, against Django's live server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from django.core.handlers.wsgi import WSGIHandler

from tests.browser.desk import sign_in
from tests.browser.door import DOOR

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
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


@pytest.fixture(scope="session", autouse=True)
def _door() -> Iterator[None]:
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
def desk(open_page, assessor, live_server) -> Callable[..., Page]:
    """``desk()``: the judging screen of ``assessor`` in a visit of its own."""

    def opened(path: str = "/c/small/judge/1/", **options: object) -> Page:
        page = open_page(**options)
        sign_in(page, assessor, live_server.url)
        page.goto(path)
        return page

    return opened
