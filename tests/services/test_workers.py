"""Jobs through true Celery worker processes, one test a broker.

Everything happens in processes of its own: an installation in a temporary folder, a
script that enqueues, a worker that performs, a script that reads the outcome.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUBMIT = """
import json
from campaigns.core.scale import GradeSpec
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
OUTCOME = """
import json
from campaigns.models import Job, ProcessHeartbeat, Run
print(json.dumps({
    "jobs": list(Job.objects.order_by("pk").values_list("state", flat=True)),
    "runs": list(Run.objects.order_by("pk").values_list("state", flat=True)),
    "alive": list(ProcessHeartbeat.objects.values_list("process", flat=True)),
}))
"""


def manage(env: dict[str, str], *args: str) -> str:
    command = [sys.executable, "manage.py", *args]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outcome(env: dict[str, str]) -> dict[str, list[str]]:
    return json.loads(manage(env, "shell", "-v", "0", "-c", OUTCOME))


def worked_off(env: dict[str, str], seconds: float) -> dict[str, list[str]]:
    """The outcome once no job is waiting or running, or after ``seconds``."""
    end = time.monotonic() + seconds
    while True:
        seen = outcome(env)
        if time.monotonic() > end or not {"queued", "running"} & set(seen["jobs"]):
            return seen


@pytest.fixture(params=["filesystem", "redis", "amqp"])
def broker(request: pytest.FixtureRequest) -> str:
    if request.param == "filesystem":
        return "filesystem://"
    url = os.environ.get(f"POOLBENCH_TEST_{request.param.upper()}")
    if not url:
        pytest.skip(f"needs a broker: set POOLBENCH_TEST_{request.param.upper()}")
    return url


@pytest.mark.service
def test_worker_checks_runs_that_were_queued_before_it_started(broker: str, tmp_path: Path) -> None:
    env = {
        **os.environ,
        "POOLBENCH_VAR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        "CELERY_BROKER_URL": broker,
        "POOLBENCH_INLINE": "0",
        "POOLBENCH_QUEUE": f"test-{os.getpid()}-{tmp_path.name}",
    }
    manage(env, "migrate", "-v", "0")
    manage(env, "shell", "-v", "0", "-c", SUBMIT)
    assert outcome(env) == {"jobs": ["queued"] * 2, "runs": ["received"] * 2, "alive": []}
    command = [sys.executable, "-m", "celery", "-A", "workbench.celery", "worker", "-P", "solo"]
    worker = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        seen = worked_off(env, seconds=60)
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(timeout=30)
    expected = {"jobs": ["done"] * 2, "runs": ["accepted", "rejected"], "alive": ["worker"]}
    assert seen == expected
