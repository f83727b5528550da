"""Measure the judging screen in Chromium, against gunicorn on a database of its own.

    python benchmarks/desk.py next [--documents 100]     key to next document painted
    python benchmarks/desk.py keys [--keys 1000]         random keys, and what they judged
    python benchmarks/desk.py session [--documents 1500] a long day in one tab

``--kinds text pdf picture`` chooses the documents of the first two; ``--sqlite`` needs no server,
otherwise PostgreSQL is that of ``DATABASE_URL`` (as benchmarks/judging.py). Chromium is that of
``POOLBENCH_TEST_CHROMIUM``, else ``chromium``. All figures depend on what else the machine does:
the load is printed with them.
"""

import argparse
import math
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.judging import SLUG, create_session, prepare_site, serve  # noqa: E402

KINDS = ("text", "pdf", "picture")
WORDS = ("storm", "archive", "night", "dark", "letter", "harbour", "winter", "paper", "lamp")
ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SHARE_PDF, SHARE_PICTURE = 10, 11
"""In a session the document at every tenth place is a PDF, the one behind it a picture."""
FILES, PAGES, LINES = 5, 12, 42


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("next", "keys", "session"))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--port", type=int, default=8197)
    return parser.parse_args()


def write_text(luck: random.Random, words: int) -> str:
    text = [luck.choice(WORDS) for _ in range(words)]
    return "\n\n".join(" ".join(text[at : at + 60]) + "." for at in range(0, words, 60))


def write_pdf_file(luck: random.Random) -> bytes:
    from tests.pdf_files import show, write_pdf

    def page() -> str:
        lines = (" ".join(luck.choice(WORDS) for _ in range(8)) for _ in range(LINES))
        return "\n".join(show(line, 20, 290 - 6 * at, 5) for at, line in enumerate(lines))

    return write_pdf(*(page() for _ in range(PAGES)), font="Times-Roman")


class Files:
    """PDF and picture files in the store, to be used by many documents."""

    def __init__(self, luck: random.Random) -> None:
        from campaigns import store
        from poolbench.texts.pdf_pages import read_pages
        from tests.campaigns.test_document_files import png

        bodies = [write_pdf_file(luck) for _ in range(FILES)]
        self.pdfs = [(store.put_blob(body), len(body), read_pages(body)) for body in bodies]
        pictures = [png(1200, height) for height in (800, 1600, 3000)]
        self.pictures = [(store.put_blob(body), len(body)) for body in pictures]

    def make(self, campaign: Any, docno: str, kind: str, luck: random.Random) -> tuple[Any, Any]:
        """An unsaved document, and the pages of a PDF."""
        from campaigns.models import Document
        from poolbench.texts.pdf_pages import build_text_layer

        common = {"campaign": campaign, "docno": docno, "sha256": docno}
        if kind == "pdf":
            blob, size, pages = luck.choice(self.pdfs)
            file = {"file": blob, "size": size, "media_type": "application/pdf"}
            text = build_text_layer(pages)
            return Document(format="pdf", body=text, **common, **file), pages
        if kind == "picture":
            blob, size = luck.choice(self.pictures)
            file = {"file": blob, "size": size, "media_type": "image/png"}
            return Document(format="image", body="", **common, **file), None
        return Document(title=docno, body=write_text(luck, luck.randint(150, 600)), **common), None


def choose_kind(topic: str, at: int) -> str:
    if topic != "day":
        return topic
    return {0: "pdf", 1: "picture"}.get(at % SHARE_PDF, "text")


def build(topics: dict[str, int]) -> str:
    """The campaign with a topic for each of ``topics``, of as many documents; the session of its
    assessor.
    """
    from campaigns.models import Document, Role, Topic, User
    from campaigns.services.campaigns import create_campaign
    from campaigns.services.pdf_layouts import store_layouts
    from campaigns.services.people import add_member
    from judging.services.plans import create_plan
    from poolbench.judging.scale import GradeSpec
    from pooling.models import Pool, PoolItem

    luck = random.Random(27)  # noqa: S311
    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(n, word, str(n), n) for n, word in enumerate(("no", "some", "yes", "full"))]
    campaign = create_campaign(actor=owner, title="Load", slug=SLUG, scale=scale)
    user = User.objects.create(username="assessor")
    add_member(actor=owner, campaign=campaign, user=user, role=Role.ASSESSOR)
    files, rows, layouts = Files(luck), [], {}
    pool = Pool.objects.create(
        campaign=campaign, version=1, spec={"method": "depth", "depth": 1, "runs": []},
        inputs_hash="0" * 64, size=sum(topics.values()), frozen_by=owner,
    )  # fmt: skip
    for place, (number, count) in enumerate(topics.items()):
        topic = Topic.objects.create(
            campaign=campaign, number=number, title="storm archive", position=place
        )
        docnos = [f"{number}-{at:05}" for at in range(count)]
        for at, docno in enumerate(docnos):
            document, pages = files.make(campaign, docno, choose_kind(number, at), luck)
            rows.append(document)
            layouts |= {docno: pages} if pages else {}
        PoolItem.objects.bulk_create(
            PoolItem(pool=pool, topic=topic, docno=docno, min_rank=1, contributors=b"",
                     position=at, stratum=0, probability=1.0)
            for at, docno in enumerate(docnos)
        )  # fmt: skip
    Document.objects.bulk_create(rows)
    store_layouts(campaign, layouts)
    people = {number: [user] for number in topics}
    create_plan(actor=owner, pool=pool, overlap=1, assessors=people)
    return str(create_session(user)["session"])


