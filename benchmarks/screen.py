"""Measure the time from a key to the painted next document, in Chromium.

    python benchmarks/screen.py                  200 judgments of prefetched documents
    python benchmarks/screen.py --keys 50 --kilobytes 200

One assessor judges documents of ``--kilobytes`` by keys, ``--think`` seconds after each appears.
The page itself measures (``judge:next``) from the key event to the painted frame with the next
document.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import quantiles
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
READY = """n => { const d = document.querySelector('#judge').dataset;
  return 'settled' in d && Number(d.ready) >= 1
    && performance.getEntriesByName('judge:next').length >= n; }"""


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--kilobytes", type=float, default=5)
    parser.add_argument("--think", type=float, default=0.5, help="seconds between keys")
    parser.add_argument("--port", type=int, default=8191)
    return parser.parse_args()


def judge(options: argparse.Namespace, session: str) -> list[float]:
    """Milliseconds from each key to the next document."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("POOLBENCH_TEST_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        address = f"http://127.0.0.1:{options.port}"
        context = browser.new_context(base_url=address)
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page = context.new_page()
        page.goto("/c/load/judge/1/")
        for n in range(options.keys):
            page.wait_for_function(READY, arg=n)
            page.wait_for_timeout(1000 * options.think)
            page.keyboard.press(str(n % 3))
        page.wait_for_function(READY, arg=options.keys)
        durations: Any = page.evaluate(
            "performance.getEntriesByName('judge:next').map(m => m.duration)"
        )
        browser.close()
    return list(durations)


def main() -> int:
    options = parse_options()
    from benchmarks import judging
    from benchmarks.assessor import wait_for

    judging.TEXT *= max(1, round(1024 * options.kilobytes / len(judging.TEXT)))
    options.assessors, options.topics, options.pairs = judging.OVERLAP, 1, options.keys + 10
    options.workers, options.threads, options.sqlite = 1, 4, True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POOLBENCH_VAR"] = folder
        os.environ["DATABASE_URL"] = judging.database(options, folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "workbench.settings"
        subprocess.run([sys.executable, str(ROOT / "manage.py"), "migrate", "-v", "0"], check=True)
        import django

        django.setup()
        person, *_ = judging.build(options)
        server = judging.serve(options)
        try:
            wait_for(options.port)
            times = judge(options, person["session"])
        finally:
            server.terminate()
            server.wait(30)
    cuts = quantiles(times, n=100, method="inclusive")
    print(
        f"{len(times)} keys, {len(judging.TEXT) / 1024:.1f} kB per document: key to painted "
        f"p50 {cuts[49]:.1f}   p95 {cuts[94]:.1f}   p99 {cuts[98]:.1f}   max {max(times):.1f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
