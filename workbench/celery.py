"""The Celery application: it carries jobs, whose ``Job`` rows are authoritative."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Event
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
app = Celery("workbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
shutting_down = Event()


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
