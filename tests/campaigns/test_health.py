"""``/health/`` and the answers while the database is away."""

import io
import logging
import os
import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from campaigns import store
from campaigns.models import Job, ProcessHeartbeat
from campaigns.services import health
from campaigns.services.heartbeats import record_heartbeat, run_tick
from poolbench.cache import clear_caches
from tests.services.test_workers import make_installation, manage


@pytest.fixture
def asked(client, db):
    def ask() -> tuple[int, dict[str, object]]:
        clear_caches()
        answer = client.get("/health/")
        return answer.status_code, answer.json()

    return ask


def test_a_sound_installation_is_ok(asked):
    status, told = asked()
    assert status == 200
    assert told.pop("store_free_bytes") > 0
    assert told == {
        "status": "ok",
        "store": "ok",
        "database": "ok",
        "broker": "ok",
        "oldest_queued_job_seconds": None,
        "newest_tick_seconds": None,
        "newest_worker_seconds": None,
        "silent_workers": 0,
    }


def test_the_ages_of_queue_tick_and_worker_are_told(asked, campaign):
    job = Job.objects.create(campaign=campaign, kind="x")
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(hours=1))
    call_command("tick", stdout=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    record_heartbeat(ProcessHeartbeat.Process.WORKER)
    old = timezone.now() - timedelta(minutes=5)
    ProcessHeartbeat.objects.filter(process="worker").update(at=old)
    _, told = asked()
    assert told["oldest_queued_job_seconds"] in (3600, 3601)
    assert told["newest_tick_seconds"] in (0, 1)
    assert told["newest_worker_seconds"] in (300, 301)


def test_a_store_that_takes_names_but_no_bytes_has_failed(asked, monkeypatch):
    """As a full disk does: an empty file can still be made on it."""
    real_open = Path.open

    class Full:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        def write(self, _data):
            raise OSError(28, "No space left on device")

    def open_full(path, *args, **options):
        stream = real_open(path, *args, **options)
        return Full(stream) if path.name.startswith("health-") and "w" in args[0] else stream

    monkeypatch.setattr(Path, "open", open_full)
    status, told = asked()
    assert (status, told["status"], told["store"]) == (503, "failed", "failed")


def test_a_store_that_returns_other_bytes_has_failed(asked, monkeypatch):
    monkeypatch.setattr(store, "get_blob", lambda _name: b"")
    assert asked()[1]["store"] == "failed"


def test_a_store_that_is_not_there_has_failed(asked, settings, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    settings.STORE_DIR = tmp_path / "file"
    status, told = asked()
    assert (status, told["store"]) == (503, "failed")


def test_little_free_space_is_a_warning(asked, monkeypatch):
    monkeypatch.setattr(health, "LOW_BYTES", 1 << 62)
    status, told = asked()
    assert (status, told["status"], told["store"]) == (200, "degraded", "low")


def test_the_probe_leaves_nothing_behind(asked, settings):
    asked()
    assert list(Path(settings.STORE_DIR).iterdir()) == []


def test_a_broker_that_is_away_is_a_warning(asked, settings):
    from workbench.celery import app

    before = app.conf.broker_url, app.conf.broker_write_url, app.conf.broker_transport_options
    app.conf.update(
        broker_url="amqp://guest:guest@127.0.0.1:1//",
        broker_write_url="amqp://guest:guest@127.0.0.1:1//",
        broker_transport_options={},
    )
    try:
        started = time.monotonic()
        status, told = asked()
        assert time.monotonic() - started < 10
    finally:
        app.conf.update(
            broker_url=before[0], broker_write_url=before[1], broker_transport_options=before[2]
        )
    assert (status, told["status"], told["broker"]) == (200, "degraded", "failed")


def away(*_args, **_options):
    raise OperationalError("the server closed the connection unexpectedly")


def test_while_the_database_is_away_health_says_so(asked, monkeypatch):
    monkeypatch.setattr(health, "oldest_waiting_job", away)
    status, told = asked()
    assert (status, told["database"], told["store"]) == (503, "failed", "ok")


@pytest.mark.parametrize(
    ("path", "said"),
    [("/", "Temporarily unavailable"), ("/api/campaigns/", "The database is not available")],
)
def test_while_the_database_is_away_requests_are_to_be_tried_again(
    organizer, monkeypatch, path, said
):
    """The middleware that reads the session fails here, before any view."""
    client = Client(raise_request_exception=False)
    client.force_login(organizer)
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", away)
    answer = client.get(path)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert said in answer.content.decode()
    assert answer["Content-Type"].startswith("application/json" if "api" in path else "text/html")


@pytest.mark.parametrize("path", ["/", "/api/campaigns/"])
def test_any_other_failure_is_a_500_of_the_same_kind(organizer, monkeypatch, path):
    def broken(*_args, **_options):
        raise RuntimeError("broken")

    client = Client(raise_request_exception=False)
    client.force_login(organizer)
    monkeypatch.setattr("campaigns.models.Campaign.objects.visible_to", broken)
    monkeypatch.setattr("campaigns.views.site.build_home", broken)
    answer = client.get(path)
    assert answer.status_code == 500
    assert "Retry-After" not in answer
    assert answer["Content-Type"].startswith("application/json" if "api" in path else "text/html")


TLS = """
from django.test import Client
for host in ("127.0.0.1:8000", "bench.example.org"):
    answer = Client(SERVER_NAME=host.partition(":")[0], SERVER_PORT="8000").get("/health/")
    print(answer.status_code, answer.headers.get("Location", "-"))
print(Client(SERVER_NAME="bench.example.org").get("/accounts/login/").status_code)
"""


@pytest.mark.full
def test_a_monitor_on_the_machine_is_answered_under_tls_settings(tmp_path, migrated):
    settings = {"POOLBENCH_TLS": "1", "POOLBENCH_HOSTS": "bench.example.org"}
    env = make_installation(tmp_path, migrated, **settings)
    told = manage(env, "shell", "-v", "0", "-c", TLS)
    assert told.split() == ["200", "-", "200", "-", "301"]


def test_many_requests_are_one_check(client, db, monkeypatch):
    clear_caches()
    looks = []
    monkeypatch.setattr(health, "check_store", lambda: looks.append(1) or {"store": "ok"})
    for _ in range(20):
        assert client.get("/health/").json()["store"] == "ok"
    assert len(looks) == 1
    clear_caches()


@pytest.mark.parametrize(
    ("tick", "worker", "status"),
    [(100, 100, "ok"), (180, 0, "degraded"), (0, 180, "degraded"), (None, 0, "degraded")],
)
def test_without_tick_or_worker_background_work_is_at_risk(asked, settings, tick, worker, status):
    settings.POOLBENCH_INLINE = False
    for process, seconds in (("tick", tick), ("worker", worker)):
        if seconds is not None:
            record_heartbeat(process)
            at = timezone.now() - timedelta(seconds=seconds)
            ProcessHeartbeat.objects.filter(process=process).update(at=at)
    assert asked()[1]["status"] == status


def test_one_dead_worker_of_two_is_missed_for_an_hour(asked, settings):
    settings.POOLBENCH_INLINE = False
    dead = ProcessHeartbeat.objects.filter(name="worker@b")
    for name in ("worker@a", "worker@b"):
        record_heartbeat(ProcessHeartbeat.Process.WORKER, name)
    run_tick()
    assert asked()[1]["status"] == "ok"
    dead.update(at=timezone.now() - timedelta(seconds=180))
    status, told = asked()
    assert (status, told["status"], told["silent_workers"]) == (200, "degraded", 1)
    assert told["newest_worker_seconds"] in (0, 1)
    dead.update(at=timezone.now() - timedelta(minutes=61))
    run_tick()
    assert asked()[1]["status"] == "ok"


def test_a_worker_that_ends_in_order_is_not_missed(db):
    from workbench.celery import end_heartbeat, shutting_down

    for name in ("worker@a", "worker@b"):
        record_heartbeat(ProcessHeartbeat.Process.WORKER, name)
    end_heartbeat(SimpleNamespace(hostname="worker@b"))
    shutting_down.clear()
    assert ProcessHeartbeat.objects.get().name == "worker@a"


@pytest.mark.parametrize("path", ["/", "/api/campaigns/", "/help/"])
def test_while_the_database_is_away_a_request_is_one_line_of_the_log(organizer, monkeypatch, path):
    client = Client(raise_request_exception=False)
    client.force_login(organizer)
    stream = io.StringIO()
    (handler,) = (it for it in logging.getLogger().handlers if it.get_name() == "console")
    monkeypatch.setattr(handler, "stream", stream)
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", away)
    assert client.get(path).status_code == 503
    (line,) = stream.getvalue().splitlines()
    assert line.endswith(
        f"ERROR django.request Service Unavailable: {path} "
        "(database: the server closed the connection unexpectedly)"
    )
