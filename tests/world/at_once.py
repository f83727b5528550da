"""Many people at once, each in a thread: on PostgreSQL in the suite's own database, otherwise in a
process with an SQLite file, since threads cannot share the suite's, which is in memory.

A module that is run so has ``contend()``, which returns counts of faults.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.house import REPOSITORY


def count_faults(module: str, request: pytest.FixtureRequest) -> dict[str, int]:
    """What ``contend()`` of the test module found."""
    if connection.vendor != "sqlite":
        found: dict[str, int] = import_module(module).contend()
        return found
    env = make_installation(request)
    command = [sys.executable, "-m", "tests.world.at_once", module]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def make_installation(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of processes with a database of their own, or the suite's server."""
    folder: Path = request.getfixturevalue("tmp_path")
    at = f"sqlite:///{folder / 'at_once.sqlite3'}"
    if connection.vendor == "sqlite":
        request.getfixturevalue("migrated")(folder / "at_once.sqlite3")
    else:
        of = connection.settings_dict
        at = f"postgres://{of['USER']}:{of['PASSWORD']}@{of['HOST']}:{of['PORT']}/{of['NAME']}"
    return {
        **os.environ,
        "POOLBENCH_VAR": str(folder),
        "DATABASE_URL": at,
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }


def run_at_once(act: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
    """``act`` for each of ``arguments``, as by ``map``, all at once."""
    rows = list(zip(*arguments, strict=True))
    with ThreadPoolExecutor(len(rows)) as threads:
        return list(threads.map(lambda row: run_and_close(act, *row), rows))


def run_and_close(act: Callable[..., Any], *arguments: Any) -> Any:
    """``act`` in a thread, whose connection nobody else would close."""
    try:
        return act(*arguments)
    finally:
        connection.close()


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps(import_module(sys.argv[1]).contend()))
