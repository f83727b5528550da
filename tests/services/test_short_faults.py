"""A whole installation whose web process, worker, store or broker fails while it works: all that
was acknowledged is there once.

One database, one web process that can be told to die, two workers whose clocks run fast. They
are started once, by a process that is not this one. ``benchmarks/faults`` has the long faults.
"""

import http.client
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.examples import ALL
from tests.services.test_workers import (
    ROOT,
    find_free_port,
    make_installation,
    manage,
    start_gunicorn,
)
from tests.world.files import run_text, upload

pytestmark = pytest.mark.service
SECONDS, RUNS = 180, 8
CSRF = "x" * 32
BUILD = f"""
import json
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from judging.services.plans import create_plan
from campaigns.services.people import get_or_create_team
from campaigns.services.tokens import create_token
from campaigns.services.runs import submit_and_check_run
from evaluation.services.scoring import score_campaign
from tests.world.files import make_pool, qrels_release, run_text
from tests.world.people import begin_with_assessors
campaign, (user,) = begin_with_assessors("c", 1)
owner = campaign.created_by
pool = make_pool(campaign, {{"1": [f"d{{n}}" for n in range(20)]}})
create_plan(actor=owner, pool=pool, overlap=1, assessors={{"1": [user]}})
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.create()
type(campaign).objects.update(max_runs_per_team=None)
campaign.refresh_from_db()
team = get_or_create_team(actor=owner, campaign=campaign, name="T")
for number in range({RUNS}):
    docnos = [f"d{{number * place % 20}}x{{place}}" for place in range(30)]
    data = run_text(f"r{{number}}", topics="1", docnos=docnos)
    submit_and_check_run(actor=owner, campaign=campaign, team=team, data=data, file_name="r")
rows = sorted({{f"1 0 d{{n % 20}}x{{n % 30}} {{n % 2}}\\n" for n in range(60)}})
qrels = qrels_release(campaign, "".join(rows))
score_campaign(actor=owner, campaign=campaign, qrels=qrels)
print(json.dumps([session.session_key, create_token(owner)]))
"""
LOG = "SELECT docno, revision, client_uuid FROM judging_judgment ORDER BY id"


class Installation:
    """An assessor's session, the organizer's token, and runs that were scored in one piece."""

    def __init__(self, folder: Path, migrated: Callable[[Path], None]) -> None:
        self.folder, self.database = folder, folder / "db.sqlite3"
        self.env = make_installation(
            folder, migrated, CELERY_BROKER_URL="filesystem://", POOLBENCH_INLINE="0",
            POOLBENCH_QUEUE="short-faults", POOLBENCH_CHECK_AT_ONCE_BYTES="0",
        )  # fmt: skip
        at_once = self.env | {"POOLBENCH_CHECK_AT_ONCE_BYTES": "10000"}
        session, self.token = json.loads(manage(at_once, "shell", "-v", "0", "-c", BUILD))
        self.headers = {
            "Content-Type": "application/json",
            "Cookie": f"sessionid={session}; csrftoken={CSRF}",
            "X-CSRFToken": CSRF,
        }
        self.port = find_free_port()

    def list_scored(self) -> list[str]:
        """The runs that workers have scored, in order."""
        file = self.folder / "scored"
        return file.read_text().split() if file.exists() else []

    def start(self) -> None:
        """A process that dies is followed by another at once: the application is loaded once."""
        app = "tests.services.dying:application"
        self.server = start_gunicorn(app, self.port, self.env, "--preload")

    def start_workers(self) -> None:
        command = [sys.executable, "-m", "tests.services.hurried_worker", self.folder / "scored"]
        log = (self.folder / "log").open("ab")
        self.workers = [
            subprocess.Popen(
                [*command, "-n", f"w{number}@test", "-P", "solo"], cwd=ROOT, env=self.env,
                stdout=log, stderr=log,
            )
            for number in (1, 2)
        ]  # fmt: skip

    def stop(self) -> None:
        self.server.terminate()
        self.server.wait(20)

    def stop_workers(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.database, timeout=20)) as connection:
            return connection.execute(sql).fetchall()

    def wait_until(self, sql: str, *rows: tuple[Any, ...]) -> None:
        end = time.monotonic() + SECONDS
        while (seen := self.ask(sql)) != [*rows]:
            assert time.monotonic() < end, f"{seen}\n{(self.folder / 'log').read_text()[-3000:]}"
            time.sleep(0.05)

    @contextmanager
    def without_workers(self) -> Iterator[None]:
        """They stand still, but none with a lock of the database."""
        while not self.freeze():
            self.signal_workers(signal.SIGCONT)
            time.sleep(0.05)
        try:
            yield
        finally:
            self.signal_workers(signal.SIGCONT)

    def freeze(self) -> bool:
        self.signal_workers(signal.SIGSTOP)
        try:
            with closing(sqlite3.connect(self.database, timeout=0.2)) as connection:
                connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        return True

    def signal_workers(self, number: int) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(number)

    def call(self, path: str, body: object = None) -> tuple[int, str]:
        """Status and answer, as the organizer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        with closing(connection):
            sent = json.dumps(body) if body else None
            connection.request("POST" if body else "GET", path, sent, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

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

    def send(self, tag: str, **headers: str) -> tuple[int, dict[str, Any]]:
        """Status and answer to a run with that key, or 0 where the server was gone before it."""
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
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            return 0, {}
        finally:
            connection.close()

    def insist(self, page: str, body: object) -> dict[str, object]:
        """As the browser's queue does: once more, until there is an answer."""
        end = time.monotonic() + SECONDS
        while (answer := self.post(page, body)) is None:
            assert time.monotonic() < end, "the server never answered"
            time.sleep(0.05)
        return answer

    def insist_on_run(self, tag: str) -> tuple[int, dict[str, Any]]:
        """The same of a run: its key makes it one, and the server may be starting again."""
        end = time.monotonic() + SECONDS
        while (answer := self.send(tag))[0] == 0:
            assert time.monotonic() < end, "the server never answered"
            time.sleep(0.05)
        return answer

    def document(self) -> dict[str, str]:
        asked = {"topic": "1", "have": [], "count": 1}
        return self.insist("judge-ahead", asked)["documents"][0]  # type: ignore[index]

    def log(self) -> list[list[object]]:
        return [[docno, revision, str(UUID(uuid))] for docno, revision, uuid in self.ask(LOG)]


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, migrated: Callable[[Path], None]
) -> Iterator[Installation]:
    made = Installation(tmp_path_factory.mktemp("faults"), migrated)
    made.start()
    made.start_workers()
    try:
        made.document()  # the server is there
        yield made
    finally:
        made.stop()
        made.stop_workers()


