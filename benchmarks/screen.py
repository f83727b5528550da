"""How long after a key the next document is painted, in a real Chromium.

    python benchmarks/screen.py                  200 judgments of prefetched documents
    python benchmarks/screen.py --keys 50 --kilobytes 200

One assessor judges documents of ``--kilobytes`` by keys, ``--think`` seconds after each came up.
The page itself measures (``judge:next``): from the event of the key to the frame after the
document was put in place, once that frame is painted.
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
IN_HAND = """n => { const d = document.querySelector('#judge').dataset;
  return 'settled' in d && Number(d.ready) >= 1
    && performance.getEntriesByName('judge:next').length >= n; }"""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--kilobytes", type=float, default=5)
    parser.add_argument("--think", type=float, default=0.5, help="seconds between keys")
    parser.add_argument("--port", type=int, default=8191)
    return parser.parse_args()


def judge(chosen: argparse.Namespace, session: str) -> list[float]:
    """Milliseconds from each key to the next document."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("POOLBENCH_TEST_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        address = f"http://127.0.0.1:{chosen.port}"
        context = browser.new_context(base_url=address)
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page = context.new_page()
        page.goto("/c/load/judge/1/")
        for n in range(chosen.keys):
            page.wait_for_function(IN_HAND, arg=n)
            page.wait_for_timeout(1000 * chosen.think)
            page.keyboard.press(str(n % 3))
        page.wait_for_function(IN_HAND, arg=chosen.keys)
        found: Any = page.evaluate(
            "performance.getEntriesByName('judge:next').map(m => m.duration)"
        )
        browser.close()
    return list(found)


def main() -> int:
    chosen = options()
    from benchmarks import judging
    from benchmarks.assessor import wait_for

    judging.TEXT *= max(1, round(1024 * chosen.kilobytes / len(judging.TEXT)))
    chosen.assessors, chosen.topics, chosen.pairs = judging.OVERLAP, 1, chosen.keys + 10
    chosen.workers, chosen.threads, chosen.sqlite = 1, 4, True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POOLBENCH_VAR"] = folder
        os.environ["DATABASE_URL"] = judging.database(chosen, folder)
        os.environ["DJANGO_SETTINGS_MODULE"] = "workbench.settings"
        subprocess.run([sys.executable, str(ROOT / "manage.py"), "migrate", "-v", "0"], check=True)
        import django

        django.setup()
        person, *_ = judging.build(chosen)
        server = judging.serve(chosen)
        try:
            wait_for(chosen.port)
            times = judge(chosen, person["session"])
        finally:
            server.terminate()
            server.wait(30)
    cuts = quantiles(times, n=100, method="inclusive")
    print(
        f"{len(times)} keys, {len(judging.TEXT) / 1024:.1f} kB a document: key to painted "
        f"p50 {cuts[49]:.1f}   p95 {cuts[94]:.1f}   p99 {cuts[98]:.1f}   max {max(times):.1f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
