"""What jobs do when the database, the broker or the right time is lost."""

import sqlite3

import pytest
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, connection
from django.utils import timezone

from campaigns.models import Job
from campaigns.services import jobs
from workbench.error_pages import handle_server_error

KIND = "campaigns.check_run"


@pytest.fixture
def no_broker(settings, monkeypatch):
    """An installation whose broker is away."""
    settings.POOLBENCH_INLINE = False

    class Away:
        def send_task(self, *_args, **_options):
            raise ConnectionError("connection refused")

    monkeypatch.setattr(jobs, "import_string", lambda _path: Away())


def test_a_broker_that_is_away_costs_one_line_of_the_log(
    no_broker, campaign, organizer, caplog, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        jobs.enqueue(campaign=campaign, kind=KIND, actor=organizer)
    (line,) = caplog.records
    assert (line.levelname, line.exc_info) == ("WARNING", None)


@pytest.mark.parametrize("lost", [OperationalError, InterfaceError])
def test_a_job_that_loses_the_database_is_left_to_the_sweep(campaign, organizer, lost):
    """As when the database restarts, or a replica takes its place, in the middle of the work."""
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)

    def break_off(_job: Job) -> None:
        raise lost("the connection is closed")

    jobs.perform_job(job.pk, break_off)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.RUNNING, "")
    Job.objects.filter(pk=job.pk).update(heartbeat=timezone.now() - 2 * jobs.STALE_AFTER)
    assert jobs.requeue_lost_jobs() == 1
    jobs.perform_job(job.pk, lambda again: jobs.finish_job(again, attempts=again.attempts))
    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"attempts": 2})


def make_error(code: str, kind: type[DatabaseError] = OperationalError) -> DatabaseError:
    """As Django raises it from an error of the driver with that SQLSTATE, or SQLite's name."""
    error, cause = kind("as the server says it"), sqlite3.OperationalError()
    name = "sqlite_errorname" if code.startswith("SQLITE") else "sqlstate"
    setattr(cause, name, code)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "state", "status"),
    [
        (make_error("57P01"), "running", 503),  # restarts
        (make_error("08006"), "running", 503),
        (make_error("53300"), "running", 503),  # too many connections
        (make_error("25006", InternalError), "running", 503),  # still a replica
        (make_error("SQLITE_IOERR_WRITE"), "running", 503),
        (make_error("SQLITE_BUSY_SNAPSHOT"), "queued", 503),
        (make_error("40P01"), "queued", 503),  # deadlock
        (make_error("55P03"), "queued", 503),  # locked
        (make_error("SQLITE_ERROR"), "failed", 500),  # no such table
        (make_error("54001"), "failed", 500),  # too complex
    ],
    ids=lambda value: str(getattr(value, "__cause__", "") and vars(value.__cause__)),
)
def test_only_what_may_pass_is_tried_again(campaign, organizer, rf, error, state, status):
    """A server that is away is waited for, a lock too; a wrong statement is wrong each time."""
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)

    def break_off(_job: Job) -> None:
        raise error

    jobs.perform_job(job.pk, break_off)
    job.refresh_from_db()
    assert job.state == state
    assert job.waiting_for == ("Other processes kept the database busy" * (state == "queued"))
    try:
        raise error
    except DatabaseError:
        assert handle_server_error(rf.get("/api/runs/")).status_code == status


def test_a_worker_whose_clock_is_late_is_not_taken_for_dead(campaign, organizer, monkeypatch):
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)
    now = timezone.now
    if connection.vendor == "sqlite":  # where there is one machine
        monkeypatch.setattr(jobs, "read_clock", now)

    def sweep(mine: Job) -> None:
        jobs.report_progress(mine, 1, 2)
        monkeypatch.setattr(timezone, "now", now)
        assert jobs.requeue_lost_jobs() == 0
        jobs.finish_job(mine)

    monkeypatch.setattr(timezone, "now", lambda: now() - 2 * jobs.UNSENT_AFTER)
    jobs.perform_job(job.pk, sweep)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.DONE, "")
