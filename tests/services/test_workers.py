"""Jobs through true Celery worker processes, one test a broker.

An installation in a temporary folder, a process that enqueues there, a worker that performs;
the outcome is read from its tables.
"""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = """
import json
from poolbench.judging.scale import GradeSpec
from campaigns.models import User
from campaigns.services import campaigns, collection, people, runs
actor = User.objects.create_user("o", can_create_campaigns=True)
scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
campaign = campaigns.create_campaign(actor=actor, title="C", slug="c", scale=scale)
collection.import_topics(actor=actor, campaign=campaign, data=b"1\\tfirst\\n2\\tsecond\\n")
team = people.get_or_create_team(actor=actor, campaign=campaign, name="T")
lines = "".join(f"{t} Q0 d{i} {i} {100 - i} tag\\n" for t in (1, 2) for i in range(50))
for data in (lines, lines + "3 Q0 d1 1 1 tag\\n"):
    runs.submit_run(actor=actor, campaign=campaign, team=team, data=data.encode(), file_name="r")
"""
OUTCOME = {
    "jobs": "SELECT state FROM campaigns_job ORDER BY id",
    "runs": "SELECT state FROM campaigns_run ORDER BY id",
    "alive": "SELECT process FROM campaigns_processheartbeat",
}


def make_installation(
    folder: Path, migrated: Callable[[Path], None], **more: str
) -> dict[str, str]:
    """The environment of processes with all tables, empty, in ``folder``."""
    migrated(folder / "db.sqlite3")
    return {
        **os.environ,
        "POOLBENCH_VAR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
        "PYTHONPATH": str(ROOT),
        **more,
    }


def find_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start_gunicorn(
    application: str, port: int, env: dict[str, str], *options: str
) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}",
        "--workers", "1", "--threads", "4", "--no-control-socket", "--log-level", "critical",
        *options,
    ]  # fmt: skip
    return subprocess.Popen(command, cwd=ROOT, env=env)


def manage(env: dict[str, str], *args: str) -> str:
    command = [sys.executable, "manage.py", *args]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outcome(database: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(database)) as file:
        return {name: [said for (said,) in file.execute(sql)] for name, sql in OUTCOME.items()}


def worked_off(database: Path, seconds: float) -> dict[str, list[str]]:
    """The outcome once no job is waiting or running, or after ``seconds``."""
    end = time.monotonic() + seconds
    while True:
        seen = outcome(database)
        if time.monotonic() > end or not {"queued", "running"} & set(seen["jobs"]):
            return seen
        time.sleep(0.1)


@pytest.mark.service
def test_worker_checks_runs_that_were_queued_before_it_started(broker, tmp_path, migrated):
    database = tmp_path / "db.sqlite3"
    env = make_installation(
        tmp_path, migrated, CELERY_BROKER_URL=broker, POOLBENCH_INLINE="0",
        POOLBENCH_QUEUE=f"test-{os.getpid()}-{tmp_path.name}",
    )  # fmt: skip
    manage(env, "shell", "-v", "0", "-c", SUBMIT)
    assert outcome(database) == {"jobs": ["queued"] * 2, "runs": ["received"] * 2, "alive": []}
    command = [sys.executable, "-m", "celery", "-A", "workbench.celery", "worker", "-P", "solo"]
    worker = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        seen = worked_off(database, seconds=60)
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(timeout=30)
    expected = {"jobs": ["done"] * 2, "runs": ["accepted", "rejected"], "alive": ["worker"]}
    assert seen == expected
