"""What strangers may cost: at most ``CPU_SECONDS`` and ``ANSWER_BYTES`` for any request that needs
no account, with the largest body or query that is taken.
"""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import Client

from poolbench.files.faults import InvalidFile
from poolbench.preferences import click_log
from poolbench.preferences.tryout import MAX_LISTED
from poolbench.texts import markup, topics
from tests.access_table import rows
from tests.crowd.visiting import enter, read_hidden
from tests.crowd.worker_study import make_door_link, make_practice, make_study
from tests.examples import take
from tests.page_addresses import urls
from tests.test_access import bodies
from tests.world.site import World
from workbench import settings as product

CPU_SECONDS, ANSWER_BYTES = 0.2, 250_000  # The description of the API is the largest.
BODY, QUERY = 65_000, 7_800
COUNTS = (10_000, 2_500, 1_000, 500, 250, 100, 50)
CLOSED = (302, 401)
FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
FIELD = re.compile(r"<(?:input|select|textarea)\b[^>]*>")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


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


def find_cost(client: Client, method: str, url: str, sent: dict[str, str]) -> str:
    """What a request cost, if that is too much."""
    seconds, size = measure(client, method, url, **sent)
    is_dear = seconds > CPU_SECONDS or size > ANSWER_BYTES
    return f"{seconds:.2f} s, {size:,} B" if is_dear else ""


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
    for item in ("", [], {}, None, "a"):
        items = [item] * ((BODY - 1_000) // (len(json.dumps(item)) + 2))
        yield from (json.dumps(body | {field: items}) for field in body)
    yield "[" * (BODY // 2) + "]" * (BODY // 2)
    yield json.dumps({f"{number}": number for number in range(BODY // 14)})


def list_forms(fields: list[str], size: int, fixed: str = "") -> Iterator[str]:
    """Lines of which each field has fewer, words and signs in all fields, and many fields."""
    share = size // max(len(fields), 1) - 30
    for sign in ("", "%22" * 10):
        lines = [f"{number}{sign}%0D%0A" for number in range(50 if sign else 100)]
        lists = ["".join(lines[::step])[:share] for step in (1, 2, 3)] + [""] * len(fields)
        yield fixed + "&".join(map("=".join, zip(fields, lists, strict=False)))
    for unit in ("a", "ab+", "a%0A", "%3C"):
        yield fixed + "&".join(f"{field}={unit * (share // len(unit))}" for field in fields)
    yield "&".join(f"f{number}=" for number in range(size // 7))


def list_bodies(body: dict[str, str]) -> Iterator[str]:
    """The body as a form sends it, with one of its fields long, and with all of them."""
    yield urlencode(body)
    for field in body:
        yield urlencode(body | {field: "ab\n" * (BODY // 6)})
    yield from list_forms([*body] or ["a", "b"], BODY)


def read_forms(page: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The start tag of each form, and its fields with their attributes."""
    for form in FORM.findall(page):
        fields = [dict(ATTRIBUTE.findall(field)) for field in FIELD.findall(form)]
        yield form.partition(">")[0], [field for field in fields if "name" in field]


def list_queries(page: str) -> Iterator[str]:
    """Queries of each form of a page, its hidden fields and choices as they are."""
    for _, fields in read_forms(page):
        free = [f["name"] for f in fields if f.get("type", "text") in ("text", "search")]
        fixed = "".join(
            f"{f['name']}={f.get('value', '')}&" for f in fields
            if f.get("type") in ("hidden", "number") and f.get("name") != "csrfmiddlewaretoken"
        )  # fmt: skip
        yield from list_forms(free, QUERY - len(fixed), fixed)
    yield from list_forms(["q", "chart"], QUERY)


def list_posts(page: str, path: str) -> Iterator[tuple[str, str]]:
    """Address and body of what the forms of a page can send."""
    for tag, fields in read_forms(page):
        body = {field["name"]: unescape(field.get("value", "")) for field in fields}
        if 'method="post"' in tag and body.pop("csrfmiddlewaretoken", None) != "":
            action = dict(ATTRIBUTE.findall(tag)).get("action") or path
            yield from ((action, sent) for sent in list_bodies(body))


def list_trials(
    client: Client, method: str, url: str, body: dict[str, object]
) -> Iterator[tuple[str, dict[str, str]]]:
    """What is sent to an address that needs no account: the rest of its URL, and the body."""
    if method == "GET":
        yield "?", {}
        answer = client.get(url)
        text = "" if answer.streaming else answer.content.decode()
        yield from ((f"?{query}", {}) for query in list_queries(text))
        return
    is_json = url.startswith("/api/")
    kind = "application/json" if is_json else "application/x-www-form-urlencoded"
    sent = list_json(body) if is_json else list_bodies(body)
    yield from (("", {"data": text[:BODY], "content_type": kind}) for text in sent)


def list_dear(world: World, wanted: Callable[[list[Any]], list[Any]]) -> list[str]:
    address, known, client = urls(world), bodies(world), Client(raise_request_exception=False)
    dear = []
    for name, method, statuses in rows():
        url = address[name].partition("?")[0]
        trials = list_trials(client, method, url, known.get(name, {}))
        tried = islice(trials, 1 if statuses[0] in CLOSED else None)
        for rest, body in wanted(list(tried)):
            with transaction.atomic():
                if told := find_cost(client, method, url + rest, body):
                    dear.append(f"{method} {url} ({name}): {told} for {(rest + str(body))[:90]}")
                transaction.set_rollback(True)
    return dear


@pytest.fixture(autouse=True)
def _as_strangers_find_it(settings):
    """Passwords as they are stored, and no limit ends the trials early."""
    settings.PASSWORD_HASHERS = product.PASSWORD_HASHERS
    settings.POOLBENCH_API_RATE = settings.POOLBENCH_ANONYMOUS_RATE = ""
    settings.POOLBENCH_CROWD_RATE = ""
    settings.POOLBENCH_SIGN_IN_TRIES = 10_000


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(lambda trials: [*trials[:2], *trials[2::50]], id="some"),
        pytest.param(lambda trials: trials, id="all", marks=pytest.mark.full),
    ],
)
def test_nothing_that_needs_no_account_is_dear(world, wanted):
    """Whatever the access table lists, which has every URL, so a new one is asked as well."""
    owner = world.people["owner"]
    owner.set_password("correct horse battery")
    owner.save()
    assert list_dear(world, wanted) == []


def test_nothing_that_a_crowd_worker_sends_is_dear(campaign):
    """From the link on, with the forms of each step; whoever has a link can send as much."""
    study = make_study(campaign)
    make_practice(study, [2], needed=1)
    links = [make_door_link(study, preview=True), make_door_link(study)]
    visitor, dear = Client(), []
    path = enter(visitor, links[1])
    for act in ("consent/", "practice/", "begin/", "answer/", "leave/"):
        pages = [*links, path, f"{path}instructions/", f"{path}leave/"]
        found = {page: visitor.get(page, follow=True) for page in pages}
        trials = [("GET", page, {}) for page in pages]
        for page, shown in found.items():
            posts = list_posts(shown.content.decode(), page)
            for action, text in take(dict.fromkeys(posts), 9):
                sent = {"data": text[:BODY], "content_type": "application/x-www-form-urlencoded"}
                trials.append(("POST", action, sent))
        with transaction.atomic():
            dear += [(act, *trial) for trial in trials if find_cost(visitor, *trial)]
            transaction.set_rollback(True)
        fields = read_hidden(found[path].content.decode())
        visitor.post(path + act, {**fields, "version": "1", "agree": "1", "grade": "2"})
    assert [(unit.state, unit.judgments.count()) for unit in study.plan.units.all()] == [
        ("abandoned", 2)
    ]
    assert dear == []


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


@pytest.mark.parametrize("form", ["tsv", "header", "xml"])
def test_a_million_topics_are_refused_soon(monkeypatch, form):
    monkeypatch.setattr(topics, "MAX_TOPICS", 100)
    monkeypatch.setattr(markup, "PIECE", 1_000)
    line = '<topic number="{0}"><title>title</title></topic>\n' if form == "xml" else "{0}\ttitle\n"
    lines = [line.format(number) for number in range(1_000)]
    start = {"header": "number\ttitle\n", "xml": "<topics>\n"}.get(form, "")
    with pytest.raises(InvalidFile, match="ET10 The file has more than 100 topics") as refused:
        topics.read_topics((start + "".join(lines)).encode())  # not well-formed, far behind
    assert refused.value.report.counts == {"ET10": 1}
    end = "</topics>" if form == "xml" else ""
    assert len(topics.read_topics((start + "".join(lines[:100]) + end).encode())) == 100


@pytest.mark.parametrize("tags", ["<top ", "<topic><title>" + "<b>a</b>" * 9 + "</title></topic>"])
def test_topics_are_read_in_linear_time(tags):
    """200 kB of these took ten seconds, 1 MB half of one."""
    start = time.process_time()
    with pytest.raises(InvalidFile):
        topics.read_topics(f"{tags[:6].strip()}>".encode() + tags.encode() * (500_000 // len(tags)))
    assert time.process_time() - start < 5
