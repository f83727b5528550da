"""Who may open what: every URL of the site × every role → the status of the answer.

302 for the anonymous is the way to the sign-in page; 404 is told to who may not even know
that the thing is there; 403 to members whose role does not reach so far; 400, 405, 409
and 422 are answers to a request that was let in and found wanting.
"""

import json
import re
from copy import deepcopy

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from campaigns.views import pages
from judging.rules import SKIP_REASONS
from preferences.services.comparisons import sign_display
from tests.access_table import rows
from tests.changed import list_changed_files
from tests.crawl_checks import (
    STORED,
    DrawnCharts,
    cache_control,
    list_loose_headers,
    list_pages_of_things,
    plant_words,
    spare_repetition,
)
from tests.examples import ALL, take
from tests.page_addresses import patterns, urls
from tests.world.site import ROLES, World

CLICKS = '{"session": "s", "topic": "1", "shown": ["d1", "d2"], "clicks": ["d2"]}\n'


def bodies(world: World) -> dict[str, dict[str, object]]:
    """What is posted, where a bare post would tell little."""
    runs = [run.pk for run in world.campaign.runs.accepted()]
    api = {"campaign": world.campaign.slug}
    scale = [{"value": n, "label": f"{n}", "key": f"{n}", "gain": n} for n in (0, 1)]
    place = api | {"topic": "2"}
    page = {"docno": world.slot.item.docno, "client_uuid": str(world.slot.token)}
    said = place | page
    seen = {"client_uuid": str(world.slot.token)} | see_comparison(world)
    return {
        "language": {"language": "de"},
        "login": {"username": "owner", "password": "wrong"},
        "theme": {"theme": "dark"},
        "pools": {"run": runs, "depth": "1", "seconds": "30", "after": "1"},
        "invite": {"role": "assessor", "uses": "1", "days": "1"},
        "qrels-list": {"policy": "majority"},
        "archive": {"kind": "archive"},
        "consensus-undo": {"topic": "1", "docno": "d1"},
        "simulation": {"depths": "2", "qrels": "1", "fed_by": "pool", "seeds": "1"},
        "simulation@filled": {"fill": "1"},
        "score-evaluate": {"qrels": world.qrels.pk},
        "judge-ahead": {"topic": "2"},
        "judge": page | {"grade": "1", "token": str(world.slot.token)},
        "judge-skip": page | {"reason": next(iter(SKIP_REASONS))},
        "api-pool-list": api | {"depth": 1, "runs": runs, "confirm": ["submission-open"]},
        "api-pool-preview": api | {"depth": 1, "runs": runs},
        "api-plan-list": api | {"pool": 1},
        "api-plan-preview": api | {"pool": 1},
        "api-stopping-rule-list": api | {"no_relevant_in": 30},
        "api-judgment-list": said | {"grade": 1},
        "api-judgment-next": place,
        "api-judgment-skip": said | {"reason": next(iter(SKIP_REASONS))},
        "api-judgment-undo": api,
        "api-qrels-list": api | {"policy": "majority", "confirm": ["judging-open"]},
        "qrels-freeze": {"policy": "majority"},
        "api-plan-close": {"confirm": ["work-ends", "documents-out"]},
        "api-run-withdraw": {"confirm": ["stays-in-scores"]},
        "api-campaign-visibility": {"board": "names"},
        "api-task-list": api | {"name": "Round 2", "topics": ["1"]},
        "api-member-list": api | {"username": "stranger", "role": "viewer"},
        "automatic-list": {"name": "another"},
        "api-automatic-list": api | {"name": "another"},
        "api-automatic-judgments": {"judgments": [page | {"topic": "2", "grade": 1}]},
        "api-score-set-evaluate": api | {"qrels": 1},
        "api-campaign-list": {"title": "New", "grades": scale, "relevance_level": 1},
        "api-interleaving-list": {"a": ["x"], "b": ["y"]},
        "api-click-preferences-list": {"documents": ["x"], "clicked": ["x"], "ranking": ["x"]},
        "api-preferences-import": {"file": CLICKS},
        "api-topic-import": api | {"file": '{"_id": "4", "text": "new"}\n', "format": "jsonl"},
        "api-document-import": api | {"file": '{"_id": "d10", "text": "new"}\n'},
        "api-comparison-list": api | seen | {"side": "left"},
        "api-comparison-next": api,
        "api-comparison-skip": api | seen | {"reason": next(iter(SKIP_REASONS))},
        "api-comparison-undo": api,
        "api-data-file-list": api | {"file": "text", "title": "Notes"},
        "api-data-file-release": {"audience": "everybody"},
        "api-qrels-release": {"audience": "teams"},
        "api-run-list": api | {"file": "1 Q0 d9 1 2.5 new\n"},
    }


def see_comparison(world: World) -> dict[str, str]:
    """What the assessor was shown to compare."""
    comparison = world.comparisons.comparisons.first()
    return {"display": sign_display(world.people["assessor"], comparison, swapped=False)}


