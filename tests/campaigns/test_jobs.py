"""Jobs when things go wrong: no broker, a dead worker, a slow one, a check that breaks off."""

import gzip
import threading
from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Job, JobPart, Run
from campaigns.services import jobs, runs
from campaigns.services.run_files import SentFile, is_large
from campaigns.services.runs import latest_check_job, requeue_run_check, submit_run
from tests.world.files import run_form, run_text, upload
from tests.world.people import user
from workbench.worker_settings import LONG_KINDS, PAGE_KINDS

KIND = "campaigns.check_run"


def submitted(user, campaign, team):
    return submit_run(
        actor=user, campaign=campaign, team=team, data=run_text(), file_name="run.txt"
    )


@pytest.fixture
def no_broker(settings, monkeypatch):
    """An installation whose broker is away."""
    settings.POOLBENCH_INLINE = False

    class Away:
        def send_task(self, *_args, **_options):
            raise ConnectionError("nobody listens")

    monkeypatch.setattr(jobs, "import_string", lambda _path: Away())


def aged(job: Job, **more: object) -> None:
    old = timezone.now() - 2 * jobs.UNSENT_AFTER
    Job.objects.filter(pk=job.pk).update(created_at=old, **more)


def test_without_a_broker_the_row_is_written_and_nobody_is_told_of_an_error(
    no_broker, campaign, team, participant, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        run = submitted(participant, campaign, team)
    assert latest_check_job(run).state == Job.State.QUEUED


def test_the_same_is_not_queued_again_while_it_is_under_way(no_broker, campaign, organizer):
    def asked(kind="evaluation.collection", who=organizer, **args):
        with transaction.atomic():
            return jobs.enqueue_once(campaign=campaign, kind=kind, actor=who, **args)

    one = asked(qrels=1, names=["a", "b"])
    assert asked(qrels=1, names=["a", "b"], who=user("another")) == one
    others = [asked(qrels=2, names=["a", "b"]), asked(qrels=1, names=["b", "a"]), asked(qrels=1)]
    others.append(asked(kind="evaluation.simulation", qrels=1, names=["a", "b"]))
    assert one not in others
    Job.objects.filter(pk=one.pk).update(state=Job.State.RUNNING)
    assert asked(qrels=1, names=["a", "b"]) == one
    for over in (Job.State.DONE, Job.State.FAILED):
        Job.objects.filter(pk=one.pk).update(state=over)
        again = asked(qrels=1, names=["a", "b"])
        assert again != one
        again.delete()


def test_a_late_worker_does_not_change_what_its_successor_finished(campaign, organizer):
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)
    jobs.finish_job_once(job, number=1)
    jobs.finish_job_once(job, number=2)
    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"number": 1})


def test_a_job_that_the_sweep_could_not_send_is_swept_again(
    no_broker, campaign, team, participant, django_capture_on_commit_callbacks
):
    job = latest_check_job(submitted(participant, campaign, team))
    aged(job)
    with django_capture_on_commit_callbacks(execute=True):
        assert jobs.requeue_lost_jobs() == 1
    assert jobs.requeue_lost_jobs() == 0
    aged(job, heartbeat=timezone.now() - 2 * jobs.UNSENT_AFTER)
    assert jobs.requeue_lost_jobs() == 1


def test_a_worker_thought_dead_does_not_fail_the_job_of_its_successor(campaign, organizer):
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)

    def overtaken(mine: Job) -> None:
        Job.objects.filter(pk=mine.pk).update(state=Job.State.DONE, attempts=2)
        raise RuntimeError("too late")

    jobs.perform_job(job.pk, overtaken)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.DONE, "")


def test_a_job_at_its_time_limit_fails_and_says_what_to_do(campaign, organizer):
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)

    def too_long(_job: Job) -> None:
        raise SoftTimeLimitExceeded

    jobs.perform_job(job.pk, too_long)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.FAILED, jobs.TOO_LONG)


def test_each_kind_of_job_has_a_queue_and_a_time_limit():
    """A new kind is looked at here: does a page wait for it, does it take more than minutes?"""
    ordinary = {
        "campaigns.data_files", "campaigns.group_duplicates", "campaigns.perform_part",
        "evaluation.estimate", "evaluation.evaluate", "pooling.freeze",
    }  # fmt: skip
    found = {}
    for name, task in jobs.load_tasks().tasks.items():
        if not name.startswith("celery."):
            queue = settings.CELERY_TASK_ROUTES.get(name, {}).get("queue", "poolbench")
            found.setdefault((queue, task.soft_time_limit), set()).add(name)
    assert found == {
        ("poolbench-page", 600): set(PAGE_KINDS),
        ("poolbench", 3600): ordinary,
        ("poolbench-long", 6 * 3600): set(LONG_KINDS),
    }


