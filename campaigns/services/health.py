"""The state of the installation, for a monitor."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from django.utils.module_loading import import_string

from campaigns import store
from campaigns.models import ProcessHeartbeat
from campaigns.queries.clock import read_clock
from campaigns.queries.lists import oldest_waiting_job
from campaigns.services.store_marker import find_store_fault
from campaigns.storages import OtherStoreError, StoreAwayError
from poolbench.cache import Cache

OK, LOW, FAILED = "ok", "low", "failed"
PROBE_BYTES = 1 << 16
"""A full disk may still have room for a name or a few bytes, not for this."""
LOW_BYTES = 1 << 30
BROKER_SECONDS = 2.0
KEPT_SECONDS = 5.0
ALARM_SECONDS = {"newest_tick_seconds": 150, "newest_worker_seconds": 120}
"""A tick comes every minute, a worker reports every ten seconds: the alarm is given within 180
seconds."""
_latest: Cache[str, tuple[float, dict[str, Any]]] = Cache(1)


def get_health() -> dict[str, Any]:
    """``check_health``, at most once in ``KEPT_SECONDS`` per process: anybody may ask."""

    def renew(latest: tuple[float, dict[str, Any]] | None) -> tuple[float, dict[str, Any]]:
        if latest is not None and time.monotonic() < latest[0]:
            return latest
        health = {key: state for key, state in check_health().items() if "_error" not in key}
        return time.monotonic() + KEPT_SECONDS, health

    return dict(_latest.renew("health", renew)[1])


def check_health() -> dict[str, Any]:
    """Database, store, broker and background processes; ages are in seconds, null if never.

    What failed has its reason beside it, such as ``store_error``, for the doctor only. A store that
    is not the installation's has ``store_fault``.

    ``status`` is ``failed`` if pages or uploads cannot work (database, store), ``degraded`` if
    only background work is at risk (broker, little free space, no tick or worker), otherwise
    ``ok``.
    """
    health: dict[str, Any] = check_store() | check_database() | check_broker()
    if health["database"] == OK and health["store"] != FAILED:
        health |= check_marker()
    states = {health[key] for key in ("store", "database")}
    is_degraded = health["broker"] == FAILED or health["store"] == LOW or not is_working(health)
    worst = FAILED if FAILED in states else "degraded" if is_degraded else OK
    return {"status": worst} | health


def is_working(health: Mapping[str, Any]) -> bool:
    """Whether tick and every worker have reported lately; jobs in the request need neither."""
    ages = [(health[name], limit) for name, limit in ALARM_SECONDS.items()]
    are_new = all(age is not None and age <= most for age, most in ages)
    return settings.POOLBENCH_INLINE or (are_new and not health["silent_workers"])


def check_store() -> dict[str, Any]:
    """Write real bytes to the store, read them back, and tell the free space."""
    probe, is_away = f"health-{uuid4().hex}.part", False
    try:
        works = write_and_read_back(probe)
        free = store.get_storage().count_free_bytes()
    except Exception as error:  # each storage raises its own
        is_away = isinstance(error, StoreAwayError)
        reason = "store_fault" if isinstance(error, OtherStoreError) else "store_error"
        return {"store": FAILED, "store_free_bytes": None, reason: str(error)}
    finally:
        if not is_away:  # which takes seconds to find out each time
            with suppress(Exception):  # the store has been reported as failed
                store.remove_blob(probe)
    is_low = free is not None and free < LOW_BYTES
    state = FAILED if not works else LOW if is_low else OK
    return {"store": state, "store_free_bytes": free}


def check_marker() -> dict[str, Any]:
    """Whether the store that works is the installation's; the reason is for everybody."""
    try:
        fault = find_store_fault()
    except (DatabaseError, StoreAwayError) as error:
        return {"store": FAILED, "store_error": str(error)}
    return {"store": FAILED, "store_fault": fault} if fault else {}


def write_and_read_back(probe: str) -> bool:
    data = os.urandom(PROBE_BYTES)
    store.get_storage().put(probe, data, synced=True)
    return store.get_blob(probe) == data


def check_database() -> dict[str, Any]:
    """Whether rows can be read; the ages that they tell are null otherwise."""
    state: dict[str, Any] = {"database": OK}
    try:
        job = oldest_waiting_job()
        now = read_clock()
        rows = list(ProcessHeartbeat.objects.order_by("at").values_list("process", "at"))
    except DatabaseError as error:
        rows, job, now = [], None, timezone.now()
        state = {"database": FAILED, "database_error": str(error)}
    beats, limit = dict(rows), ALARM_SECONDS["newest_worker_seconds"]
    workers = [at for process, at in rows if process == ProcessHeartbeat.Process.WORKER]
    silent = [at for at in workers if (now - at).total_seconds() > limit]
    return state | {
        "oldest_queued_job_seconds": count_seconds(job.created_at if job else None, now),
        "newest_tick_seconds": count_seconds(beats.get(ProcessHeartbeat.Process.TICK), now),
        "newest_worker_seconds": count_seconds(beats.get(ProcessHeartbeat.Process.WORKER), now),
        "silent_workers": len(silent),
    }


def count_seconds(since: datetime | None, until: datetime) -> int | None:
    return None if since is None else round((until - since).total_seconds())


def check_broker() -> dict[str, Any]:
    """Whether the broker takes a connection."""
    app = import_string(settings.CELERY_APP_PATH)
    try:
        with app.connection_for_write(connect_timeout=BROKER_SECONDS) as connection:
            connection.ensure_connection(
                max_retries=1, interval_start=0, interval_step=0, timeout=BROKER_SECONDS
            )
    except Exception as error:  # each transport raises its own
        return {"broker": FAILED, "broker_error": str(error)}
    return {"broker": OK}
