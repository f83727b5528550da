"""A long day in one tab of Chromium, as quick as it goes: breaks, a lost connection, a frozen page,
a second tab, new guidelines, a corrected label; and what the tab holds at its start and end.
"""

import time
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

JUDGE = """async (count) => {
  const judge = document.querySelector("#judge");
  const docno = () => document.querySelector("#grades [name=docno]").value;
  const wait = () => new Promise((resolve) => setTimeout(resolve, 4));
  const press = (key) => document.querySelector(".judge-doc:not([hidden])")
    .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    while (!("settled" in judge.dataset) || "waiting" in judge.dataset) {
      if (performance.now() - begun > 60_000) return n;
      await wait();
    }
    window.turns = (window.turns ?? 0) + 1;
    const before = docno();
    const place = window.turns;
    if (place % 9 === 0) press("n");
    if (place % 13 === 0) press("q");
    if (place % 40 === 0) press("u");
    else press(String(place % 4));
    while (docno() === before) {
      if (performance.now() - begun > 60_000) return n;
      await wait();
    }
  }
  return count;
}"""
EVENTS = ("a break", "no connection", "asleep", "two tabs", "new guidelines", "a corrected label")
OFFLINE, BESIDE, REST = 12, 20, 5


class Day:
    """One tab, and what its server answered."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.requests: Counter[str] = Counter()
        self.acknowledged: set[str] = set()
        self.refused: list[str] = []
        context.on("request", lambda request: self.requests.update([name_of(request.url)]))
        context.on("response", self.read)

    def read(self, response: Any) -> None:
        if name_of(response.url) != "judge-acts" or response.status != 200:
            return
        for result in response.json()["results"]:
            if result["ok"]:
                self.acknowledged.add(result["uuid"])
            else:
                self.refused.append(f"{result['code']}: {result['message']}")

    def judge(self, page: Any, count: int) -> None:
        done = page.evaluate(JUDGE, count)
        if done < count:
            state = page.evaluate("document.querySelector('#judge').dataset")
            said = page.locator("#judge-message").inner_text()
            raise SystemExit(f"stood still after {done} of {count} documents: {said} {state}")

    def pass_through(self, name: str, page: Any, topic: str) -> None:
        """An event of the day."""
        if name == "a break":
            page.wait_for_timeout(1000 * REST)
        elif name == "no connection":
            ready = int(page.evaluate("document.querySelector('#judge').dataset.ready"))
            self.context.set_offline(True)
            self.judge(page, min(OFFLINE, ready))
            page.wait_for_timeout(2000)
            self.context.set_offline(False)
        elif name == "asleep":
            session = self.context.new_cdp_session(page)
            session.send("Page.setWebLifecycleState", {"state": "frozen"})
            time.sleep(REST)
            session.send("Page.setWebLifecycleState", {"state": "active"})
            session.detach()
        elif name == "two tabs":
            self.work_beside(page, topic)
        else:
            change_texts(name)

    def work_beside(self, page: Any, topic: str) -> None:
        """A second tab on the same topic; both judge in turns, then it is closed."""
        from benchmarks.desk import open_desk

        other = open_desk(self.context, topic)
        for _ in range(BESIDE // 5):
            for tab in (other, page):
                tab.bring_to_front()
                self.judge(tab, 5)
        other.wait_for_function("() => document.querySelector('#judge').dataset.unsent === '0'")
        other.close()


def name_of(url: str) -> str:
    """The last part of the path: judge-acts, judge-ahead, body, …"""
    parts = [part for part in urlsplit(url).path.split("/") if part]
    if "static" in parts:
        return "static"
    return parts[-1] if parts else "/"


def change_texts(name: str) -> None:
    """As the organizer does it in another place."""
    from benchmarks.judging import SLUG
    from campaigns.models import Campaign
    from campaigns.services.campaigns import update_campaign
    from campaigns.services.errata import correct_texts

    campaign = Campaign.objects.get(slug=SLUG)
    organizer = campaign.created_by
    if name == "new guidelines":
        update_campaign(actor=organizer, campaign=campaign, guidelines="A storm is a storm.")
    else:
        correct_texts(
            actor=organizer, campaign=campaign, kind="grade", name="1", texts={"label": "partly"}
        )


def weigh(page: Any) -> dict[str, float]:
    """What the tab holds after its garbage has been collected."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    found = {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    names = ("JSHeapUsedSize", "Nodes", "JSEventListeners", "Documents")
    return {name: found[name] for name in names}


def tell(when: str, weight: dict[str, float]) -> None:
    heap, nodes, listeners, documents = weight.values()
    print(
        f"{when:<22} heap {heap / 1e6:5.1f} MB  nodes {nodes:6,.0f}  listeners {listeners:4.0f}  "
        f"documents {documents:2.0f}",
        flush=True,
    )


def check_log(day: Day, topic: str) -> None:
    """Each act that the server has acknowledged is in the log once, and no document twice."""
    from judging.models import Judgment

    own = Judgment.objects.filter(topic__number=topic)
    rows = list(own.values_list("client_uuid", "docno", "kind", "revision"))
    logged = Counter(str(uuid) for uuid, *_ in rows)
    latest = Counter((docno, revision) for _, docno, _, revision in rows)
    kinds = Counter(kind for *_, kind, _ in rows)
    print(
        f"acknowledged {len(day.acknowledged):,}, in the log {len(rows):,} ({dict(kinds)}): "
        f"lost {len(day.acknowledged - set(logged))}, "
        f"not acknowledged {len(set(logged) - day.acknowledged)}, "
        f"doubled {sum(n - 1 for n in logged.values()) + sum(n - 1 for n in latest.values())}, "
        f"refused {len(day.refused)} {sorted(set(day.refused))[:3]}"
    )


def work_a_day(context: Any, documents: int) -> None:
    from benchmarks.desk import describe_load, open_desk

    day, topic = Day(context), "day"
    page = open_desk(context, topic)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    begin = time.perf_counter()
    day.judge(page, 60)
    tell("after 60", weigh(page))
    each = (documents - 60 - OFFLINE - 2 * BESIDE) // (len(EVENTS) + 1)
    for name in EVENTS:
        day.judge(page, each)
        day.pass_through(name, page, topic)
        tell(f"after {name}", weigh(page))
    day.judge(page, each)
    page.wait_for_function("() => document.querySelector('#judge').dataset.unsent === '0'")
    tell("at the end", weigh(page))
    notices = page.evaluate(
        "['guidelines-news', 'errata-news'].map((id) => !document.getElementById(id).hidden)"
    )
    seconds = time.perf_counter() - begin
    print(f"{seconds:.0f} s, {describe_load()}; notices of guidelines and label: {notices}")
    print("requests", dict(day.requests.most_common(12)))
    check_log(day, topic)
    print(f"errors of scripts: {errors}")
    page.close()
