"""Several machines that share database, broker, object store and secret key, and no folder: each
is a process with a ``POOLBENCH_VAR`` of its own.
"""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, build_opener

import pytest
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.object_store import make_bucket
from tests.services.test_site import make_database, need  # noqa: F401 (a fixture)
from tests.services.test_workers import (
    ROOT,
    find_free_port,
    make_installation,
    manage,
    start_gunicorn,
)
from tests.world.files import upload

pytestmark = pytest.mark.service
TOPICS, DOCUMENTS, RUNS = 3, 9, 25
BUILD = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
from campaigns.services.tokens import create_token
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from tests.world.people import begin, joined, user
owner = user("owner", can_create_campaigns=True)
campaign = begin(owner)
type(campaign).objects.update(max_runs_per_team=None)
campaign.teams.create(name="Alpha")
assessor = joined(campaign, "assessor", "assessor")
rows = [(t, f"d{n}", n % 4) for t in "123" for n in range(1, 10)]
import_judgments(actor=owner, campaign=campaign, assessor=assessor, rows=rows)
freeze_qrels(actor=owner, campaign=campaign, policy="majority")
print(create_token(owner))
"""

CLAIM = "from campaigns.services.store_marker import require_own_store as act; act()"
TELL = "from campaigns.services.store_marker import find_store_fault as tell; print(tell())"


class Machines:
    """The processes of one installation; each has a folder of its own below ``root``."""

    def __init__(self, root: Path, env: dict[str, str]) -> None:
        self.root, self.common = root, env
        self.processes: list[subprocess.Popen[bytes]] = []
        self.port = find_free_port()
        self.token = manage(self.on("setup"), "shell", "-v", "0", "-c", BUILD).split()[-1]

    def on(self, machine: str, **more: str) -> dict[str, str]:
        """The environment of a process there."""
        folder = self.root / machine
        folder.mkdir(exist_ok=True)
        return self.common | {"POOLBENCH_VAR": str(folder)} | more

    def start_web(self) -> None:
        web = start_gunicorn("workbench.wsgi", self.port, self.on("web"))
        self.processes.append(web)

    def start_worker(self, machine: str, **more: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable, "-m", "celery", "-A", "tests.services.slow_shares", "worker",
            "-P", "solo", "-n", f"{machine}@test",
        ]  # fmt: skip
        with (self.root / f"{machine}.log").open("wb") as log:
            env = self.on(machine, **more)
            worker = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
        self.processes.append(worker)
        return worker

    def ask(self, path: str, **fields: Any) -> Any:
        """The JSON of the answer."""
        request = Request(f"http://127.0.0.1:{self.port}{path}")
        request.add_header("Authorization", f"Token {self.token}")
        if fields:
            request.data = encode_multipart(BOUNDARY, fields)
            request.add_header("Content-Type", MULTIPART_CONTENT)
            if "file" not in fields:
                request.data = json.dumps(fields).encode()
                request.add_header("Content-Type", "application/json")
        with build_opener().open(request, timeout=60) as answer:
            return json.load(answer)

    def wait(self, what: Callable[[], Any], seconds: float = 120) -> Any:
        """Its answer, once there is one."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if answer := what():
                    return answer
            except URLError:
                pass
            time.sleep(0.2)
        logs = [path.read_text()[-1500:] for path in self.root.glob("*.log")]
        pytest.fail(f"nothing after {seconds} s:\n" + "\n".join(logs))

    def stop(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(60)


@pytest.fixture(scope="module")
def machines(tmp_path_factory, make_database, object_store) -> Iterator[Machines]:  # noqa: F811
    redis, root = need("POOLBENCH_TEST_REDIS"), tmp_path_factory.mktemp("machines")
    shared = object_store | {
        "DATABASE_URL": make_database("machines"), "CELERY_BROKER_URL": redis, "CACHE_URL": redis,
        "POOLBENCH_STORE": f"s3://{make_bucket()}/a",
        "POOLBENCH_SECRET_KEY": "a key that all machines have in their settings",
    }  # fmt: skip
    assert {*shared, "POOLBENCH_VAR"} == list_documented_settings()
    env = os.environ | shared | {
        "POOLBENCH_QUEUE": f"machines-{os.getpid()}", "POOLBENCH_CHECK_AT_ONCE_BYTES": "0",
        "POOLBENCH_INLINE": "0", "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }  # fmt: skip
    made = Machines(root, env)
    try:
        made.start_web()
        yield made
    finally:
        made.stop()


def list_documented_settings() -> set[str]:
    """What the commands of docs/deployment.md set on each machine."""
    page = (ROOT / "docs/deployment.md").read_text().split("## Several machines")[1]
    lines = [line for line in page.splitlines() if line.startswith("export ")]
    return set(re.findall(r"\b([A-Z_]+)=", "\n".join(lines)))


def write_run(number: int) -> bytes:
    """Each ranks the documents differently."""
    order = [(number * step) % 11 % DOCUMENTS + 1 for step in range(1, 12)]
    docnos = list(dict.fromkeys(order))
    lines = [
        f"{topic} Q0 d{docno} {rank} {50 - rank} run{number}"
        for topic in range(1, TOPICS + 1)
        for rank, docno in enumerate(docnos, 1)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.full
def test_two_workers_and_the_web_share_no_folder(machines):
    """Uploaded on one machine, checked and evaluated on two others, one of which is killed."""
    first = machines.start_worker("first")
    second = machines.start_worker("second")
    for number in range(1, RUNS + 1):
        file = upload(write_run(number), f"run{number}.txt")
        machines.wait(lambda file=file: send(machines, file))
    machines.wait(lambda: machines.ask("/api/runs/?limit=100")["count"] == RUNS)

    def count_accepted() -> int:
        runs = machines.ask("/api/runs/?limit=100")["results"]
        assert "rejected" not in {run["state"] for run in runs}
        return sum(run["state"] == "accepted" for run in runs)

    machines.wait(lambda: count_accepted() == RUNS)
    boards = [evaluate(machines, victim) for victim in (first, None)]
    assert len(boards[0]["runs"]) == RUNS
    means = [{each["run"]: each["means"] for each in board["runs"]} for board in boards]
    assert means[0] == means[1]
    assert (first.returncode, second.poll()) == (-signal.SIGKILL, None)
    assert machines.ask("/health/")["store"] == "ok"
    assert list((machines.root / "web").rglob("*.packed.gz")) == []
    for machine in ("web", "second"):
        assert list((machines.root / machine / "store").iterdir()) == []
    assert list((machines.root / "second/cache/store").rglob("*.columns")) != []
    check = manage(machines.on("setup"), "check_store")
    assert "missing: 0; damaged: 0" in check


def evaluate(machines: Machines, victim: subprocess.Popen[bytes] | None) -> Any:
    """The leaderboard of a new score set; ``victim`` is killed while two workers are at it."""
    import psycopg

    asked = {"campaign": "small", "qrels": 1, "measures": ["AP", "nDCG"]}
    before = machines.ask("/api/score-sets/")["count"]
    machines.ask("/api/score-sets/evaluate/", **asked)
    with psycopg.connect(machines.common["DATABASE_URL"], autocommit=True) as database:
        busy = "SELECT count(*) FROM campaigns_jobpart WHERE state = 'running'"
        machines.wait(lambda: database.execute(busy).fetchone()[0] >= (2 if victim else 1))
    if victim:
        victim.kill()
        victim.wait()
    sets = machines.wait(lambda: find_newer(machines, before))
    return machines.ask(f"/api/score-sets/{max(each['id'] for each in sets)}/leaderboard/")


def find_newer(machines: Machines, before: int) -> Any:
    found = machines.ask("/api/score-sets/")
    return found["results"] if found["count"] > before else None


def send(machines: Machines, file: Any) -> bool:
    file.seek(0)
    machines.ask("/api/runs/", campaign="small", team="Alpha", file=file)
    return True


@pytest.mark.full
def test_a_backup_of_a_bucket_fills_another(machines, make_database, tmp_path):  # noqa: F811
    """Or a folder; the first worker there accepts it."""
    manage(machines.on("setup"), "accept_store")
    file = tmp_path / "backup.tar"
    manage(machines.on("setup"), "backup", str(file))
    for number, place in enumerate((f"s3://{make_bucket()}/b", "")):
        env = machines.on(f"restored-{number}", POOLBENCH_STORE=place)
        env["DATABASE_URL"] = make_database(f"restored_{number}")
        manage(env, "restore", str(file))
        assert "missing: 0; damaged: 0; not named by any row: 0" in manage(env, "check_store")
        # It takes over, and the store of the backup is not its own.
        manage(env, "shell", "-v", "0", "-c", CLAIM)
        another = env | {"POOLBENCH_STORE": machines.common["POOLBENCH_STORE"]}
        assert "another installation" in manage(another, "shell", "-v", "0", "-c", TELL)


@pytest.mark.full
def test_a_worker_with_another_bucket_refuses_to_start(machines):
    manage(machines.on("setup"), "accept_store")
    worker = machines.start_worker("stray", POOLBENCH_STORE=f"s3://{make_bucket()}/a")
    check_refusal(worker, machines.root / "stray.log")


def test_a_worker_with_another_folder_refuses_to_start(tmp_path, migrated):
    """Costs three seconds."""
    env = make_installation(tmp_path, migrated)
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as file, file:
        row = "(id, token, accepted_at) VALUES (1, 'ours', '2026-01-01')"
        file.execute(f"INSERT INTO campaigns_storemarker {row}")
    command = [sys.executable, "-m", "celery", "-A", "workbench.celery", "worker", "-P", "solo"]
    with (tmp_path / "log").open("wb") as log:
        worker = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
    check_refusal(worker, tmp_path / "log")


def check_refusal(worker: subprocess.Popen[bytes], log: Path) -> None:
    assert worker.wait(60) == 1
    text = log.read_text()
    assert "The worker does not start. This store is not the installation's" in text
    assert "manage.py accept_store" in text
    assert "Traceback" not in text
