"""Who waits for whom in PostgreSQL: the workers of two parts must never wait in a ring."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from time import sleep

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from campaigns.models import Job, JobPart
from campaigns.services import job_parts, jobs

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgresql,
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer"),
]
WAIT, MEETING = 20, 0.3


def test_a_part_fails_while_another_ends(campaign, organizer, monkeypatch):
    """One has locked its part and is about to fail the job, the other has written its result."""
    job = Job.objects.create(
        campaign=campaign, kind="x", created_by=organizer, state="running", attempts=1, of=2
    )
    same = {"job": job, "state": "running", "attempts": 1, "heartbeat": timezone.now()}
    one, two = (JobPart.objects.create(**same, number=number) for number in (1, 2))
    both, fail, update = Barrier(2), jobs.fail_job, QuerySet.update

    def meet() -> None:
        with suppress(BrokenBarrierError):
            both.wait(MEETING)

    def meet_and_fail(*args):
        meet()
        fail(*args)

    def update_and_meet(rows, **values):
        changed = update(rows, **values)
        if values.get("state") == JobPart.State.DONE:
            meet()
            sleep(MEETING)
        return changed

    monkeypatch.setattr(jobs, "fail_job", meet_and_fail)
    monkeypatch.setattr(QuerySet, "update", update_and_meet)

    def act(do, part, outcome):
        try:
            do(JobPart.objects.select_related("job").get(pk=part.pk), outcome)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as others:
        failing = others.submit(act, job_parts.fail_part, one, "It cannot be done.")
        ending = others.submit(act, job_parts.finish_part, two, b"")
        assert (failing.result(WAIT), ending.result(WAIT)) == (None, None)
    job.refresh_from_db()
    assert (job.state, job.parts.count()) == ("failed", 0)