def act(document: dict[str, str], grade: int = 1) -> dict[str, object]:
    said = {"act": "judge", "uuid": str(uuid4()), "topic": "1", "grade": grade}
    return {"acts": [{**said, "docno": document["docno"], "token": document["token"]}]}


def uuid_in(body: dict[str, object]) -> object:
    return body["acts"][0]["uuid"]  # type: ignore[index]


def rows_of(served: Installation, document: dict[str, str]) -> list[list[object]]:
    return [row for row in served.log() if row[0] == document["docno"]]


def test_a_worker_killed_in_a_shared_evaluation_costs_its_part_alone(served):
    served.wait_until("SELECT count(*) FROM campaigns_processheartbeat", (2,))
    before = len(served.list_scored())
    asked = {"campaign": "c", "qrels": 1}
    status, answer = served.call("/api/score-sets/evaluate/", asked)
    assert status == 202, answer
    served.wait_until("SELECT count(*) FROM campaigns_jobpart WHERE state = 'running'", (2,))
    served.workers[0].kill()
    job = json.loads(answer)["job"]
    served.wait_until(f"SELECT state FROM campaigns_job WHERE id = {job}", ("done",))
    whole, shared = (
        served.ask(
            "SELECT run_id, means, packed FROM evaluation_runscores "
            f"WHERE score_set_id = {score_set} ORDER BY run_id"
        )
        for (score_set,) in served.ask("SELECT id FROM evaluation_scoreset ORDER BY id")
    )
    assert len(whole) == RUNS
    assert shared[:RUNS] == whole
    scored = served.list_scored()[before:]
    assert set(scored) == {str(run) for run, *_ in shared}
    assert len(scored) <= len(shared) + 1  # the run that was lost, unless it was not begun yet
    assert served.ask("SELECT count(*) FROM campaigns_jobpart") == [(0,)]


def test_a_worker_that_dies_after_the_commit_leaves_one_judgment(served):
    document = served.document()
    body = act(document)
    assert served.post("judge-acts", body, **{"X-Die": "1"}) is None
    assert rows_of(served, document) == [[document["docno"], 1, uuid_in(body)]]
    again = served.insist("judge-acts", body)
    assert again["results"][0]["ok"] is True
    assert rows_of(served, document) == [[document["docno"], 1, uuid_in(body)]]


def test_an_upload_that_was_stored_and_not_answered_is_one_run(served):
    newest = "SELECT max(id) FROM campaigns_run"
    before = served.ask(newest)
    assert served.send("sent", **{"X-Die": "1"})[0] == 0
    ((stored,),) = served.ask(newest)
    assert (stored,) not in before
    answer = served.insist_on_run("sent")
    assert (answer[0], answer[1]["id"], served.ask(newest)) == (201, stored, [(stored,)])
    served.wait_until(f"SELECT state FROM campaigns_run WHERE id = {stored}", ("accepted",))


def test_while_the_store_is_away_nothing_is_taken_and_what_waits_is_done_later(served):
    """As a file system that is no longer mounted: the folder is there, and empty."""
    store, away = served.folder / "store", served.folder / "store-away"
    accepted = "SELECT tag FROM campaigns_run WHERE state = 'accepted'"
    with served.without_workers():
        assert served.insist_on_run("waits")[0] == 201
        store.rename(away)
        store.mkdir()
    served.wait_until("SELECT count(*) FROM campaigns_job WHERE waiting_for <> ''", (1,))
    status, answer = served.insist_on_run("later")
    assert (status, "file store is not available" in answer["detail"]) == (503, True)
    assert served.document()  # judging goes on
    end = time.monotonic() + SECONDS
    while '"store": "failed"' not in (seen := served.call("/health/"))[1]:
        assert time.monotonic() < end, seen
        time.sleep(0.2)
    assert seen[0] == 503
    assert [path for path in store.rglob("*") if path.is_file()] == []
    store.rename(served.folder / "store-empty")
    away.rename(store)
    assert served.insist_on_run("later")[0] == 201
    sent = f"{accepted} AND tag IN ('waits', 'later') ORDER BY id"
    served.wait_until(sent, ("waits",), ("later",))


@pytest.mark.full
def test_what_an_emptied_broker_has_lost_is_sent_again(served):
    with served.without_workers():
        assert served.insist_on_run("unsent")[0] == 201
        messages = [path for path in (served.folder / "broker/queue").iterdir() if path.is_file()]
        assert messages
        for message in messages:
            message.unlink()
    served.wait_until("SELECT state FROM campaigns_run WHERE tag = 'unsent'", ("accepted",))


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
