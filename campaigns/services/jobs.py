"""Background work: the Job row is authoritative, Celery only carries its ID.

A job may be delivered twice, or lost with its worker: ``perform_job`` claims it by a
conditional update, and ``requeue_lost_jobs`` requeues those without a recent heartbeat. So every
handler writes its results and calls ``finish_job`` in one transaction, and is safe to run twice.

A worker that does not find a file, or the store, gives its job back: another may see it.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import cache
from threading import Event, Lock, Thread
from typing import Any, TypeVar

from celery import current_task
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError as BrokerError

from campaigns.errors import ActionRefused, is_database_busy, is_database_lost
from campaigns.models import Campaign, Job, JobPart, User
from campaigns.queries.clock import read_clock
from campaigns.storages import is_store_away
from campaigns.store import MissingFileError

log = logging.getLogger(__name__)
BEAT_SECONDS = 10.0
STALE_AFTER = timedelta(seconds=40)
"""So long after its last heartbeat the worker of a job is taken for dead."""
UNSENT_AFTER = timedelta(minutes=2)
"""So long after it was sent, a job that still waits is sent again: its message may be lost."""
MAX_ATTEMPTS = 3
CLAIMS = 120
"""So often a message comes again while there is no database, some ten minutes; then work waits for
a sweep."""
SHORTEST_WAIT, LONGEST_WAIT = timedelta(seconds=5), timedelta(minutes=5)
"""Before work that was given back is tried again: as long as it has waited already."""
GIVEN_UP_AFTER = timedelta(hours=1)
"""Work that has been given back for so long fails."""
LARGE = "large"
"""Among the arguments of a job: it takes longer than others of its kind."""
TOO_LONG = (
    "Stopped at the time limit for work of this kind. Ask for less at once, or ask the operator to "
    "raise the limit (POOLBENCH_JOB_SECONDS and the like)."
)
DIED = "Failed after {} attempts: the worker died or lost the database each time."
PERFORM_PART = "campaigns.perform_part"
LONG_AGO = datetime.min.replace(tzinfo=UTC)
R = TypeVar("R", Job, JobPart)
_inline: ContextVar[bool] = ContextVar("inline", default=False)
_loading_tasks = Lock()


@contextmanager
def run_jobs_inline() -> Iterator[None]:
    """Within this block, jobs run in this process: for scripts that build a campaign."""
    token = _inline.set(True)
    try:
        yield
    finally:
        _inline.reset(token)


def is_inline() -> bool:
    """Whether jobs run in this process."""
    return settings.POOLBENCH_INLINE or _inline.get()


def enqueue(*, campaign: Campaign, kind: str, actor: User | None, **args: Any) -> Job:
    """Create a job and send it to a worker once this transaction has committed.

    ``kind`` is the name of a registered Celery task that takes the job's ID.
    """
    job = create_job(campaign=campaign, kind=kind, actor=actor, **args)
    send_on_commit(job)
    return job


def create_job(*, campaign: Campaign, kind: str, actor: User | None, **args: Any) -> Job:
    """A queued job that is not sent to a worker: the caller runs it with ``run_here``.

    If this process dies before that, ``requeue_lost_jobs`` sends it to a worker.
    """
    return Job.objects.create(campaign=campaign, kind=kind, args=args, created_by=actor)


def enqueue_once(*, campaign: Campaign, kind: str, actor: User | None, **args: Any) -> Job:
    """The unfinished job of that kind with the same ``args``, or a new one.

    ``args`` are plain JSON. Call it in a transaction.
    """
    # Locked, so that of two concurrent requests the second finds the job of the first.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    states = (Job.State.QUEUED, Job.State.RUNNING)
    under_way = campaign.jobs.filter(kind=kind, state__in=states)
    same = next((job for job in under_way if job.args == args), None)
    return same or enqueue(campaign=campaign, kind=kind, actor=actor, **args)


def send_on_commit(row: Job | JobPart, *, wait: timedelta = timedelta()) -> None:
    """Dispatch after commit. If the broker is down, that is logged and the work requeued later."""
    transaction.on_commit(lambda: dispatch_work(row, wait=wait), robust=True)


def dispatch_work(row: Job | JobPart, *, wait: timedelta = timedelta()) -> None:
    """Send the work to a worker, or do it here if the installation is inline. What has to
    wait is then left to the tick.
    """
    if not is_inline():
        send_task(row, wait)
    elif not wait:
        call_task(row)


def send_task(row: Job | JobPart, wait: timedelta) -> None:
    """Send a message of the work to the queue of its kind, or if its job is large to the ordinary
    one; a worker begins it after ``wait``. If the broker takes no message, a line of the log is
    all: the row waits for a sweep.
    """
    job, (task, args) = get_job(row), name_task(row)
    queue = settings.CELERY_TASK_ROUTES.get(job.kind, {}).get("queue")
    if queue is None or job.args.get(LARGE):
        queue = settings.CELERY_TASK_DEFAULT_QUEUE
    app = import_string(settings.CELERY_APP_PATH)
    # That of the queue, not that of the kind.
    limit = settings.CELERY_TASK_SOFT_TIME_LIMIT if job.args.get(LARGE) else None
    options = {"countdown": wait.total_seconds() or None, "soft_time_limit": limit}
    try:
        app.send_task(task, args=args, queue=queue, **options)
    except (BrokerError, OSError) as error:
        log.warning("the broker did not take %s%s: %s", task, args, error)


def get_job(row: Job | JobPart) -> Job:
    return row.job if isinstance(row, JobPart) else row


def name_task(row: Job | JobPart) -> tuple[str, tuple[int, ...]]:
    """The Celery task that does the work, and its arguments."""
    if isinstance(row, JobPart):
        return PERFORM_PART, (row.job_id, row.number)
    return row.kind, (row.pk,)


def load_tasks() -> Any:
    """The Celery application with the tasks of all apps, which only workers load themselves.

    Web processes call this before their first request. The lock is for all others: while one
    thread fills the registry, a second must not look for its task in it.
    """
    with _loading_tasks:
        return _load_tasks(settings.CELERY_APP_PATH)


@cache
def _load_tasks(app_path: str) -> Any:
    app = import_string(app_path)
    app.loader.import_default_modules()
    return app


def call_task(row: Job | JobPart) -> None:
    """Do the work in this process."""
    task, args = name_task(row)
    load_tasks().tasks[task](*args)


def run_here(job: Job) -> Job:
    """Perform a queued job in this process; harmless if a worker has already claimed it.

    The job is stored already: if this process cannot run it, a worker gets it, and the caller
    is not told of an error.
    """
    try:
        call_task(job)
    except Exception:
        log.exception("job %s (%s) could not run here; sending it to a worker", job.pk, job.kind)
        send_on_commit(job)
    job.refresh_from_db()
    return job


def perform_job(job_id: int, handler: Callable[[Job], None]) -> None:
    """Claim the job, run ``handler`` on it, and record the outcome."""
    with keep_message():
        job = claim_job(job_id)
    if job is None:
        return
    try:
        with keep_heartbeat(job):
            handler(job)
    except Exception as error:
        settle_error(job, error, fail_job)


def settle_error(row: R, error: Exception, fail: Callable[[R, str], None]) -> None:
    """What becomes of work that ``error`` has ended; call it where the error is handled. Without
    the database it is left to the sweep, as that of a worker that has died.
    """
    if is_database_lost(error):
        log.warning("%s lost the database: %s", describe_work(row), str(error).strip())
    elif not return_work(row, error):
        fail(row, explain_failure(get_job(row), error))


def describe_work(row: Job | JobPart) -> str:
    """The work, in the lines of the log."""
    job = get_job(row)
    part = f"part {row.number} of " if isinstance(row, JobPart) else ""
    return f"{part}job {job.pk} ({job.kind})"


def claim_job(job_id: int) -> Job | None:
    """The job, now of this worker alone; None if it is another's or over."""
    now = read_clock()
    claimed = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING, heartbeat=now, attempts=F("attempts") + 1
    )
    related = Job.objects.select_related("campaign", "created_by")
    return related.get(pk=job_id) if claimed else None


