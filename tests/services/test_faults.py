"""A site whose database or broker goes away, hangs, and comes back: what its visitors are told, and
that nothing they were promised is lost. ``benchmarks/faults`` has the long ones.
"""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from benchmarks.faults.forwarder import Forwarder
from tests.services.test_site import make_database, need  # noqa: F401 -- a fixture
from tests.services.test_workers import (
    ROOT,
    find_free_port,
    make_installation,
    manage,
    start_gunicorn,
)
from tests.world.files import run_text

pytestmark = [pytest.mark.service, pytest.mark.full]
BUILD = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from campaigns.services.people import get_or_create_team
from campaigns.services.tokens import create_token
from tests.world.people import begin, user
owner = user("owner", can_create_campaigns=True)
campaign = begin(owner, "Faults", "faults")
get_or_create_team(actor=owner, campaign=campaign, name="T")
print(create_token(owner))
"""
BOUNDARY = "faults"
Answer = tuple[int, str, dict[str, str]]


class Site:
    """Gunicorn and a worker, whose database and broker are behind addresses that can be cut."""

    def __init__(self, folder, migrated: Callable, database: str) -> None:
        self.database, path = forward(database)
        self.broker, queue = forward(need("POOLBENCH_TEST_REDIS"))
        self.log, self.port = folder / "log", find_free_port()
        self.env = make_installation(
            folder, migrated, DATABASE_URL=path, CELERY_BROKER_URL=queue, POOLBENCH_INLINE="0",
            POOLBENCH_QUEUE=f"faults-{self.port}", POOLBENCH_CHECK_AT_ONCE_BYTES="0",
        )  # fmt: skip
        self.token = manage(self.env, "shell", "-v", "0", "-c", BUILD).split()[-1]
        self.web = start_gunicorn("workbench.wsgi", self.port, self.env)
        command = [sys.executable, "-m", "celery", "-A", "workbench.celery", "worker"]
        with self.log.open("wb") as log:
            self.worker = subprocess.Popen(
                [*command, "-P", "solo", "--loglevel", "WARNING"], cwd=ROOT, env=self.env,
                stdout=log, stderr=log,
            )  # fmt: skip

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers |= {"Authorization": f"Token {self.token}"}
        try:
            connection.request("POST" if body else "GET", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.headers)
        except (OSError, http.client.HTTPException):
            return 0, "", {}
        finally:
            connection.close()

    def upload(self, tag: str) -> Answer:
        """A run with the key ``tag``, which is the same run however often it is sent."""
        fields = {"campaign": "faults", "team": "T"}
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        ]
        head = 'Content-Disposition: form-data; name="file"; filename="run"\r\n\r\n'
        parts.append(f"--{BOUNDARY}\r\n{head}{run_text(tag).decode()}\r\n--{BOUNDARY}--\r\n")
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        headers = {"Content-Type": kind, "Idempotency-Key": tag}
        return self.ask("/api/runs/", "".join(parts).encode(), **headers)

    def list_states(self) -> list[tuple[str, str]]:
        """Tag and state of each run."""
        runs = json.loads(self.ask("/api/runs/")[1])["results"]
        return [(run["tag"], run["state"]) for run in runs]

    def wait(self, is_well: Callable[[], bool], seconds: float = 240) -> None:
        end = time.monotonic() + seconds
        while not is_well():
            assert time.monotonic() < end, self.log.read_text()[-3000:]
            time.sleep(0.1)

    def stop(self) -> None:
        for program in (self.web, self.worker):
            program.terminate()
        for program in (self.web, self.worker):
            program.wait(30)
        self.database.go_away()
        self.broker.go_away()


def forward(url: str) -> tuple[Forwarder, str]:
    """A new address of the server in ``url``, and the URL with it."""
    parts = urlsplit(url)
    made = Forwarder((parts.hostname or "", parts.port or 0))
    user = f"{parts.username}:{parts.password}@" if parts.username else ""
    return made, parts._replace(netloc=f"{user}127.0.0.1:{made.port}").geturl()


@pytest.fixture(scope="module")
def site(tmp_path_factory, migrated, make_database) -> Iterator[Site]:  # noqa: F811
    made = Site(tmp_path_factory.mktemp("faults"), migrated, make_database("faults"))
    try:
        made.wait(lambda: made.ask("/health/")[0] == 200)
        yield made
    finally:
        made.stop()


@pytest.fixture(autouse=True)
def mend(site):
    yield
    site.database.come_back()
    site.broker.come_back()


def test_without_its_database_the_site_says_so_and_an_upload_is_sent_again(site):
    site.database.go_away()
    status, text, headers = site.upload("again")
    assert (status, headers["Retry-After"]) == (503, "10")
    assert "Nothing was saved" in text
    status, text, _ = site.ask("/")
    assert (status, "The database is not available" in text) == (503, True)
    site.wait(lambda: '"database": "failed"' in site.ask("/health/")[1])
    site.database.come_back()
    assert [site.upload("again")[0] for _ in range(2)] == [201, 201]
    site.wait(lambda: site.list_states().count(("again", "accepted")) == 1)


def test_a_worker_outlives_its_broker(site):
    site.broker.go_away()
    started = time.monotonic()
    assert site.upload("unsent")[0] == 201
    assert time.monotonic() - started < 20
    site.broker.come_back()
    site.wait(lambda: '"broker": "ok"' in site.ask("/health/")[1])
    assert site.upload("sent")[0] == 201
    site.wait(lambda: ("sent", "accepted") in site.list_states())
    assert site.worker.poll() is None


def test_a_broker_that_hangs_holds_an_upload_for_seconds_only(site):
    site.broker.fall_silent()
    started = time.monotonic()
    assert site.upload("hangs")[0] == 201
    assert time.monotonic() - started < 30
    assert site.ask("/health/")[0] == 200
    site.broker.come_back()
    site.wait(lambda: '"broker": "ok"' in site.ask("/health/")[1])
    assert site.upload("flows")[0] == 201
    site.wait(lambda: ("flows", "accepted") in site.list_states())
