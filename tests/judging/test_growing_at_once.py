"""Several processes, each with threads, judge a growing pool at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tests.conftest import REPOSITORY
from tests.judging.growing import BUDGET, HANDS


@pytest.fixture
def installation(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The suite's own database; but processes cannot share its SQLite in memory."""
    file = tmp_path / "growing.sqlite3"
    at = f"sqlite:///{file}"
    if connection.vendor == "sqlite":
        request.getfixturevalue("migrated")(file)
    else:
        of = connection.settings_dict
        at = f"postgres://{of['USER']}:{of['PASSWORD']}@{of['HOST']}:{of['PORT']}/{of['NAME']}"
    return {
        **os.environ,
        "POOLBENCH_VAR": str(tmp_path),
        "DATABASE_URL": at,
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }


def python(env: dict[str, str], *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *args], cwd=REPOSITORY, env=env, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip


def done(process: subprocess.Popen[str]) -> str:
    told, _ = process.communicate(timeout=120)
    assert process.returncode == 0, told
    return told


COUNTS = """
from collections import Counter
from judging.models import Judgment, Slot
from pooling.models import Pool, PoolEvent
from pooling.services.adaptive_pools import verify_pool_log
pool = Pool.objects.get()
docnos = Counter(Judgment.objects.values_list("docno", flat=True))
print(len(docnos), max(docnos.values()), Slot.objects.exclude(state="judged").count(),
      Judgment.objects.values("assessor").distinct().count(), verify_pool_log(pool),
      PoolEvent.objects.filter(relevant=None).count() + pool.size)
"""


@pytest.mark.django_db(transaction=True)
def test_processes_and_threads_at_once_leave_a_log_that_gives_the_same_pool(installation):
    done(python(installation, "-m", "tests.judging.growing", "build"))
    names = [f"a{n}" for n in range(HANDS)]
    working = [
        python(installation, "-m", "tests.judging.growing", "work", *names[part::2])
        for part in range(2)
    ]
    for process in working:
        done(process)
    told = done(python(installation, "manage.py", "shell", "-v", "0", "-c", COUNTS))
    documents, most, unjudged, people, same, given = map(int, told.split())
    assert (documents, most, unjudged, same, given) == (BUDGET, 1, 0, BUDGET, BUDGET)
    assert people > 1
