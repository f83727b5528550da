"""The Celery application: it carries jobs, whose ``Job`` rows are authoritative."""

import logging
import os
import signal
from contextlib import suppress
from threading import Event, Thread
from typing import Any

from celery import Celery
from celery.signals import (
    task_postrun,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutdown,
)

from workbench.memory import collect_garbage, return_freed_memory, set_aside_loaded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
app = Celery("workbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
shutting_down = Event()
log = logging.getLogger(__name__)
WATCH_SECONDS = 30.0


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
    Thread(target=leave_other_store, daemon=True).start()


def leave_other_store() -> None:
    """End this worker once its store is another, as when a file system is no longer mounted: it
    would take jobs from workers that can do them, and give back each.
    """
    from django.db import DatabaseError, connection

    from campaigns.services.store_marker import find_store_fault
    from campaigns.storages import StoreAwayError

    while not shutting_down.wait(WATCH_SECONDS):
        try:
            fault = find_store_fault()
        except (DatabaseError, StoreAwayError, OSError):
            continue  # away, which it can wait for
        finally:
            connection.close()
        if fault:
            log.error("the worker ends: %s", fault)
            os.kill(os.getpid(), signal.SIGTERM)
            return


@worker_process_init.connect
def set_memory_limits(**_signal: Any) -> None:
    set_aside_loaded()
    return_freed_memory()


@task_postrun.connect
def release_memory(**_signal: Any) -> None:
    collect_garbage()


@worker_shutdown.connect
def end_heartbeat(sender: Any, **_signal: Any) -> None:
    from django.db import DatabaseError

    from campaigns.models import ProcessHeartbeat
    from campaigns.services.heartbeats import remove_heartbeat

    shutting_down.set()
    with suppress(DatabaseError):  # missed for an hour then
        remove_heartbeat(ProcessHeartbeat.Process.WORKER, sender.hostname)
