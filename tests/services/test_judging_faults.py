"""Judging and uploading through true web workers that die, are restarted, or are asked twice.

The installation, in a temporary folder, has a database of its own and is made by a process
of its own.
"""

from __future__ import annotations

import http.client
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.examples import ALL
from tests.services.test_workers import (
    find_free_port,
    make_installation,
    manage,
    start_gunicorn,
)
from tests.world.files import run_text, upload

CSRF = "x" * 32
BUILD = """
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from judging.services.plans import create_plan
from campaigns.services.people import get_or_create_team
from campaigns.services.tokens import create_token
from tests.world.files import make_pool
from tests.world.people import begin_with_assessors
campaign, (user,) = begin_with_assessors("c", 1)
owner = campaign.created_by
pool = make_pool(campaign, {"1": [f"d{n}" for n in range(20)]})
create_plan(actor=owner, pool=pool, overlap=1, assessors={"1": [user]})
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.create()
get_or_create_team(actor=owner, campaign=campaign, name="T")
print(json.dumps([session.session_key, create_token(owner)]))
"""
LOG = "SELECT docno, revision, client_uuid FROM judging_judgment ORDER BY id"


class Installation:
    """A web server over the installation in ``folder``, and one assessor's session."""

    def __init__(self, folder: Path, migrated: Callable[[Path], None]) -> None:
        self.database = folder / "db.sqlite3"
        self.env = make_installation(folder, migrated)
        session, self.token = json.loads(manage(self.env, "shell", "-v", "0", "-c", BUILD))
        self.headers = {
            "Content-Type": "application/json",
            "Cookie": f"sessionid={session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
        }
        self.port = find_free_port()

    def start(self) -> None:
        self.server = start_gunicorn("tests.services.dying:application", self.port, self.env)

    def stop(self) -> None:
        self.server.terminate()
        self.server.wait(20)

    def post(self, page: str, body: object, **headers: str) -> dict[str, object] | None:
        """The answer, or None where the server was gone before it came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            sent = json.dumps(body)
            connection.request("POST", f"/c/c/{page}/", sent, self.headers | headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        assert answer.status == 200, text
        return dict(json.loads(text))

    def upload(self, tag: str, **headers: str) -> int | None:
        """The number of the run, or None where the server was gone before it answered."""
        fields = {"campaign": "c", "team": "T", "file": upload(run_text(tag, topics="1"))}
        sent = {
            "Authorization": f"Token {self.token}", "Idempotency-Key": tag,
            "Content-Type": MULTIPART_CONTENT,
        }  # fmt: skip
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            body = encode_multipart(BOUNDARY, fields)
            connection.request("POST", "/api/runs/", body, sent | headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        assert answer.status == 201, text
        return int(json.loads(text)["id"])

    def insist(self, page: str, body: object) -> dict[str, object]:
        """As the browser's queue does: once more, until there is an answer."""
        end = time.monotonic() + 60
        while (answer := self.post(page, body)) is None:
            assert time.monotonic() < end, "the server never answered"
            time.sleep(0.05)
        return answer

    def document(self) -> dict[str, str]:
        asked = {"topic": "1", "have": [], "count": 1}
        return self.insist("judge-ahead", asked)["documents"][0]  # type: ignore[index]

    def log(self) -> list[list[object]]:
        with closing(sqlite3.connect(self.database)) as connection:
            rows = connection.execute(LOG).fetchall()
        return [[docno, revision, str(UUID(uuid))] for docno, revision, uuid in rows]


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, migrated: Callable[[Path], None]
) -> Iterator[Installation]:
    made = Installation(tmp_path_factory.mktemp("faults"), migrated)
    made.start()
    yield made
    made.stop()


def act(document: dict[str, str], grade: int = 1) -> dict[str, object]:
    said = {"act": "judge", "uuid": str(uuid4()), "topic": "1", "grade": grade}
    return {"acts": [{**said, "docno": document["docno"], "token": document["token"]}]}


def uuid_in(body: dict[str, object]) -> object:
    return body["acts"][0]["uuid"]  # type: ignore[index]


def rows_of(served: Installation, document: dict[str, str]) -> list[list[object]]:
    return [row for row in served.log() if row[0] == document["docno"]]


def test_a_worker_that_dies_after_the_commit_leaves_one_judgment(served):
    document = served.document()
    body = act(document)
    assert served.post("judge-acts", body, **{"X-Die": "1"}) is None
    assert rows_of(served, document) == [[document["docno"], 1, uuid_in(body)]]
    again = served.insist("judge-acts", body)
    assert again["results"][0]["ok"] is True
    assert rows_of(served, document) == [[document["docno"], 1, uuid_in(body)]]


def test_an_upload_that_was_stored_and_not_answered_is_one_run(served):
    served.document()  # the server is there
    assert served.upload("sent", **{"X-Die": "1"}) is None
    with closing(sqlite3.connect(served.database)) as connection:
        (stored,) = connection.execute("SELECT id FROM campaigns_run").fetchone()
    end = time.monotonic() + 60
    while (run := served.upload("sent")) is None:
        assert time.monotonic() < end, "the server never answered"
        time.sleep(0.05)
    with closing(sqlite3.connect(served.database)) as connection:
        rows = connection.execute("SELECT id, state FROM campaigns_run").fetchall()
    assert (run, rows) == (stored, [(stored, "accepted")])


@pytest.mark.full
def test_a_server_restarted_in_mid_session_goes_on_where_it_was(served):
    document = served.document()
    served.stop()
    assert served.post("judge-acts", act(document)) is None
    served.start()
    assert served.document() == document
    body = act(document)
    assert served.insist("judge-acts", body)["results"][0]["ok"] is True
    assert rows_of(served, document) == [[document["docno"], 1, uuid_in(body)]]


def test_two_clicks_at_once_are_one_judgment(served):
    document = served.document()
    body = act(document)
    with ThreadPoolExecutor(2) as clicks:
        answers = list(clicks.map(lambda _: served.insist("judge-acts", body), range(2)))
    assert [answer["results"][0]["ok"] for answer in answers] == [True, True]
    assert rows_of(served, document) == [[document["docno"], 1, uuid_in(body)]]


@pytest.mark.full
def test_two_tabs_with_one_document_make_revisions_and_one_slot(served):
    document = served.document()
    bodies = [act(document, grade) for grade in (0, 1)]
    with ThreadPoolExecutor(2) as tabs:
        answers = list(tabs.map(lambda body: served.insist("judge-acts", body), bodies))
    assert all(answer["results"][0]["ok"] for answer in answers)
    rows = rows_of(served, document)
    assert sorted(row[1] for row in rows) == [1, 2]
    assert {row[2] for row in rows} == {uuid_in(body) for body in bodies}
    if ALL:
        manage(served.env, "check_judging", "c")