@contextmanager
def keep_message() -> Iterator[None]:
    """A worker that loses the database as it claims work has written nothing: the message comes
    again in some seconds.
    """
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        in_message = current_task and not current_task.request.called_directly
        if not in_message or (not is_database_lost(error) and not is_database_busy(error)):
            raise
        log.warning("%s lost the database before it began", current_task.name)
        wait = SHORTEST_WAIT.total_seconds()
        raise current_task.retry(exc=error, countdown=wait, max_retries=CLAIMS) from error


def explain_failure(job: Job, error: Exception) -> str:
    """What to say of the error that has ended the work; call it where the error is handled."""
    if absence := find_absence(error):
        hours = GIVEN_UP_AFTER.total_seconds() / 3600
        fix = "" if is_database_busy(error) else " `manage.py check_store` lists the missing files."
        return f"No worker could do this for {hours:g} h: {absence}.{fix}"
    if isinstance(error, ActionRefused):
        return str(error)
    if isinstance(error, SoftTimeLimitExceeded):
        log.warning("job %s (%s) reached its time limit", job.pk, job.kind)
        return TOO_LONG
    log.exception("job %s (%s) failed", job.pk, job.kind)
    return "Internal error. See the worker log for details."


def find_absence(error: BaseException | None) -> str:
    """What this process did not find that another may see, or could not lock now, in words; "" if
    the error is another.
    """
    while isinstance(error, ActionRefused):
        error = error.__cause__
    if is_database_busy(error):
        return "Other processes kept the database busy"
    is_absent = isinstance(error, MissingFileError) or is_store_away(error)
    return str(error) if is_absent else ""