@contextmanager
def open_browser(port: int, session: str) -> Iterator[Any]:
    """A context of Chromium in which the assessor has signed in."""
    from playwright.sync_api import sync_playwright

    # Playwright's loop makes Django take this thread for an asynchronous one.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    path = os.environ.get("POOLBENCH_TEST_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        address = f"http://localhost:{port}"
        context = browser.new_context(
            base_url=address, viewport={"width": 1366, "height": 768}, locale="en-GB"
        )
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        context.set_default_timeout(60_000)
        yield context
        browser.close()


SETTLED = """() => { const d = document.querySelector("#judge").dataset;
  return d.live === "" && "settled" in d && !("waiting" in d) && Number(d.ready) > 0; }"""


def open_desk(context: Any, topic: str) -> Any:
    page = context.new_page()
    page.goto(f"/c/{SLUG}/judge/{topic}/")
    page.wait_for_function(SETTLED)
    return page


def describe_load() -> str:
    return "load " + " ".join(f"{load:.1f}" for load in os.getloadavg())


def find_quantile(values: list[float], share: float) -> float:
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


SHOWN = """async (before) => {
  const docno = () => document.querySelector("#grades [name=docno]").value;
  while (docno() === before) await new Promise((resolve) => setTimeout(resolve));
  const seen = [...document.querySelectorAll(".judge-doc:not([hidden]) img")]
    .filter((it) => it.getBoundingClientRect().top < innerHeight);
  await Promise.all(seen.map((it) => it.decode()));
  await new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(null);
  }));
  window.drawn.push(performance.now() - window.pressed);
}"""


def measure_next(context: Any, kind: str, documents: int) -> None:
    """From the key to the next document painted: as the page measures it, and with all pictures in
    sight decoded; and the CPU time of the page's main thread for a document with all that it does,
    which does not depend on the load.
    """
    page = open_desk(context, kind)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    cpu = -read_task_seconds(session)
    page.evaluate(
        "() => { window.drawn = []; addEventListener('keydown',"
        " (event) => { window.pressed = event.timeStamp; }, true); }"
    )
    for at in range(documents):
        page.wait_for_function(SETTLED)
        docno = page.locator("#grades [name=docno]").input_value()
        page.keyboard.press(str(at % 4))
        page.evaluate(SHOWN, docno)
    cpu += read_task_seconds(session)
    own = page.evaluate("performance.getEntriesByName('judge:next').map((it) => it.duration)")
    for name, values in (("judge:next", own), ("pictures too", page.evaluate("window.drawn"))):
        cuts = "  ".join(f"p{n} {find_quantile(values, n / 100):.0f}" for n in (50, 95, 99))
        print(f"{kind:<8} {name:<13} {len(values)} keys  {cuts} ms  {describe_load()}", flush=True)
    print(f"{kind:<8} CPU of the main thread {1000 * cpu / documents:.0f} ms a document")
    page.close()


def read_task_seconds(session: Any) -> float:
    rows = session.send("Performance.getMetrics")["metrics"]
    return float(next(row["value"] for row in rows if row["name"] == "TaskDuration"))


def main() -> None:
    from benchmarks.assessor import wait_for
    from benchmarks.desk_keys import press_at_random
    from benchmarks.desk_session import work_a_day

    options = parse_options()
    count = options.documents or {"next": 100, "keys": 0, "session": 1500}[options.part]
    sizes = {"next": count + 10, "keys": options.keys, "session": count + 5}
    topics = ["day"] if options.part == "session" else options.kinds
    with prepare_site(options) as manage:
        subprocess.run([*manage, "collectstatic", "-v", "0", "--no-input"], check=True)
        session = build(dict.fromkeys(topics, sizes[options.part]))
        server = serve(options.port, 2, 4)
        try:
            wait_for(options.port)
            with open_browser(options.port, session) as context:
                for topic in topics:
                    if options.part == "next":
                        measure_next(context, topic, count)
                    elif options.part == "keys":
                        press_at_random(context, topic, options.keys)
                    else:
                        work_a_day(context, count)
        finally:
            server.terminate()
            server.wait(30)
        checked = subprocess.run(
            [*manage, "check_judging", SLUG], check=False, capture_output=True, text=True
        )
        print("invariants broken:\n" + checked.stdout if checked.returncode else "invariants hold")


if __name__ == "__main__":
    main()
