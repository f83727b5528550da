"""Fixtures for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis.internal.conjecture import providers
from pytest_django.plugin import blocking_manager_key

from campaigns.models import User
from campaigns.models import campaign as campaign_model
from judging.models import Slot
from poolbench.cache import clear_caches
from tests.engines import depends_on_engine
from tests.examples import ALL, count_examples
from tests.object_store import bucket, files, object_store  # noqa: F401 (fixtures)
from tests.world.once import RUN, Layer, Start, drop_template, set_up_tests
from tests.world.recording import restore as restore_layer

# The same examples every time, so that only a change can make a test fail.
# HYPOTHESIS_PROFILE=explore draws new ones. Explaining a failure can take longer than the suite.
COMMON = {
    "deadline": None,
    "phases": (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    "max_examples": count_examples(100),
    # Of the machine, which may be busy, not of the test.
    "suppress_health_check": [HealthCheck.too_slow],
}
hypothesis_settings.register_profile("explore", **COMMON)
hypothesis_settings.register_profile("fixed", **COMMON, derandomize=True)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
if not ALL:
    # Nor do the literals of all modules lead the draws: a change of any of them would change the
    # examples of every test, and each process would read them all.
    providers._get_local_constants = lambda: providers._local_constants

# Every campaign draws with one seed: a test that holds for most seeds would fail now and then.
campaign_model.secrets = SimpleNamespace(randbelow=lambda _: 20_261)

if TYPE_CHECKING:
    from tests.world.site import World

REPOSITORY = Path(__file__).resolve().parent.parent
STORES = count()
QUICK = {
    "POOLBENCH_INLINE": True,
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
}


def pytest_configure() -> None:
    """The processes that xdist starts take the number over. Nothing that is imported or collected
    is garbage: looking for it takes a tenth of that time.
    """
    os.environ.setdefault(RUN, str(os.getpid()))
    gc.disable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of what depends on the engine imports nothing else."""
    if not config.option.markexpr.startswith(("engine", "postgresql")):
        return None
    path = collection_path.relative_to(REPOSITORY).as_posix()
    return None if depends_on_engine(path) else True


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what depends on the engine, before ``-m`` chooses."""
    path = item.path.relative_to(REPOSITORY).as_posix()
    if depends_on_engine(path) and not item.get_closest_marker("sqlite"):
        item.add_marker("engine")


def pytest_make_parametrize_id(val: object) -> None:
    """A gzip that holds the time would give a test another name in each process."""
    if isinstance(val, bytes) and val[:3] == b"\x1f\x8b\x08" and any(val[4:8]):
        raise pytest.UsageError("A parameter is gzip with its time: gzip.compress(data, mtime=0).")


def pytest_collection_finish() -> None:
    """What was imported stays, so the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()


SLOW = ("package", "service", "browser")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of many seconds go first, so that no worker ends alone with one; those of ``full`` do
    not go at all, unless all is asked for, or one of them by its name.
    """
    if not ALL and not any("::" in asked for asked in config.args):
        left = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: not any(map(item.get_closest_marker, SLOW)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With POOLBENCH_REQUIRE_ALL=1 a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if not hasattr(session.config, "workerinput"):
        with session.config.stash[blocking_manager_key].unblock():
            drop_template()
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


@pytest.fixture(scope="session", autouse=True)
def _installation(django_test_environment, tmp_path_factory) -> Iterator[Path]:
    """Jobs run in this process, passwords are hashed fast, and static files are found on request,
    by their own names, instead of listing them all.
    """
    folder = tmp_path_factory.mktemp("installation")
    memory = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    static = {"STATIC_ROOT": folder / "static", "WHITENOISE_AUTOREFRESH": True}
    with override_settings(**QUICK, **static, CACHES=memory):
        yield folder


@pytest.fixture(autouse=True)
def _own_installation(_installation, request) -> Iterator[None]:
    """Files go to the test's folder. Primary keys are reused after a rollback, so what is known of
    them, such as counted requests, must be forgotten.
    """
    clear_caches()
    cache.clear()
    with override_settings(STORE_DIR=_installation / f"store{next(STORES)}"):
        if os.environ.get("POOLBENCH_TEST_STORE") == "bucket":
            request.getfixturevalue("bucket")
        yield


@pytest.fixture(scope="session")
def _start(
    _installation, django_db_modify_db_settings, django_db_blocker, tmp_path_factory
) -> Iterator[Start]:
    def record() -> dict[str, Layer]:
        from tests.world.layers import record_layers  # slow to import: the engine and scipy

        with override_settings(STORE_DIR=tmp_path_factory.mktemp("world") / "store"):
            return record_layers()

    name = connection.settings_dict["NAME"]
    with django_db_blocker.unblock():
        yield set_up_tests(record)
        connection.creation.destroy_test_db(name, verbosity=0)


@pytest.fixture(scope="session")
def django_db_setup(_start) -> None:
    """Instead of the migrations that pytest-django would run in every process."""


@pytest.fixture
def restore(db, _start) -> Callable[[str], Any]:
    """``restore(name)``: a layer of the small campaign (``tests.world.layers``)."""
    return lambda name: restore_layer(_start.layers[name])


@pytest.fixture
def world(restore) -> World:
    """Two campaigns with scores and users of every role."""
    world = restore("site")
    Slot.objects.filter(pk=world.slot.pk).update(expires_at=timezone.now() + timedelta(minutes=20))
    return world


def on_layers(name: str, *below: str) -> Callable[..., Any]:
    """The fixture ``name``: that layer, on the layers ``below`` it."""

    @pytest.fixture(name=name)
    def restore_with_those_below(restore, request) -> Any:
        for other in below:
            request.getfixturevalue(other)
        return restore(name)

    return restore_with_those_below


organizer, stranger = on_layers("organizer"), on_layers("stranger")
# Grades 0 to 3, topics "1" to "3", documents d1 to d9; only the organizer is a member.
campaign = on_layers("campaign", "organizer")
assessor, assessor2, viewer = (
    on_layers(n, "campaign") for n in ("assessor", "assessor2", "viewer")
)
team, other_team = (on_layers(name, "campaign") for name in ("team", "other_team"))
participant, rival = on_layers("participant", "team"), on_layers("rival", "other_team")
alpha = on_layers("alpha", "team")
beta, beta2 = on_layers("beta", "other_team"), on_layers("beta2", "other_team")
qrels = on_layers("qrels", "campaign")
# Of three runs and qrels that are small enough to score by hand (``world.files``).
score_set = on_layers("score_set", "alpha", "beta", "beta2", "qrels")
rounds = on_layers("rounds", "organizer")  # ``tests.world.rounds``: a campaign of its own


@pytest.fixture(scope="session")
def migrated(_start, tmp_path_factory) -> Callable[[Path], None]:
    """``migrated(path)``: an SQLite file with all tables, as ``migrate`` would make it."""
    whole = _start.tables
    if not whole.exists():  # the suite runs on another engine
        whole = tmp_path_factory.mktemp("migrated") / "empty.sqlite3"
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
def page(as_user, organizer) -> Client:
    """The organizer's client."""
    return as_user(organizer)


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
