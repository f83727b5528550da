"""Random keys on the judging screen, and whether each did what it should: no more, no less.

A monitor in the page, which knows nothing of its scripts, notes each key press with the document on
the screen, when that was painted, and where the focus was; and each judgment. A key of a grade
must judge if the document had been painted for 150 ms when it was pressed, and nothing else may.
Presses within ``MARGIN`` of that limit may do either, since two clocks see the paint.
"""

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

LIMIT, MARGIN, BLOCK = 150, 25, 700
SKIPS = {"b": "broken", "l": "language", "x": "undecided"}
OTHER = "other"
"""The reason that needs a comment: it may be given, or asked for."""
KEYS = [
    *"0123" * 10, *"uz" * 2, *"sblx" * 2, *"cfqenNhptgw+-./?jv" * 1, *["Escape"] * 14,
    *["Enter"] * 4, " ", "PageDown", "ArrowDown", "ArrowUp", "9", "k",
    *["Control+1", "Alt+2", "Shift+9", "Meta+0"],
]  # fmt: skip
MONITOR = """([share, busy]) => {
  const uuid = () => document.querySelector("#grades [name=client_uuid]").value;
  const painted = new Map();
  window.presses = [];
  window.judged = [];
  window.blocked = 0;
  const block = () => {
    window.blocked += 1;
    for (const until = performance.now() + busy; performance.now() < until;);
  };
  const look = () => {
    const now = uuid();
    painted.delete(now);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      painted.set(now, performance.now());
      if (Math.random() < share) setTimeout(block);
    }));
  };
  painted.set(uuid(), 0);
  new MutationObserver(look).observe(
    document.querySelector("#grades [name=client_uuid]"), { attributeFilter: ["value"] });
  addEventListener("keydown", (event) => {
    const field = event.target.closest("input:not([type=checkbox], [type=radio]), textarea");
    const popover = document.querySelector(":popover-open");
    const duplicate = document.querySelector("[name=flags][value=duplicate]:checked");
    window.presses.push({
      key: event.key, at: event.timeStamp, uuid: uuid(), painted: painted.get(uuid()) ?? null,
      inField: Boolean(field), popover: popover?.id ?? "",
      modified: event.ctrlKey || event.altKey || event.metaKey, duplicate: Boolean(duplicate),
    });
  }, true);
  document.addEventListener("judged", ({ detail }) => window.judged.push(
    { uuid: detail.uuid, grade: detail.grade, reason: detail.reason }));
}"""
CLOSED = ("judge-help", "judge-skip", "view")
"""Popovers in which a grade judges nothing (``view``: only while the focus is in it)."""


@dataclass
class Outcome:
    """``misfires``: judgments without a key that may give them. ``missed``: keys that should."""

    judged: int
    misfires: list[str]
    missed: list[str]
    early: int


def choose_act(press: dict[str, Any]) -> str:
    """What the key judges if the document could be read: a grade, the reason of a skip, or ""."""
    is_skip = press["popover"] == "judge-skip"
    if is_skip and press["key"] == ("Enter" if press["inField"] else "o"):
        return OTHER
    if press["inField"] or press["modified"]:
        return ""
    if is_skip:
        return SKIPS.get(press["key"], "")
    if press["key"] in "0123" and press["popover"] not in CLOSED:
        return str(press["key"])
    return ""


def compare(presses: list[dict[str, Any]], judged: list[dict[str, Any]]) -> Outcome:
    """For each document that was shown, by its uuid: the first key that had to judge it, and its
    judgment.
    """
    given = {row["uuid"]: row["reason"] or str(row["grade"]) for row in judged}
    may: dict[str, list[str]] = {}
    must: dict[str, str] = {}
    early = 0
    for press in presses:
        act, uuid = choose_act(press), press["uuid"]
        if not act or not uuid:
            continue
        age = find_age(press)
        if age < LIMIT - MARGIN:
            early += 1
            continue
        may.setdefault(uuid, []).append(act)
        if age > LIMIT + MARGIN and act != OTHER and not press["duplicate"]:
            must.setdefault(uuid, act)
    ages = describe_presses(presses)
    twice = [uuid for uuid, count in Counter(row["uuid"] for row in judged).items() if count > 1]
    misfires = [f"{uuid} judged twice" for uuid in twice]
    misfires += [
        f"{uuid}: {act} given, pressed {ages.get(uuid, '')}"
        for uuid, act in given.items()
        if act not in may.get(uuid, [])
    ]
    missed = [f"{act} not given: {ages[uuid]}" for uuid, act in must.items() if uuid not in given]
    return Outcome(len(judged), misfires, missed, early)


def find_age(press: dict[str, Any]) -> float:
    """Milliseconds since the document was painted; 0 before."""
    return 0.0 if press["painted"] is None else press["at"] - press["painted"]


def describe_presses(presses: list[dict[str, Any]]) -> dict[str, str]:
    """By document the keys pressed there, each with the document's age and the open panel."""
    told: dict[str, str] = {}
    for press in presses:
        more = f"{press['popover']}{' in a field' if press['inField'] else ''}"
        key = f"{press['key']} at {find_age(press):.0f} ms {more}".strip()
        told[press["uuid"]] = f"{told.get(press['uuid'], '')} [{key}]"
    return told


def press_at_random(context: Any, kind: str, count: int) -> None:
    from benchmarks.desk import describe_load, open_desk
    from judging.models import Judgment

    page, luck = open_desk(context, kind), random.Random(1950)  # noqa: S311
    page.evaluate(MONITOR, [0.1, BLOCK])
    for _ in range(count):
        page.keyboard.press(luck.choice(KEYS))
        page.wait_for_timeout(luck.choice([0, 20, 60, 140, 200, 320]))
    page.wait_for_function("() => document.querySelector('#judge').dataset.unsent === '0'")
    presses, judged = page.evaluate("[window.presses, window.judged]")
    outcome = compare(presses, judged)
    rows = Judgment.objects.filter(topic__number=kind).exclude(kind="withdrawn")
    logged = {str(uuid) for uuid in rows.values_list("client_uuid", flat=True)}
    sent = {row["uuid"] for row in judged}
    print(
        f"{kind:<8} {len(presses)} keys, {outcome.judged} judged, {outcome.early} too early, "
        f"{page.evaluate('window.blocked')} documents blocked for {BLOCK} ms: "
        f"misfires {len(outcome.misfires)}, without effect {len(outcome.missed)}, "
        f"not in the log {len(sent - logged)}  {describe_load()}",
        flush=True,
    )
    for line in (outcome.misfires + outcome.missed)[:10]:
        print("  ", line)
    page.close()
