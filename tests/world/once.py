"""What every test starts from, made once: the tables and the layers of ``tests.world``.

The first process that needs them migrates and records; all others, of this run or of a later one,
copy a file (SQLite) or a database (PostgreSQL, within a run). What is kept has the name of a hash
of everything it could depend on: a change of the product makes the layers anew, one of migrations
the tables too; so does an hour, since rows have times.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import shutil
import sqlite3
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from tests.house import APPS, REPOSITORY
from tests.world.recording import OWN_KEYS_FROM, Layer, number_rows_from

SOURCES = (*APPS, "tests/world", "tests/conftest.py", "pyproject.toml", "constraints.txt")
"""What the layers depend on, and the tables:"""
SCHEMA = (*(f"{app}/migrations" for app in APPS), "workbench/settings.py", "tests/world")
LONGEST = 3600
"""Seconds after which the layers are recorded anew."""
RUN = "PYTEST_OF_ALL_PROCESSES"
"""The variable that tells the processes of a run its number."""


@dataclass(frozen=True)
class Start:
    """``tables`` is an SQLite file with empty tables; on another engine there is none."""

    tables: Path
    layers: dict[str, Layer]


def set_up_tests(record: Callable[[], dict[str, Layer]]) -> Start:
    """Create this process's test database, with empty tables; ``record`` makes the layers."""
    kept = settings.VAR_DIR / "tests"
    tables, layers = kept / hash_sources(SCHEMA) / "tables", kept / hash_sources() / "layers"
    on_file, own = connection.vendor == "sqlite", connection.settings_dict["TEST"]
    name = own["NAME"]
    with locked(kept):
        if is_new := not is_young(layers):
            own["NAME"] = name if on_file else name_template()
            create_tables(tables)
            keep(layers, pickle.dumps(record()))
        if not on_file:
            connection.close()
            own |= {"NAME": name, "TEMPLATE": name_template()}
            create_database()
        elif not is_new:
            create_tables(tables)
    return Start(tables, pickle.loads(layers.read_bytes()))  # noqa: S301


def create_tables(file: Path) -> None:
    """The test database with empty tables: those of the SQLite ``file`` if it is young."""
    create_database()
    on_file = connection.vendor == "sqlite"
    if on_file and is_young(file):
        with closing(sqlite3.connect(file)) as source:
            source.backup(connection.connection)
        return
    call_command("migrate", verbosity=0)
    number_rows_from(OWN_KEYS_FROM)
    if on_file:
        keep(file, connection.connection.serialize())


def create_database() -> None:
    """The empty test database of the settings, which the connection is to from now on."""
    creation = connection.creation
    creation._create_test_db(verbosity=0, autoclobber=True)
    connection.close()
    connection.settings_dict["NAME"] = creation._get_test_db_name()
    connection.ensure_connection()


def name_template() -> str:
    """The PostgreSQL database that those of a run are copied from."""
    return f"test_template_{os.environ[RUN]}"


def drop_template() -> None:
    if connection.vendor == "postgresql":
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name_template()}")


def keep(file: Path, content: bytes) -> None:
    """Store ``content``; what is older than an hour goes."""
    for other in file.parent.parent.glob("*/*"):
        if not is_young(other):
            shutil.rmtree(other.parent, ignore_errors=True)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)


def is_young(path: Path) -> bool:
    return path.exists() and time.time() - path.stat().st_mtime < LONGEST


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def hash_sources(sources: tuple[str, ...] = ()) -> str:
    """Of the product, the world, the installed packages, the settings and the day."""
    found = hashlib.blake2b(digest_size=16)
    for place in sources or SOURCES:
        top = REPOSITORY / place
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and path.suffix != ".pyc":
                found.update(f"\0{path}\0".encode() + path.read_bytes())
    told = [(name, os.environ[name]) for name in sorted(os.environ) if "POOLBENCH_" in name]
    packages = sorted(path.name for path in Path(sysconfig.get_path("purelib")).glob("*-info"))
    database = connection.vendor if connection.vendor == "sqlite" else name_template()
    rest = (told, packages, sys.version, database, settings.SECRET_KEY, datetime.now(UTC).date())
    found.update(repr(rest).encode())
    return found.hexdigest()
