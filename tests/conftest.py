"""Fixtures for all tests."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client, override_settings
from django.utils import timezone
from hypothesis import Phase
from hypothesis import settings as hypothesis_settings

from campaigns.models import Campaign, Run, Team, User
from common.cache import clear_caches
from judging.models import Qrels, Slot
from tests.engines import depends_on_engine
from tests.examples import count_examples
from tests.world.recording import OWN_KEYS_FROM, Layer, number_rows_from
from tests.world.recording import restore as restore_layer

# The same examples every time, so that only a change can make a test fail.
# HYPOTHESIS_PROFILE=explore draws new ones. Explaining a failure can take longer than the suite.
COMMON = {
    "deadline": None,
    "phases": (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    "max_examples": count_examples(100),
}
hypothesis_settings.register_profile("explore", **COMMON)
hypothesis_settings.register_profile("fixed", **COMMON, derandomize=True)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

if TYPE_CHECKING:
    from evaluation.models import ScoreSet
    from tests.world.site import World

REPOSITORY = Path(__file__).resolve().parent.parent
QUICK = {
    "POOLBENCH_INLINE": True,
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what depends on the engine, before ``-m`` chooses."""
    if depends_on_engine(item.path.relative_to(REPOSITORY).as_posix()):
        item.add_marker("engine")


SLOW = ("package", "service", "browser")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of many seconds go first, so that no worker ends alone with one."""
    items.sort(key=lambda item: not any(map(item.get_closest_marker, SLOW)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With POOLBENCH_REQUIRE_ALL=1 a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and os.environ.get("POOLBENCH_REQUIRE_ALL"):
        reporter.write_line(f"{len(skipped)} tests were skipped where none may be", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data, which is not part of the repository."""
    default = REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get("POOLBENCH_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data in {folder}: set POOLBENCH_DATA to its folder")
    return folder


@pytest.fixture(autouse=True)
def _own_installation(settings, tmp_path):
    """Jobs run in this process, files go to the test's folder, passwords are hashed fast."""
    for name, value in QUICK.items():
        setattr(settings, name, value)
    settings.STORE_DIR = tmp_path / "store"
    # Primary keys of users are reused, so counted requests of other tests must be forgotten.
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": memory, "LOCATION": str(tmp_path)}}
    # Primary keys are reused after a rollback.
    clear_caches()
    # Static files are found on request, instead of listing them for every client.
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(scope="session")
def _recorded(django_db_setup, django_db_blocker, tmp_path_factory):
    """``_recorded(make)``: what ``make`` records, in the empty database, outside of any test."""
    store = tmp_path_factory.mktemp("world") / "store"

    def record(make: Callable[[], Any]) -> Any:
        with django_db_blocker.unblock(), override_settings(**QUICK, STORE_DIR=store):
            number_rows_from(OWN_KEYS_FROM)
            return make()

    return record


@pytest.fixture(scope="session")
def _layers(_recorded) -> dict[str, Layer]:
    from tests.world.layers import record_layers  # slow to import: the engine and scipy

    return _recorded(record_layers)


@pytest.fixture(scope="session")
def _site(_recorded) -> Layer:
    from tests.world.layers import record_site

    return _recorded(record_site)


@pytest.fixture
def restore(db, _layers) -> Callable[[str], Any]:
    """``restore(name)``: a layer of the small campaign (``tests.world.layers``)."""
    return lambda name: restore_layer(_layers[name])


@pytest.fixture
def world(db, _site) -> World:
    """Two campaigns with scores and users of every role."""
    world = restore_layer(_site)
    Slot.objects.filter(pk=world.slot.pk).update(expires_at=timezone.now() + timedelta(minutes=20))
    return world


@pytest.fixture
def organizer(restore) -> User:
    return restore("organizer")


@pytest.fixture
def assessor(restore, campaign) -> User:
    return restore("assessor")


@pytest.fixture
def assessor2(restore, campaign) -> User:
    return restore("assessor2")


@pytest.fixture
def participant(restore, team) -> User:
    return restore("participant")


@pytest.fixture
def rival(restore, other_team) -> User:
    """A participant of another team."""
    return restore("rival")


@pytest.fixture
def viewer(restore, campaign) -> User:
    return restore("viewer")


@pytest.fixture
def stranger(restore) -> User:
    """A user without a role in any campaign."""
    return restore("stranger")


@pytest.fixture
def campaign(restore, organizer) -> Campaign:
    """Grades 0 to 3, topics "1" to "3", documents d1 to d9; only the organizer is a member."""
    return restore("campaign")


@pytest.fixture
def team(restore, campaign) -> Team:
    return restore("team")


@pytest.fixture
def other_team(restore, campaign) -> Team:
    return restore("other_team")


@pytest.fixture
def alpha(restore, team) -> Run:
    return restore("alpha")


@pytest.fixture
def beta(restore, other_team) -> Run:
    return restore("beta")


@pytest.fixture
def beta2(restore, other_team) -> Run:
    return restore("beta2")


@pytest.fixture
def qrels(restore, campaign) -> Qrels:
    return restore("qrels")


@pytest.fixture
def score_set(restore, alpha, beta, beta2, qrels) -> ScoreSet:
    """Of three runs and qrels that are small enough to score by hand (``world.files``)."""
    return restore("score_set")


@pytest.fixture
def migrate():
    """``migrate(target)``: the models as of ``target``; at the end all migrations are applied.

    For tests with ``django_db(transaction=True)``.
    """

    def go(target: list[tuple[str, str]]) -> Any:
        executor = MigrationExecutor(connection)
        executor.migrate(target)
        return executor.loader.project_state(target).apps

    yield go
    go(MigrationExecutor(connection).loader.graph.leaf_nodes())
    number_rows_from(OWN_KEYS_FROM)  # tables that were made anew count from 1


@pytest.fixture(scope="session")
def migrated(django_db_setup, django_db_blocker, tmp_path_factory) -> Callable[[Path], None]:
    """``migrated(path)``: an SQLite file with all tables, as ``migrate`` would make it.

    On SQLite a copy of the suite's own tables in memory: a process that migrates takes seconds.
    """
    whole = tmp_path_factory.mktemp("migrated") / "empty.sqlite3"
    if connection.vendor == "sqlite":
        with django_db_blocker.unblock(), closing(sqlite3.connect(whole)) as file:
            connection.ensure_connection()
            connection.connection.backup(file)
    else:
        env = {**os.environ, "DATABASE_URL": f"sqlite:///{whole}"}
        command = [sys.executable, "manage.py", "migrate", "-v", "0"]
        subprocess.run(command, cwd=REPOSITORY, env=env, check=True)
    return lambda path: shutil.copyfile(whole, path)


@pytest.fixture
def as_user(client):
    """``as_user(user)``: the test client, signed in as ``user``, or signed out."""

    def sign_in(who: User | None):
        client.logout() if who is None else client.force_login(who)
        return client

    return sign_in


@pytest.fixture
def client_for(world) -> Callable[..., Client]:
    """``client_for(role)``: a client of that role; each signs in once per test."""
    sessions: dict[str, str] = {}

    def make(role: str, **options: bool) -> Client:
        client = Client(**options)
        if (who := world.people[role]) is not None:
            if role not in sessions:
                client.force_login(who)
                sessions[role] = client.cookies[django_settings.SESSION_COOKIE_NAME].value
            client.cookies[django_settings.SESSION_COOKIE_NAME] = sessions[role]
        return client

    return make
