"""Jobs that several true workers share, of which one is busy for a minute."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.services.test_workers import ROOT, make_installation, manage

pytestmark = pytest.mark.service
LONG_AND_PAGE = """
from campaigns.services import jobs, people, runs
from tests.world.people import begin, user
actor = user("o", can_create_campaigns=True)
campaign = begin(actor)
team = people.get_or_create_team(actor=actor, campaign=campaign, name="T")
for number in (1, 2):
    jobs.enqueue(campaign=campaign, kind="evaluation.simulation", actor=actor, number=number)
data = b"1 Q0 d1 1 1 late\\n2 Q0 d1 1 1 late\\n"
runs.submit_run(actor=actor, campaign=campaign, team=team, data=data, file_name="r")
"""


@pytest.fixture
def environment(broker, tmp_path, migrated) -> dict[str, str]:
    """Of an installation with two simulations and the check of a run that wait for workers."""
    env = make_installation(
        tmp_path, migrated, CELERY_BROKER_URL=broker, POOLBENCH_INLINE="0",
        POOLBENCH_QUEUE=f"shared-{os.getpid()}-{tmp_path.name}",
    )  # fmt: skip
    manage(env, "shell", "-v", "0", "-c", LONG_AND_PAGE)
    return env


@contextmanager
def working(
    env: dict[str, str], *queues: str, pool: str = "solo"
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A hurried worker for each of ``queues``."""
    folder = Path(env["POOLBENCH_VAR"])
    command = [sys.executable, "-m", "tests.services.hurried_worker", str(folder / "scored")]
    workers = [
        subprocess.Popen(
            [*command, "-n", f"w{number}@test", "-P", pool, "-c", "1"], cwd=ROOT,
            env=env | {"POOLBENCH_WORKER_QUEUES": taken},
            stdout=subprocess.DEVNULL, stderr=(folder / "log").open("ab"), start_new_session=True,
        )
        for number, taken in enumerate(queues)
    ]  # fmt: skip
    try:
        yield workers
    finally:
        for worker in workers:
            os.killpg(worker.pid, signal.SIGKILL)  # its processes too
            worker.wait()


def ask(env: dict[str, str], sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(Path(env["POOLBENCH_VAR"]) / "db.sqlite3", timeout=20)) as file:
        return file.execute(sql).fetchall()


def wait_until(env: dict[str, str], sql: str, *rows: tuple[Any, ...]) -> None:
    end = time.monotonic() + 90
    while (seen := ask(env, sql)) != [*rows]:
        if time.monotonic() > end:
            pytest.fail(f"{seen}\n{(Path(env['POOLBENCH_VAR']) / 'log').read_text()[-3000:]}")
        time.sleep(0.1)


def test_what_a_page_waits_for_is_done_while_long_work_goes_on(environment):
    check = "SELECT state FROM campaigns_job WHERE id = (SELECT max(id) FROM campaigns_job)"
    with working(environment, "page,ordinary", "long"):
        wait_until(environment, check, ("done",))
        long = "SELECT state FROM campaigns_job WHERE kind = 'evaluation.simulation' ORDER BY id"
        wait_until(environment, long, ("running",), ("queued",))


@pytest.mark.full
def test_work_at_its_time_limit_fails_and_its_worker_takes_the_next(environment):
    with working(environment | {"POOLBENCH_LONG_JOB_SECONDS": "2"}, "long", pool="prefork"):
        jobs = "SELECT state, substr(error, 1, 25) FROM campaigns_job WHERE kind LIKE '%simulation'"
        wait_until(environment, jobs, *[("failed", "Stopped at the time limit")] * 2)