SCRIPT = ("/judge-acts/", "/judge-ahead/", "/judge-renew/")
"""What the judging screen's script posts to, as JSON."""


def ask(
    client: Client, method: str, url: str, body: dict[str, object], *, undone: bool = True
) -> HttpResponse:
    """The answer; whatever the request changed is ``undone``."""
    kept = deepcopy(client.cookies)
    with transaction.atomic():
        if method == "GET":
            answer = client.get(url)
        elif "file" in body:
            file = SimpleUploadedFile("new.jsonl", str(body["file"]).encode())
            answer = client.post(url, body | {"file": file})
        elif url.startswith("/api/") or url.endswith(SCRIPT):
            answer = client.generic(method, url, json.dumps(body), content_type="application/json")
        else:
            answer = client.post(url, body)
        answer.body = answer.getvalue()  # a stream is read within the transaction
        transaction.set_rollback(undone)
    client.cookies = kept
    return answer


def test_every_url_is_in_the_table():
    told = {name.partition("@")[0] for name, _, _ in rows()}
    assert set(patterns()) - told == set()
    assert told - set(patterns()) == set()


ON_BOTH_ENGINES = ("organizer", "assessor", "owner")
"""Between them they are answered every query that a page asks, and the first alone nearly so."""
IN_PART = ("stranger", "viewer", "owner", "rival", "foreigner")
"""What these may open is open to the organizer too, or to everybody; what they are refused is what
others of them are.
"""
GUARDS = re.compile(r"\w+/(?:views|api|urls|rules|middleware)\b|tests/access_table")
"""Where it is decided who may open what."""


def list_rows_for(role: str) -> list[tuple[str, str, list[int]]]:
    """The rows of the table that ``role`` is asked for."""
    if role not in IN_PART:
        return rows()
    at, kinds = ROLES.index(role), ([], [])
    for row in rows():
        kinds[row[2][at] == 200].append(row)
    if any(map(GUARDS.match, list_changed_files())):
        return [*kinds[0], *take(kinds[1], 3, at)]
    return [*take(kinds[0], 3, at), *take(kinds[1], 3, at)]


@pytest.mark.parametrize(
    "role",
    [
        pytest.param(
            role, marks=() if role in ON_BOTH_ENGINES[: 3 if ALL else 1] else pytest.mark.sqlite
        )
        for role in ROLES
    ],
)
def test_every_url_answers_every_role_as_the_table_says(world, client_for, monkeypatch, role):
    """Besides, every page that is shown keeps to the policy, unstored, shows markup as text and
    keeps secrets; every chart has axes, a caption, and files with title and version; and the API
    shows no text that the pages hide from the same person. Without POOLBENCH_TEST_EXAMPLES=all
    a role of ``IN_PART`` is asked for a third of what it may open, another third for each role,
    and of what it is refused for as much, unless a file of ``GUARDS`` has changed: then for all.
    """
    charts, planted = DrawnCharts(), plant_words(world)
    monkeypatch.setattr(pages, "chart_file_response", charts.respond)
    spare_repetition(monkeypatch)
    address, body, client = urls(world), bodies(world), client_for(role)
    secrets = [run.tag for run in world.campaign.runs.all()] if role == "assessor" else []
    in_api, on_pages, wrong = set(), set(), []
    at = ROLES.index(role)
    opened = [row for row in rows() if row[2][at] == 200]
    asked_for = list_rows_for(role)
    for name, method, statuses in asked_for:
        wanted = statuses[at]
        answer = ask(client, method, address[name], body.get(name, {}))
        asked = f"{method} {address[name]} ({name})"
        if answer.status_code != wanted:
            wrong.append(f"{asked}: {answer.status_code}, not {wanted}")
        elif method == "GET" and answer.status_code == 200:
            wrong += [f"{asked}: {fault}" for fault in list_loose_headers(answer)]
            if role != "anonymous" and name not in STORED:
                wrong += [f"{asked}: may be stored"] * ("no-store" not in cache_control(answer))
            if "/c/" in address[name]:
                wrong += [f"{asked}: shows {tag}" for tag in secrets if tag.encode() in answer.body]
            seen = in_api if name.startswith("api-") else on_pages
            seen |= {word for word in planted if word.encode() in answer.body}
    wrong += charts.list_faults(client)
    assert wrong == []
    assert len(charts) >= {"organizer": 10, "owner": int(ALL)}.get(role, 0)
    not_asked = [address[row[0]] for row in opened if row not in asked_for and row[1] == "GET"]
    for page in (*list_pages_of_things(world), *not_asked):
        text = client.get(page).getvalue() if "/api/" not in page and in_api - on_pages else b""
        on_pages |= {word for word in planted if word.encode() in text}
    assert [planted[word] for word in in_api - on_pages] == []
    if role in ("organizer", "assessor"):
        assert all(word in in_api for word, what in planted.items() if what == "guidelines")
