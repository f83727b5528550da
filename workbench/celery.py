"""The Celery application: it carries jobs, whose ``Job`` rows are authoritative."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Event
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
app = Celery("workbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
shutting_down = Event()


@worker_init.connect
def refuse_other_store(**_signal: Any) -> None:
    """A worker that does not see the installation's files is of no use: it does not start."""
    from django.db import DatabaseError, connection

    from campaigns.errors import ActionRefused
    from campaigns.services.store_marker import require_own_store
    from campaigns.storages import StoreAwayError

    try:
        require_own_store()
    except (ActionRefused, DatabaseError, StoreAwayError, OSError) as error:
        raise SystemExit(f"The worker does not start. {error}") from error
    finally:
        connection.close()  # not shared with the processes that do the work


@worker_ready.connect
def start_heartbeat(sender: Any, **_signal: Any) -> None:
    """Each worker says that it is alive, busy or not; ``/health/`` reads it."""
    from campaigns.services.heartbeats import start_worker_heartbeat

    start_worker_heartbeat(sender.hostname, until=shutting_down)


@worker_shutdown.connect
def end_heartbeat(sender: Any, **_signal: Any) -> None:
    from django.db import DatabaseError

    from campaigns.models import ProcessHeartbeat
    from campaigns.services.heartbeats import remove_heartbeat

    shutting_down.set()
    with suppress(DatabaseError):  # missed for an hour then
        remove_heartbeat(ProcessHeartbeat.Process.WORKER, sender.hostname)
