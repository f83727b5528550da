"""Jobs that several true workers share: one is killed, one is busy for a minute.

15 seconds a test.
"""

from __future__ import annotations

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
RUNS = 8
SUBMIT = f"""
from poolbench.judging.scale import GradeSpec
from campaigns.models import User
from campaigns.services import campaigns, collection, people, runs
from evaluation.services.scoring import request_evaluation, score_campaign
from tests.world.files import qrels_release
actor = User.objects.create_user("o", can_create_campaigns=True)
scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
campaign = campaigns.create_campaign(actor=actor, title="C", slug="c", scale=scale)
collection.import_topics(actor=actor, campaign=campaign, data=b"1\\tfirst\\n2\\tsecond\\n")
for number in range({RUNS}):
    team = people.get_or_create_team(actor=actor, campaign=campaign, name=f"T{{number}}")
    docs = [f"d{{(number * place) % 41}}x{{place}}" for place in range(30)]
    ranked = [(topic, at, doc) for topic in (1, 2) for at, doc in enumerate(docs)]
    lines = [f"{{topic}} Q0 {{doc}} 1 {{99 - at}} r{{number}}\\n" for topic, at, doc in ranked]
    data = "".join(lines).encode()
    run = runs.submit_and_check_run(
        actor=actor, campaign=campaign, team=team, data=data, file_name="r"
    )
    assert run.state == "accepted", run.report
rows = [f"{{t}} 0 d{{n % 41}}x{{n % 30}} {{n % 2}}\\n" for t in (1, 2) for n in range(205)]
qrels = qrels_release(campaign, "".join(sorted(set(rows))))
score_campaign(actor=actor, campaign=campaign, qrels=qrels)
request_evaluation(actor=actor, campaign=campaign, qrels=qrels)
"""
LONG_AND_PAGE = """
from campaigns.models import Campaign, User
from campaigns.services import jobs, runs
campaign, actor = Campaign.objects.get(), User.objects.get()
for number in (1, 2):
    jobs.enqueue(campaign=campaign, kind="evaluation.simulation", actor=actor, number=number)
data = b"1 Q0 d1 1 1 late\\n2 Q0 d1 1 1 late\\n"
team = campaign.teams.last()
runs.submit_run(actor=actor, campaign=campaign, team=team, data=data, file_name="r")
"""


@pytest.fixture
def environment(broker, tmp_path, migrated) -> dict[str, str]:
    """Of an installation with eight accepted runs, scored in one piece, and the job to score them
    again.
    """
    env = make_installation(
        tmp_path, migrated, CELERY_BROKER_URL=broker, POOLBENCH_INLINE="0",
        POOLBENCH_QUEUE=f"shared-{os.getpid()}-{tmp_path.name}",
    )  # fmt: skip
    manage(env, "shell", "-v", "0", "-c", SUBMIT)
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


def test_a_worker_killed_in_a_shared_evaluation_costs_its_part_alone(environment):
    state = "SELECT state FROM campaigns_job WHERE kind = 'evaluation.evaluate'"
    with working(environment, "page,ordinary,long", "page,ordinary,long") as workers:
        running = "SELECT count(*) FROM campaigns_jobpart WHERE state = 'running'"
        wait_until(environment, running, (2,))
        workers[0].send_signal(signal.SIGKILL)
        wait_until(environment, state, ("done",))
    whole, shared = (
        ask(
            environment,
            "SELECT run_id, means, packed FROM evaluation_runscores "
            f"WHERE score_set_id = {score_set} ORDER BY run_id",
        )
        for (score_set,) in ask(environment, "SELECT id FROM evaluation_scoreset ORDER BY id")
    )
    assert shared == whole
    assert len(shared) == RUNS
    scored = (Path(environment["POOLBENCH_VAR"]) / "scored").read_text().split()
    assert len(set(scored)) == RUNS
    assert len(scored) <= RUNS + 1  # the run that was lost, unless it was not begun yet
    assert ask(environment, "SELECT count(*) FROM campaigns_jobpart") == [(0,)]


def test_what_a_page_waits_for_is_done_while_long_work_goes_on(environment):
    manage(environment, "shell", "-v", "0", "-c", LONG_AND_PAGE)
    check = "SELECT state FROM campaigns_job WHERE id = (SELECT max(id) FROM campaigns_job)"
    with working(environment, "page,ordinary", "long"):
        wait_until(environment, check, ("done",))
        long = "SELECT state FROM campaigns_job WHERE kind = 'evaluation.simulation' ORDER BY id"
        wait_until(environment, long, ("running",), ("queued",))


@pytest.mark.full
def test_work_at_its_time_limit_fails_and_its_worker_takes_the_next(environment):
    manage(environment, "shell", "-v", "0", "-c", LONG_AND_PAGE)
    with working(environment | {"POOLBENCH_LONG_JOB_SECONDS": "2"}, "long", pool="prefork"):
        jobs = "SELECT state, substr(error, 1, 25) FROM campaigns_job WHERE kind LIKE '%simulation'"
        wait_until(environment, jobs, *[("failed", "Stopped at the time limit")] * 2)
