"""Many assessors at once: no slot is given twice, nothing is lost, nothing doubled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from preferences.services.comparisons import try_lease
from tests.conftest import REPOSITORY
from tests.preferences.contention import compare_at_once


@pytest.mark.django_db(transaction=True)
def test_comparing_at_once_doubles_and_loses_nothing(request, tmp_path):
    # Threads cannot share the suite's SQLite in memory: they get a file of their own.
    if connection.vendor == "sqlite":
        faults = compare_on_a_file(tmp_path, request.getfixturevalue("migrated"))
    else:
        faults = compare_at_once()
    assert faults == dict.fromkeys(faults, 0)
    assert len(faults) == 5


def compare_on_a_file(folder, migrated) -> dict[str, int]:
    migrated(folder / "contended.sqlite3")
    environment = {
        **os.environ,
        "POOLBENCH_VAR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'contended.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }
    script = [sys.executable, "-m", "tests.preferences.contention"]
    done = subprocess.run(
        script, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="threads need a server")
def test_two_assessors_who_want_one_slot_at_the_same_moment(make_plan, pool, assessor, assessor2):
    slot = make_plan(pool=pool).comparisons.first().slots.get()
    copies = [type(slot).objects.get(pk=slot.pk) for _ in range(2)]
    meet = Barrier(2)

    def lease(copy, user):
        try:
            meet.wait()
            return try_lease(copy, user)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(lease, copies, (assessor, assessor2))) == [False, True]
    slot.refresh_from_db()
    assert slot.state == "leased"


def test_a_slot_that_another_has_taken_in_between_is_not_leased(pairs_plan, assessor, assessor2):
    first, second = (pairs_plan.comparisons.first().slots.get(k=0) for _ in range(2))
    assert try_lease(first, assessor)
    assert not try_lease(second, assessor2)
    first.refresh_from_db()
    assert first.assessor == assessor


def test_an_assessor_never_gets_both_slots_of_a_comparison(pairs_plan, assessor):
    first, second = pairs_plan.comparisons.first().slots.all()
    assert try_lease(first, assessor)
    assert not try_lease(second, assessor)
