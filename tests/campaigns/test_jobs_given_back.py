"""Jobs whose file is not seen here, or whose store is away: given back, and tried again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from campaigns import store
from campaigns.models import Job, Run
from campaigns.services import jobs, runs
from campaigns.services.runs import latest_check_job
from campaigns.storages import StoreAwayError
from tests.campaigns.test_jobs import KIND, submitted


@pytest.fixture
def sent(settings, monkeypatch) -> list[float | None]:
    """The seconds after which each job is sent to a worker, instead of sending it."""
    settings.POOLBENCH_INLINE = False
    made: list[float | None] = []

    class Broker:
        def send_task(self, _kind, *, countdown, **_more):
            made.append(countdown)

    monkeypatch.setattr(jobs, "import_string", lambda _path: Broker())
    return made


@pytest.fixture
def unseen(sent, campaign, team, participant, django_capture_on_commit_callbacks):
    """A run whose file this machine does not have, and ``check()``, a worker's try."""
    run = submitted(participant, campaign, team)
    data = store.get_blob(run.file)
    store.remove_blob(run.file)

    def check() -> Job:
        with django_capture_on_commit_callbacks(execute=True):
            jobs.perform_job(latest_check_job(run).pk, runs.perform_run_check)
        return latest_check_job(run)

    return run, data, check


def test_a_worker_that_does_not_see_a_file_gives_the_job_back(unseen, sent, as_user):
    run, data, check = unseen
    before = timezone.now()
    job = check()
    assert (job.state, job.attempts, job.error) == (Job.State.QUEUED, 0, "")
    assert job.waiting_for == f"{run.file} is not in the store"
    assert job.waiting_since >= before
    assert sent == [5]
    page = as_user(run.submitted_by).get(run.get_absolute_url()).content.decode()
    assert f"Waiting, and tried again: {job.waiting_for}." in page
    assert store.put_blob(data, run.file[len("ab/") + 64 :]) == run.file
    job = check()
    run.refresh_from_db()
    assert (run.state, job.state, job.attempts) == (Run.State.ACCEPTED, Job.State.DONE, 1)
    assert (job.waiting_for, job.waiting_since) == ("", None)


@pytest.mark.parametrize(("waited", "wait"), [(7, 7), (100, 100), (1_000, 300), (3_500, 300)])
def test_it_waits_as_long_again_as_it_has_waited(unseen, sent, waited, wait):
    job = unseen[2]()
    since = timezone.now() - timedelta(seconds=waited)
    Job.objects.filter(pk=job.pk).update(waiting_since=since)
    job = unseen[2]()
    assert sent[1] == pytest.approx(wait, abs=2)
    assert job.waiting_since == since
    # Not lost before it is due, then swept like any other.
    assert jobs.requeue_lost_jobs() == 0
    Job.objects.filter(pk=job.pk).update(heartbeat=timezone.now() - 2 * jobs.UNSENT_AFTER)
    assert jobs.requeue_lost_jobs() == 1


def test_after_an_hour_it_fails_with_the_name_of_the_file(unseen, sent):
    run, _, check = unseen
    job = check()
    Job.objects.filter(pk=job.pk).update(waiting_since=timezone.now() - jobs.GIVEN_UP_AFTER)
    job = check()
    assert (job.state, len(sent)) == (Job.State.FAILED, 1)
    assert job.error == (
        f"No worker could do this for 1 h: {run.file} is not in the store. "
        "`manage.py check_store` lists the missing files."
    )


def test_a_store_that_is_away_is_waited_for_too(sent, campaign, organizer):
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)

    def read(_job: Job) -> None:
        raise StoreAwayError("the store is away: timeout")

    jobs.perform_job(job.pk, read)
    job.refresh_from_db()
    assert (job.state, job.waiting_for) == (Job.State.QUEUED, "the store is away: timeout")


def test_a_job_that_another_worker_has_taken_over_is_not_given_back(sent, campaign, organizer):
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)

    def overtaken(mine: Job) -> None:
        Job.objects.filter(pk=mine.pk).update(attempts=2)
        raise store.MissingFileError("ab/c is not in the store")

    jobs.perform_job(job.pk, overtaken)
    job.refresh_from_db()
    assert (job.state, job.attempts, sent) == (Job.State.RUNNING, 2, [])


def test_without_workers_it_waits_for_the_tick(
    settings, campaign, team, participant, django_capture_on_commit_callbacks
):
    """In the request that would check the run at once, nothing is tried over and over."""
    run = submitted(participant, campaign, team)
    store.remove_blob(run.file)
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.run_here(latest_check_job(run))
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
