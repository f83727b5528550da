"""Eight teams upload at once to a web process that has answered nothing yet."""

import json
import os
import subprocess
import sys

import pytest

from tests.services.test_workers import ROOT, make_installation, manage

PROCESSES = 20
UPLOADS = 8
BUILD = """
from poolbench.judging.scale import GradeSpec
from campaigns.models import User
from campaigns.services import campaigns, collection, people
actor = User.objects.create_user("o", can_create_campaigns=True)
scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
fields = {"title": "C", "slug": "c", "max_runs_per_team": None}
campaign = campaigns.create_campaign(actor=actor, scale=scale, **fields)
collection.import_topics(actor=actor, campaign=campaign, data=b"1\\tfirst\\n2\\tsecond\\n")
people.get_or_create_team(actor=actor, campaign=campaign, name="T")
"""


def upload_at_once(process: int) -> list[tuple[int, str]]:
    """Status and the run's state of eight uploads at once, in this process's first requests."""
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.db import connection
    from django.test import Client

    from campaigns.models import User
    from workbench.wsgi import application  # noqa: F401 -- what a web process loads

    owner = User.objects.get(username="o")
    options = {"raise_request_exception": False, "SERVER_NAME": "localhost"}
    clients = [Client(**options) for _ in range(UPLOADS)]
    for client in clients:
        client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    barrier = Barrier(UPLOADS)

    def upload(number: int) -> tuple[int, str]:
        tag = f"p{process}u{number}"
        lines = "".join(f"{t} Q0 {tag}d{i} {i} {9 - i} {tag}\n" for t in (1, 2) for i in (1, 2))
        fields = {"campaign": "c", "team": "T", "file": SimpleUploadedFile(tag, lines.encode())}
        barrier.wait()
        answer = clients[number].post("/api/runs/", fields)
        connection.close()
        is_json = answer.headers["Content-Type"] == "application/json"
        return answer.status_code, (answer.json() if is_json else {}).get("state", "")

    with ThreadPoolExecutor(UPLOADS) as pool:
        return list(pool.map(upload, range(UPLOADS)))


def run_fresh_processes() -> None:
    """Each upload happens in a fork of a process that has loaded Django, and no request yet."""
    import django

    django.setup()
    answers = []
    for process in range(PROCESSES):
        read, write = os.pipe()
        if not (child := os.fork()):
            os.write(write, json.dumps(upload_at_once(process)).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            answers += json.loads(stream.read())
        os.waitpid(child, 0)
    sys.stdout.write(json.dumps(answers))


@pytest.mark.service
@pytest.mark.full
def test_uploads_at_once_on_a_fresh_web_process_are_all_answered_as_stored(tmp_path, migrated):
    env = make_installation(tmp_path, migrated, POOLBENCH_INLINE="0")
    manage(env, "shell", "-v", "0", "-c", BUILD)
    command = [sys.executable, "-m", "tests.services.test_uploads_at_once"]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = [tuple(answer) for answer in json.loads(done.stdout)]
    assert answers == [(201, "accepted")] * PROCESSES * UPLOADS


if __name__ == "__main__":
    run_fresh_processes()