def return_work(row: Job | JobPart, error: Exception) -> bool:
    """Queue the work again if ``error`` is that a file was not found, or the store, or that the
    database was busy. False if it is another, or the job has waited for too long.
    """
    job, absence = get_job(row), find_absence(error)
    wait = choose_wait(job.waiting_since) if absence else None
    if wait is None:
        return False
    log.warning("%s was given back: %s", describe_work(row), absence)
    now, state = read_clock(), row.State
    with transaction.atomic():
        rows = type(row).objects.filter(pk=row.pk, state=state.RUNNING, attempts=row.attempts)
        # The claim is no failed attempt. The sweep counts from when the job is to be tried again.
        attempts, due = F("attempts") - 1, now + wait
        if rows.update(state=state.QUEUED, attempts=attempts, heartbeat=due):
            since = job.waiting_since or now
            Job.objects.filter(pk=job.pk).update(waiting_for=absence, waiting_since=since)
            send_on_commit(row, wait=wait)
    return True


def choose_wait(since: datetime | None) -> timedelta | None:
    """How long work waits that was given back, for the first time at ``since``; None if it is to
    fail.
    """
    waited = read_clock() - since if since else timedelta()
    return None if waited >= GIVEN_UP_AFTER else min(LONGEST_WAIT, max(SHORTEST_WAIT, waited))


@contextmanager
def keep_heartbeat(row: Job | JobPart) -> Iterator[None]:
    """Send heartbeats during the work, so that a long step never looks like a dead worker."""
    over = Event()
    thread = Thread(target=send_heartbeat, args=[row, over], daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def send_heartbeat(row: Job | JobPart, over: Event) -> None:
    rows = type(row).objects
    mine = rows.filter(pk=row.pk, state=row.State.RUNNING, attempts=row.attempts)
    while not over.wait(BEAT_SECONDS):
        try:
            mine.update(heartbeat=read_clock())
        except DatabaseError:
            log.warning("%r could not send its heartbeat", row, exc_info=True)
        finally:
            connection.close()


def report_progress(job: Job, done: int, total: int) -> None:
    """Record the progress of the job; this is also its heartbeat."""
    Job.objects.filter(pk=job.pk).update(done=done, of=total, heartbeat=read_clock())


def finish_job(job: Job, **result: Any) -> None:
    """Mark the job done. Call it in the transaction that writes the job's results."""
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.DONE, result=result, done=F("of"), finished_at=timezone.now(),
        waiting_for="", waiting_since=None,
    )  # fmt: skip
    JobPart.objects.filter(job=job.pk).delete()


def finish_job_once(job: Job, **result: Any) -> None:
    """Mark the job done unless it is: a worker presumed dead may finish after its successor."""
    with transaction.atomic():
        if Job.objects.select_for_update().get(pk=job.pk).state != Job.State.DONE:
            finish_job(job, **result)


def fail_job(job: Job, error: str) -> None:
    """Mark the job failed, unless another worker has taken it over or finished it."""
    mine = Job.objects.filter(pk=job.pk, state=job.state, attempts=job.attempts)
    if mine.update(state=Job.State.FAILED, error=error, finished_at=timezone.now()):
        JobPart.objects.filter(job=job.pk).delete()


def requeue_lost_jobs(death: datetime | None = None) -> int:
    """Requeue the jobs whose worker has died; return how many. Run it often.

    What was sent before ``death`` of a worker and waits is sent again: the message may be lost.
    """
    now = read_clock()
    sent_before = max(now - UNSENT_AFTER, death or LONG_AGO)
    # A job in parts is as alive as they are.
    in_parts = JobPart.objects.filter(job=OuterRef("pk")).exclude(state=JobPart.State.DONE)
    lost = Job.objects.filter(
        Q(~Exists(in_parts), state=Job.State.RUNNING, heartbeat__lt=now - STALE_AFTER)
        | Q(state=Job.State.QUEUED, heartbeat__lt=sent_before)
        | Q(state=Job.State.QUEUED, created_at__lt=sent_before, heartbeat=None)
    )
    requeued = 0
    for job in lost:
        # A job in parts is claimed twice: to divide the work, and to finish it.
        claims = MAX_ATTEMPTS + job.parts.exists()
        if job.attempts >= claims and job.state == Job.State.RUNNING:
            fail_job(job, DIED.format(job.attempts))
        elif requeue_work(job):
            requeued += 1
    return requeued


def requeue_work(row: Job | JobPart) -> bool:
    """Requeue by compare-and-swap, so that concurrent sweeps requeue lost work once."""
    seen: dict[str, Any] = {"state": row.state, "heartbeat": row.heartbeat}
    rows = type(row).objects.filter(pk=row.pk, **seen)
    with transaction.atomic():
        won = rows.update(state=row.State.QUEUED, heartbeat=read_clock())
        if won:
            send_on_commit(row)
    return bool(won)
