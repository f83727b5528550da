"""Chromium, headless, against Django's live server."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

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


@pytest.fixture
def open_page(browser: Browser, live_server) -> Iterator[Callable[[], Page]]:
    """A page of its own visitor; anything that the console reports as an error fails the test."""
    contexts, errors = [], []

    def opened() -> Page:
        context = browser.new_context(base_url=live_server.url)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: errors.append(str(e)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
