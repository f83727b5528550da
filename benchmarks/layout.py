"""Measure the arrangement of pages in Chromium: head, first rows, conclusions, and the desk.

    python benchmarks/layout.py SLUG [--organizer NAME] [--assessor NAME] [--port N]

``SLUG`` is a campaign with scores of the installation that ``POOLBENCH_VAR`` names; the assessor
has a document to judge (the demo's ``ada``). Starts a server of its own on ``--port``. Prints a
Markdown table, pixels of CSS. Works with any version whose pages have these elements, so that two
versions can be compared: copy this file into the checkout of the other one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
DESKS = ((1920, 1080), (1366, 768), (683, 384), (844, 390), (390, 844), (455, 256))
"""Windows of the judging screen; 683 and 455 are 1366 at 200 and 300 % zoom."""
VERDICTS = (
    "agreement", "stopping", "reusability", "leaderboard", "judging-today", "overview",
)  # fmt: skip
"""The pages that say a verdict first; the overview says all of them, a line each."""
TOUCH = {(844, 390), (390, 844)}
HEAD = """() => {
  const bottom = (s) => Math.max(0, ...[...document.querySelectorAll(s)]
    .map((e) => e.getBoundingClientRect().bottom));
  const masthead = bottom('.masthead'), all = bottom('.masthead, .campaign-head, .tabs');
  return [all - masthead, all, document.querySelectorAll('.tabs a, nav.groups a').length];
}"""
ROWS = """() => {
  const rows = (t) => [...t.tBodies].flatMap((b) => [...b.rows]).filter((r) => r.offsetHeight);
  const table = [...document.querySelectorAll('main table')]
    .reduce((a, b) => (rows(b).length > rows(a).length ? b : a));
  const foot = table.tFoot && getComputedStyle(table.tFoot).position === 'sticky'
    ? table.tFoot.offsetHeight : 0;
  const all = rows(table).map((r) => r.getBoundingClientRect());
  return [all[0].top, all.filter((r) => r.bottom <= innerHeight - foot).length, all.length];
}"""
ANALYSIS = """() => {
  const top = (s) => Math.round(document.querySelector(s)?.getBoundingClientRect().top ?? -1);
  return [top('main .verdict, main ul.verdicts'),
    top('main dl.key, main .key, main dl.stats, main .chart'),
    document.documentElement.scrollHeight];
}"""
# In small windows a new topic opens over the document once, and "t" folds it.
FOLD = """() => {
  const low = innerWidth < 960 || innerHeight < 544;
  if (low) document.querySelector('#topic')?.removeAttribute('open');
}"""
# Pixels of the middle line that belong to the document, so that what lies over it does not count.
DESK = """() => {
  const doc = document.querySelector('.judge-doc');
  if (!doc) return null;
  const box = doc.getBoundingClientRect(), x = box.left + box.width / 2;
  let height = 0;
  for (let y = 0; y < innerHeight; y++) height += doc.contains(document.elementFromPoint(x, y));
  return [Math.round(box.width), height];
}"""


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("slug")
    parser.add_argument("--organizer", default="organizer")
    parser.add_argument("--assessor", default="ada")
    parser.add_argument("--port", type=int, default=8192)
    return parser.parse_args()


def make_session(username: str) -> str:
    """The key of a session of ``username``, written to the installation's database."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from campaigns.models import User

    user = User.objects.get(username=username)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def list_addresses(slug: str) -> dict[str, str]:
    """The measured pages of the campaign by name."""
    from django.urls import reverse

    from evaluation.models import ScoreSet

    scores = ScoreSet.objects.filter(campaign__slug=slug).order_by("-pk").first()
    names = ("runs", "work", "agreement", "stopping", "reusability", "judging-today")
    addresses = {name: reverse(name, args=[slug]) for name in names}
    addresses["overview"] = reverse("campaign", args=[slug])
    if scores:
        addresses["leaderboard"] = reverse("score-set", args=[slug, scores.pk])
    return addresses


def measure_pages(page: Any, addresses: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The rows of an organizer at 1280 × 900 and 390 × 844."""
    for size in ((1280, 900), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(addresses["runs"])
        head, bottom, links = page.evaluate(HEAD)
        where = f"{size[0]} × {size[1]}"
        yield f"head of a campaign below the masthead, {where}", f"{head:.0f} px"
        yield f"… with the masthead, {where}", f"{bottom:.0f} px"
        if size[0] == 1280:
            yield "links of the first level", f"{links}"
        if "leaderboard" in addresses:
            page.goto(addresses["leaderboard"])
            top, seen, rows = page.evaluate(ROWS)
            yield f"first row of the leaderboard, {where}", f"{top:.0f} px"
            yield f"… rows in sight, {where}", f"{seen} of {rows}"
    page.set_viewport_size({"width": 1280, "height": 900})
    for name in VERDICTS:
        if name not in addresses:
            continue
        page.goto(addresses[name])
        verdict, figures, height = page.evaluate(ANALYSIS)
        yield f"{name}: conclusion", f"{verdict} px" if verdict >= 0 else "none"
        yield f"{name}: first figure", f"{figures} px" if figures >= 0 else "none"
        yield f"{name}: whole page", f"{height} px"


def measure_desk(browser: Any, address: str, session: str, work: str) -> Iterator[tuple[str, str]]:
    """The document on the judging screen, in every window."""
    for width, height in DESKS:
        touch = (width, height) in TOUCH
        context = browser.new_context(
            base_url=address, viewport={"width": width, "height": height}, has_touch=touch
        )
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page = context.new_page()
        page.goto(work)
        links = page.locator('main a[href*="/judge/"]').all()
        size = None
        if links:
            page.goto(str(links[0].get_attribute("href")))
            page.wait_for_timeout(500)
            page.evaluate(FOLD)
            size = page.evaluate(DESK)
        label = f"document at {width} × {height}{', touch' if touch else ''}"
        if size:
            yield label, f"{size[0]} × {size[1]} px ({size[1] / height:.0%} of the height)"
        else:
            yield label, "no document to judge"
        context.close()


def wait_for(address: str) -> None:
    """Wait until the server answers; ``TimeoutError`` after a minute."""
    for _ in range(120):
        try:
            urlopen(f"{address}/health/", timeout=5).close()  # noqa: S310 (our own server)
        except (URLError, OSError):
            time.sleep(0.5)
        else:
            return
    raise TimeoutError(address)


def main() -> None:
    options = parse_options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    import django

    django.setup()
    sessions = {name: make_session(name) for name in (options.organizer, options.assessor)}
    addresses = list_addresses(options.slug)
    from playwright.sync_api import sync_playwright

    address = f"http://127.0.0.1:{options.port}"
    command = ["manage.py", "runserver", str(options.port), "--noreload", "--insecure"]
    server = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    path = os.environ.get("POOLBENCH_TEST_CHROMIUM") or shutil.which("chromium")
    try:
        wait_for(address)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=ARGS)
            context = browser.new_context(base_url=address)
            session = sessions[options.organizer]
            context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
            print("| what | measured |\n|---|---|")
            for row in measure_pages(context.new_page(), addresses):
                print("| {} | {} |".format(*row))
            assessor = sessions[options.assessor]
            for row in measure_desk(browser, address, assessor, addresses["work"]):
                print("| {} | {} |".format(*row))
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
