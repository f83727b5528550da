"""Signs of life of the processes that do the background work: the tick and the workers."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event, Thread

from django.db import DatabaseError, connection

from campaigns.models import ProcessHeartbeat
from campaigns.queries.clock import read_clock
from campaigns.services.job_parts import requeue_lost_parts
from campaigns.services.jobs import STALE_AFTER, requeue_lost_jobs

log = logging.getLogger(__name__)
WORKER_BEAT_SECONDS = 10.0
MISSED = timedelta(hours=1)
"""For so long ``/health/`` misses a worker that ended without saying so."""
_suspicion = Event()
_chores: list[Callable[[], int]] = []


def record_heartbeat(process: ProcessHeartbeat.Process, name: str = "") -> None:
    """Note that the ``process`` called ``name`` is alive now."""
    now = {"at": read_clock()}
    ProcessHeartbeat.objects.update_or_create(process=process, name=name[:200], defaults=now)


def remove_heartbeat(process: ProcessHeartbeat.Process, name: str) -> None:
    """Note that the process has ended in order, so that it is not missed."""
    ProcessHeartbeat.objects.filter(process=process, name=name[:200]).delete()


def add_tick_chore(chore: Callable[[], int]) -> None:
    """Register what an app has to do every minute; apps do it when they are ready."""
    if chore not in _chores:
        _chores.append(chore)


def run_tick() -> int:
    """What must happen every minute; return how many jobs of dead workers were requeued.

    A chore that fails is logged and does not stop the others.
    """
    requeued = requeue_lost_work()
    for chore in _chores:
        try:
            chore()
        except Exception:
            log.exception("the chore %s of the tick failed", chore.__name__)
    record_heartbeat(ProcessHeartbeat.Process.TICK)
    ProcessHeartbeat.objects.filter(at__lt=read_clock() - MISSED).delete()
    return requeued


def requeue_lost_work(death: datetime | None = None) -> int:
    """Requeue jobs, and parts of jobs, whose worker has died; return how many.

    What waits since before the latest ``death`` of a worker, or of the broker, is sent again, once:
    its message may have been lost as the worker sent or took it.
    """
    death = death or find_latest_death()
    return requeue_lost_jobs(death) + requeue_lost_parts(death)


def find_latest_death() -> datetime | None:
    """When a worker was last found dead."""
    workers = ProcessHeartbeat.objects.filter(process=ProcessHeartbeat.Process.WORKER)
    dead = workers.filter(at__lt=read_clock() - STALE_AFTER).order_by("-at").first()
    return dead.at + STALE_AFTER if dead else None


def start_worker_heartbeat(name: str, *, until: Event) -> None:
    """Record the worker's heartbeat in a thread until the event is set, and look for the work of
    workers that have died.
    """
    Thread(target=_beat_until, args=[name, until], daemon=True).start()


def _beat_until(name: str, over: Event) -> None:
    is_first = True
    while True:
        try:
            record_worker_heartbeat(name, is_first=is_first)
            is_first = False
        except DatabaseError:
            log.warning("the worker could not record its heartbeat", exc_info=True)
        finally:
            connection.close()
        if over.wait(WORKER_BEAT_SECONDS):
            return


def record_worker_heartbeat(name: str, *, is_first: bool) -> None:
    """Record a heartbeat of the worker, and requeue lost work. Whose first one finds another by
    that ``name`` is in the place of a worker that has just died.
    """
    mine = ProcessHeartbeat.objects.filter(process=ProcessHeartbeat.Process.WORKER, name=name[:200])
    is_successor = is_first and mine.exists()
    record_heartbeat(ProcessHeartbeat.Process.WORKER, name)
    is_suspicious = _suspicion.is_set()
    _suspicion.clear()
    requeue_lost_work(read_clock() if is_successor or is_suspicious else None)


def report_lost_messages() -> None:
    """With its next heartbeat, this worker sends again all work that waits."""
    _suspicion.set()
