"""What strangers may cost: at most ``CPU_SECONDS`` and ``ANSWER_BYTES`` for any request that needs
no account, with the largest body or query that is taken.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from poolbench.files.faults import InvalidFile
from poolbench.preferences import click_log
from poolbench.preferences.tryout import MAX_LISTED
from poolbench.texts import topics
from tests.access_table import rows
from tests.page_addresses import urls
from tests.test_access import bodies
from tests.world.site import World

CPU_SECONDS, ANSWER_BYTES = 0.2, 200_000
BODY, QUERY = 65_000, 7_800
COUNTS = (10_000, 2_500, 1_000, 500, 250, 100, 50)
CLOSED = (302, 401)
FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
FIELD = re.compile(r"<(?:input|select|textarea)\b[^>]*>")


def measure(client: Client, method: str, url: str, **sent: str) -> tuple[float, int]:
    """CPU seconds and bytes of an answer: the least of three, as a process does some things once
    and a busy machine takes longer.
    """
    least = math.inf
    for _ in range(3):
        start = time.process_time()
        size = len(client.generic(method, url, **sent).getvalue())
        least = min(least, time.process_time() - start)
        if least < CPU_SECONDS / 2:
            break
    return least, size


def grow(body: dict[str, object], count: int, name: str) -> dict[str, object]:
    """``body`` with ``count`` names in its first list, half of them in the next, and so on; its
    texts share the bytes that are left.
    """
    lists = [field for field, value in body.items() if isinstance(value, list)]
    texts = [field for field, value in body.items() if isinstance(value, str)]
    names = [f"{number}{name}" for number in range(count)]
    grown = body | {field: names[::step] for step, field in enumerate(lists, 1)}
    share = (BODY - len(json.dumps(grown))) // max(len(texts), 1) - 50
    return grown | {field: ("ab " * BODY)[: max(share, 1)] for field in texts}


def list_json(body: dict[str, object]) -> Iterator[str]:
    for name in ("", '"' * 100, "\x01" * 40):
        yield from (json.dumps(grow(body, count, name)) for count in COUNTS)
    yield "[" * (BODY // 2) + "]" * (BODY // 2)
    yield json.dumps({f"{number}": number for number in range(BODY // 14)})


def list_forms(fields: list[str], size: int, fixed: str = "") -> Iterator[str]:
    """Lines of which each field has fewer, words and signs in all fields, and many fields."""
    share = size // max(len(fields), 1) - 30
    for sign in ("", "%22" * 10):
        lines = [f"{number}{sign}%0D%0A" for number in range(100)]
        lists = ("".join(lines[: 100 // (2 if sign else 1) : step])[:share] for step in (1, 2, 3))
        yield fixed + "&".join(
            map("=".join, zip(fields, [*lists] + [""] * len(fields), strict=False))
        )
        lines = lines[:50]
    for unit in ("a", "ab+", "a%0A", "%3C"):
        yield fixed + "&".join(f"{field}={unit * (share // len(unit))}" for field in fields)
    yield "&".join(f"f{number}=" for number in range(size // 7))


def list_queries(page: str) -> Iterator[str]:
    """Queries of each form of a page, its hidden fields and choices as they are."""
    for form in FORM.findall(page):
        fields = [dict(re.findall(r'([\w-]+)="([^"]*)"', field)) for field in FIELD.findall(form)]
        free = [
            f["name"] for f in fields if "name" in f and f.get("type", "text") in ("text", "search")
        ]
        fixed = "".join(
            f"{f['name']}={f.get('value', '')}&" for f in fields
            if f.get("type") in ("hidden", "number") and f.get("name") != "csrfmiddlewaretoken"
        )  # fmt: skip
        yield from list_forms(free, QUERY - len(fixed), fixed)
    yield from list_forms(["q", "chart"], QUERY)


def list_trials(
    client: Client, method: str, url: str, body: dict[str, object]
) -> list[tuple[str, dict[str, str]]]:
    """What is sent to an address that needs no account: the rest of its URL, and the body."""
    if method == "GET":
        answer = client.get(url)
        text = "" if answer.streaming else answer.content.decode()
        return [(f"?{query}", {}) for query in ("", *list_queries(text))]
    is_json = url.startswith("/api/")
    kind = "application/json" if is_json else "application/x-www-form-urlencoded"
    sent = list_json(body) if is_json else list_forms(list(body) or ["a", "b"], BODY)
    return [("", {"data": text[:BODY], "content_type": kind}) for text in sent]


def list_dear(world: World, wanted: Callable[[list[Any]], list[Any]]) -> list[str]:
    address, known, client = urls(world), bodies(world), Client(raise_request_exception=False)
    dear = []
    for name, method, statuses in rows():
        url = address[name].partition("?")[0]
        trials = list_trials(client, method, url, known.get(name, {}))
        for rest, body in wanted(trials[:1] if statuses[0] in CLOSED else trials):
            seconds, size = measure(client, method, url + rest, **body)
            if seconds > CPU_SECONDS or size > ANSWER_BYTES:
                what = (rest + body.get("data", ""))[:60]
                dear.append(f"{method} {url} ({name}): {seconds:.2f} s, {size:,} B for {what}")
    return dear


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(lambda trials: trials[1::40], id="some"),
        pytest.param(lambda trials: trials, id="all", marks=pytest.mark.full),
    ],
)
def test_nothing_that_needs_no_account_is_dear(world, settings, wanted):
    """Whatever the access table lists, so a new address is asked as well."""
    settings.POOLBENCH_API_RATE = settings.POOLBENCH_ANONYMOUS_RATE = ""
    assert list_dear(world, wanted) == []


@pytest.mark.parametrize("name", ["0", "\\", '"', "é" * 10, "x" * 500])
def test_the_most_preferences_that_a_stranger_gets_are_few_bytes(client, db, name):
    """Whatever the names are: more than that is refused."""
    shown = [f"{number}{name}" for number in range(MAX_LISTED)]
    body = json.dumps({"documents": shown, "clicked": shown[1::2], "ranking": shown})
    seconds, size = measure(
        client, "POST", "/api/click-preferences/", data=body, content_type="application/json"
    )
    assert seconds < CPU_SECONDS
    assert size < ANSWER_BYTES


def test_a_click_log_of_long_lists_is_refused_soon(monkeypatch):
    """A million preferences take 0.9 CPU seconds; 10 MB of such lists had a hundred."""
    monkeypatch.setattr(click_log, "MAX_PREFERENCES", 10_000)
    shown = [str(number) for number in range(200)]
    line = {"topic": "1", "shown": shown, "clicks": shown[1::2]}
    log = "\n".join(json.dumps(line | {"session": f"{number}"}) for number in range(9))
    with pytest.raises(InvalidFile, match="EC07 More than 10,150 preferences in 3 sessions"):
        click_log.read_click_log(log.encode())
    monkeypatch.setattr(click_log, "MAX_PER_SESSION", 5_050)
    assert click_log.read_click_log(log.encode()).preferences == 9 * 100 * 101 // 2


def test_a_million_topics_are_refused_soon(monkeypatch):
    monkeypatch.setattr(topics, "MAX_TOPICS", 100)
    lines = [f"{number}\ttitle\n" for number in range(1_000)]
    for header in ("", "number\ttitle\n"):
        with pytest.raises(InvalidFile, match="ET10 The file has more than 100 topics") as refused:
            topics.read_topics((header + "".join(lines)).encode())
        assert refused.value.report.counts == {"ET10": 1}
        assert len(topics.read_topics((header + "".join(lines[:100])).encode())) == 100
