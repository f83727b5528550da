"""Jobs in parts: every part done once, the job finished once, whatever workers do meanwhile."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Job, JobPart
from campaigns.services import job_parts, jobs
from campaigns.services.job_parts import Share, perform_part
from campaigns.store import MissingFileError
from tests.world.parts import collect_numbers

KIND = "test.squares"


@pytest.fixture
def sent(monkeypatch):
    """Messages to workers, which the tests deliver: a number of a part, or None for the job."""
    return collect_numbers(monkeypatch)


@pytest.fixture
def job(campaign, organizer, monkeypatch):
    monkeypatch.setitem(job_parts._works, KIND, square)
    return Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)


def square(_job, args, report):
    report(0)
    return {"of": args["n"]}, {"values": np.array([args["n"] ** 2.0, np.nan])}


def handle(job: Job, shares=(1, 2, 3)) -> None:
    results = job_parts.share_work(job, lambda: [Share({"n": n}, 10) for n in shares])
    if results is not None:
        found = [[result.head["of"], result.columns["values"][0]] for result in results]
        jobs.finish_job_once(job, found=found)


def seen(job: Job) -> tuple:
    job.refresh_from_db()
    return job.state, job.done, job.of, job.parts.count()


def test_the_worker_of_the_last_part_queues_the_job_again_and_all_results_are_there(job, sent):
    jobs.perform_job(job.pk, handle)
    assert (seen(job), sent) == (("running", 0, 30, 3), [1, 2, 3])
    for number in (3, 1):
        perform_part(job.pk, number)
    assert (seen(job), sent) == (("running", 20, 30, 3), [1, 2, 3])
    perform_part(job.pk, 2)
    assert (seen(job), sent) == (("queued", 30, 30, 3), [1, 2, 3, None])
    jobs.perform_job(job.pk, handle)
    assert seen(job) == ("done", 30, 30, 0)
    assert job.result == {"found": [[1, 1], [2, 4], [3, 9]]}


def test_one_share_is_done_on_the_spot(job, sent):
    jobs.perform_job(job.pk, lambda mine: handle(mine, [4]))
    assert (seen(job), sent, job.result) == (("done", 10, 10, 0), [], {"found": [[4, 16]]})


def test_messages_delivered_twice_do_nothing_twice(job, sent, monkeypatch):
    jobs.perform_job(job.pk, handle)
    jobs.perform_job(job.pk, handle)
    done = []

    def count(job, args, report):
        done.append(args["n"])
        perform_part(job.pk, args["n"])  # as a second worker would during the work
        return square(job, args, report)

    monkeypatch.setitem(job_parts._works, KIND, count)
    for number in (1, 1, 2, 3, 3):
        perform_part(job.pk, number)
    assert (done, sent) == ([1, 2, 3], [1, 2, 3, None])
    jobs.perform_job(job.pk, handle)
    perform_part(job.pk, 1)
    assert seen(job) == ("done", 30, 30, 0)


def test_of_two_workers_that_think_a_part_theirs_the_later_claim_counts(job, sent, monkeypatch):
    jobs.perform_job(job.pk, handle)

    def sleep_too_long(job, args, report):
        monkeypatch.setitem(job_parts._works, KIND, square)
        job.parts.filter(number=1).update(heartbeat=timezone.now() - 2 * jobs.STALE_AFTER)
        assert (job_parts.requeue_lost_parts(), job_parts.requeue_lost_parts()) == (1, 0)
        perform_part(job.pk, 1)
        return {"of": -1}, {"values": np.array([-1.0])}

    monkeypatch.setitem(job_parts._works, KIND, sleep_too_long)
    for number in (1, 2, 3):
        perform_part(job.pk, number)
    assert (seen(job), sent) == (("queued", 30, 30, 3), [1, 2, 3, 1, None])
    jobs.perform_job(job.pk, handle)
    assert job.parts.count() == 0
    job.refresh_from_db()
    assert job.result["found"][0] == [1, 1]


def test_an_overtaken_worker_stops_at_its_next_step(job, sent, monkeypatch):
    monkeypatch.setattr(job_parts, "REPORT_SECONDS", 0)
    jobs.perform_job(job.pk, handle)
    steps = []

    def overtaken(job, args, report):
        report(0)
        job.parts.filter(number=1).update(attempts=2)
        steps.append("before")
        report(1)
        steps.append("after")

    monkeypatch.setitem(job_parts._works, KIND, overtaken)
    perform_part(job.pk, 1)
    assert (steps, seen(job)) == (["before"], ("running", 0, 30, 3))


@pytest.mark.parametrize(
    ("error", "said"),
    [(ActionRefused("no", "Not so.", "Do so."), "Not so. Do so."), (KeyError(1), "Internal error")],
)
def test_a_failed_part_fails_the_job_and_the_others_are_not_begun(
    job, sent, monkeypatch, error, said
):
    jobs.perform_job(job.pk, handle)
    perform_part(job.pk, 1)

    def fail(*_):
        raise error

    monkeypatch.setitem(job_parts._works, KIND, fail)
    perform_part(job.pk, 2)
    monkeypatch.setitem(job_parts._works, KIND, square)
    perform_part(job.pk, 3)
    assert (seen(job), sent) == (("failed", 10, 30, 0), [1, 2, 3])
    assert job.error.startswith(said)


def test_a_worker_that_dies_loses_its_part_alone(job, sent):
    jobs.perform_job(job.pk, handle)
    for number in (1, 2):
        perform_part(job.pk, number)
    dead = {"state": JobPart.State.RUNNING, "attempts": 1}
    job.parts.filter(number=3).update(**dead, heartbeat=timezone.now() - jobs.STALE_AFTER)
    Job.objects.update(heartbeat=timezone.now() - timedelta(hours=1))
    assert (jobs.requeue_lost_jobs(), job_parts.requeue_lost_parts()) == (0, 1)
    assert sent == [1, 2, 3, 3]
    perform_part(job.pk, 3)
    jobs.perform_job(job.pk, handle)
    assert seen(job)[0] == "done"


def test_a_part_whose_workers_all_die_fails_the_job(job, sent):
    jobs.perform_job(job.pk, handle)
    dead = {"state": JobPart.State.RUNNING, "attempts": jobs.MAX_ATTEMPTS}
    job.parts.filter(number=3).update(**dead, heartbeat=timezone.now() - jobs.STALE_AFTER)
    assert job_parts.requeue_lost_parts() == 0
    assert (seen(job), job.error) == (("failed", 0, 30, 0), jobs.DIED.format(3))


def test_parts_whose_messages_are_lost_are_sent_again_if_their_job_stands_still(job, sent):
    jobs.perform_job(job.pk, handle)
    old = timezone.now() - 2 * jobs.UNSENT_AFTER
    job.parts.filter(number=1).update(state=JobPart.State.RUNNING)
    job.parts.exclude(number=1).update(heartbeat=old)
    assert job_parts.requeue_lost_parts() == 0
    job.parts.filter(number=1).update(state=JobPart.State.DONE)
    assert (job_parts.requeue_lost_parts(), sent) == (2, [1, 2, 3, 2, 3])


def test_a_job_whose_worker_died_before_it_queued_the_finish_is_finished(job, sent):
    jobs.perform_job(job.pk, handle)
    for number in (1, 2, 3):
        perform_part(job.pk, number)
    old = timezone.now() - 2 * jobs.STALE_AFTER
    Job.objects.update(state=Job.State.RUNNING, heartbeat=old)
    assert (jobs.requeue_lost_jobs(), sent) == (1, [1, 2, 3, None, None])
    jobs.perform_job(job.pk, handle)
    assert seen(job)[0] == "done"


def test_a_late_worker_does_not_divide_a_job_that_its_successor_has_divided(job, sent):
    Job.objects.update(state=Job.State.RUNNING, attempts=1)
    late = Job.objects.get()
    Job.objects.update(state=Job.State.QUEUED)
    jobs.perform_job(job.pk, handle)
    JobPart.objects.all().delete()
    handle(late)
    assert (seen(job), sent) == (("running", 0, 30, 0), [1, 2, 3])


def test_a_part_whose_file_this_worker_does_not_see_is_for_another(job, sent, monkeypatch):
    def look(*_args):
        raise MissingFileError("ab/c is not in the store")

    jobs.perform_job(job.pk, handle)
    with monkeypatch.context() as elsewhere:
        elsewhere.setitem(job_parts._works, KIND, look)
        perform_part(job.pk, 2)
    part = job.parts.get(number=2)
    assert (part.state, part.attempts, sent) == ("queued", 0, [1, 2, 3, 2])
    assert part.heartbeat > timezone.now()
    assert seen(job) == ("running", 0, 30, 3)
    assert job.waiting_for == "ab/c is not in the store"
    perform_part(job.pk, 2)
    assert seen(job) == ("running", 10, 30, 3)
    assert (job.waiting_for, job.waiting_since) == ("", None)
    Job.objects.update(waiting_since=timezone.now() - jobs.GIVEN_UP_AFTER)
    with monkeypatch.context() as elsewhere:
        elsewhere.setitem(job_parts._works, KIND, look)
        perform_part(job.pk, 3)
    assert seen(job)[0] == "failed"
    assert "ab/c is not in the store. `manage.py check_store`" in job.error
