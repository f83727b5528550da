"""Several processes, each with threads, judge a growing pool at once."""

import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tests.judging.growing import BUDGET, HANDS
from tests.world.at_once import make_installation


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


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_processes_and_threads_at_once_leave_a_log_that_gives_the_same_pool(request):
    installation = make_installation(request)
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
