"""Many crowd workers at once: never above redundancy, nothing lost, nothing doubled."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.db import connection

from tests.conftest import REPOSITORY
from tests.judging.crowd.contention import contend


@pytest.mark.django_db(transaction=True)
def test_workers_at_once(request, tmp_path):
    # Threads cannot share the suite's SQLite in memory: they get a file of their own.
    if connection.vendor == "sqlite":
        found = contend_on_a_file(tmp_path, request.getfixturevalue("migrated"))
    else:
        found = contend()
    assert found == dict.fromkeys(found, 0)


def contend_on_a_file(folder, migrated):
    migrated(folder / "crowded.sqlite3")
    environment = {
        **os.environ,
        "POOLBENCH_VAR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'crowded.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }
    script = [sys.executable, "-m", "tests.judging.crowd.contention"]
    done = subprocess.run(
        script, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