def test_messages_go_to_the_queue_of_their_kind(campaign, organizer, settings, monkeypatch):
    settings.POOLBENCH_INLINE = False
    sent = []

    class Broker:
        def send_task(self, name, args, queue, **_options):
            sent.append((name, *args, queue))

    monkeypatch.setattr(jobs, "import_string", lambda _path: Broker())
    kinds = (KIND, "evaluation.evaluate", "replay.archive")
    made = [jobs.create_job(campaign=campaign, kind=kind, actor=organizer) for kind in kinds]
    made.append(jobs.create_job(campaign=campaign, kind=KIND, actor=organizer, large=True))
    for job in made:
        jobs.dispatch_work(job)
    jobs.dispatch_work(JobPart(job=made[2], number=4))
    queues = ["poolbench-page", "poolbench", "poolbench-long", "poolbench"]
    expected = [(job.kind, job.pk, queue) for job, queue in zip(made, queues, strict=True)]
    assert sent == [*expected, ("campaigns.perform_part", made[2].pk, 4, "poolbench-long")]


def test_the_check_of_a_large_run_is_not_before_what_pages_wait_for(
    no_broker, settings, campaign, team, participant
):
    settings.POOLBENCH_PAGE_CHECK_BYTES = 10
    job = latest_check_job(submitted(participant, campaign, team))
    assert job.args == {"run": job.args["run"], "large": True}


@pytest.mark.django_db(transaction=True)
def test_a_job_beats_during_one_long_step(campaign, organizer, monkeypatch):
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    job = Job.objects.create(campaign=campaign, kind=KIND, created_by=organizer)
    beats = []

    def slow(mine: Job) -> None:
        past = timezone.now() - timedelta(hours=1)
        Job.objects.filter(pk=mine.pk).update(heartbeat=past)
        for _ in range(500):
            found = Job.objects.get(pk=mine.pk).heartbeat
            if found != past:
                beats.append(found)
                return
            threading.Event().wait(0.01)

    jobs.perform_job(job.pk, slow)
    assert len(beats) == 1


def test_a_check_that_broke_off_can_be_asked_for_again(
    campaign, team, participant, rival, as_user, monkeypatch, django_capture_on_commit_callbacks
):
    run = submitted(participant, campaign, team)
    page, again = (reverse(n, args=[campaign.slug, run.pk]) for n in ("run", "run-check"))
    with pytest.raises(ActionRefused, match="did not fail"):
        requeue_run_check(actor=participant, run=run)
    with monkeypatch.context() as broken:
        broken.setattr(runs, "check_run_file", lambda *_a, **_o: 1 / 0)
        jobs.run_here(latest_check_job(run))
    assert latest_check_job(run).state == Job.State.FAILED
    assert again in as_user(participant).get(page).content.decode()
    assert as_user(rival).post(again).status_code == 404
    with django_capture_on_commit_callbacks(execute=True):
        assert as_user(participant).post(again).status_code == 302
    run.refresh_from_db()
    assert run.state == Run.State.ACCEPTED


def test_few_bytes_that_unpack_to_many_are_for_a_worker(
    settings, campaign, team, participant, as_user
):
    settings.POOLBENCH_CHECK_AT_ONCE_BYTES = 2_000
    data = gzip.compress(run_text(topics=[str(n) for n in range(500)]))
    small = gzip.compress(run_text())
    is_sent_to_worker = is_large(SentFile(data)), is_large(SentFile(small))
    assert (len(data) < 4_000, is_sent_to_worker) == (True, (True, False))
    as_user(participant).post(reverse("run-upload", args=[campaign.slug]), run_form(team, data))
    assert campaign.runs.get().state == Run.State.RECEIVED


def test_an_upload_to_the_api_is_not_read_when_it_is_too_large(
    settings, campaign, team, organizer, as_user
):
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 100
    for place in ("topics/import", "documents/import", "runs"):
        file = upload(b"1\tx\n" * 100)
        asked = {"campaign": campaign.slug, "team": team.name, "file": file}
        answer = as_user(organizer).post(f"/api/{place}/", asked)
        assert (answer.status_code, answer.json()["code"]) == (409, "too-large")
