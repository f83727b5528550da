"""The work of a large job in parts, which any worker may take.

A handler asks for its results by ``share_work``. Small work is done on the spot. Larger work
becomes ``JobPart`` rows, each carried by a Celery task that says which row it means; the worker
that ends the last one queues the job again, and then the handler gets all results. Until
then the job is ``running``.

A part may be delivered twice, or lost with its worker: it is claimed by a conditional update, its
result counts only for the latest claim, and ``requeue_lost_parts`` sends those without a recent
heartbeat again. A part that fails fails its job, and then the remaining parts are not begun.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from campaigns.models import Job, JobPart
from campaigns.queries.clock import read_clock
from campaigns.services import jobs
from poolbench.runs.columnar import Columns, read_columns, write_columns

REPORT_SECONDS = 1.0
State = JobPart.State


@dataclass(frozen=True)
class Share:
    """``args`` (plain JSON) say what to do, ``steps`` how many of the job's steps that is."""

    args: Mapping[str, Any]
    steps: int = 1


@dataclass(frozen=True)
class ShareResult:
    """What was found for the share with these ``args``: plain JSON and arrays of one dimension."""

    args: Mapping[str, Any]
    head: Mapping[str, Any]
    columns: Columns


Report: TypeAlias = Callable[[int], None]
"""Takes the steps done so far. It raises ``PartTakenError`` once the work is of no use."""
Work: TypeAlias = Callable[[Job, Mapping[str, Any], Report], tuple[Mapping[str, Any], Columns]]
_works: dict[str, Work] = {}


class PartTakenError(Exception):
    """Another worker has taken the part over, or its job is over."""


def register_work(kind: str, work: Work) -> None:
    """Register what to do for a share of a job of that kind. It may be done twice."""
    _works[kind] = work


def share_work(
    job: Job, split: Callable[[], Sequence[Share]], further: int = 0
) -> list[ShareResult] | None:
    """The results of all shares, in order; None while parts are in progress, with which the
    handler has to end. ``further``: the steps of the job that the handler takes afterwards.
    """
    if job.parts.exclude(state=State.DONE).exists():
        return None
    if parts := list(job.parts.all()):
        return [read_result(part.args, part.result) for part in parts]
    shares = split()
    if len(shares) == 1:
        return [do_share(job, shares[0], further)]
    create_parts(job, shares, further)
    return None


def do_share(job: Job, share: Share, further: int) -> ShareResult:
    """The whole work of a job in this process."""

    def report(done: int) -> None:
        jobs.report_progress(job, done, share.steps + further)

    report(0)
    work = _works[job.kind](job, share.args, report_rarely(report))
    # Read back, so that no figure depends on whether the work was divided.
    return read_result(share.args, write_columns(*work))


def report_rarely(report: Report) -> Report:
    """``report`` at most once in ``REPORT_SECONDS``: a step may take a millisecond, a query too."""
    last = time.monotonic()

    def report_sometimes(done: int) -> None:
        nonlocal last
        if time.monotonic() - last >= REPORT_SECONDS:
            report(done)
            last = time.monotonic()

    return report_sometimes


def read_result(args: Mapping[str, Any], data: bytes | memoryview) -> ShareResult:
    head, columns, _ = read_columns(bytes(data))
    return ShareResult(args, head, columns)


def create_parts(job: Job, shares: Sequence[Share], further: int) -> None:
    """Store the parts and send them to workers, unless a successor has done so."""
    now = read_clock()
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts)
        if not mine.select_for_update().exists() or job.parts.exists():
            return
        steps = sum(share.steps for share in shares) + further
        mine.update(done=0, of=steps, heartbeat=now)
        parts = JobPart.objects.bulk_create(
            JobPart(job=job, number=number, args=share.args, steps=share.steps, heartbeat=now)
            for number, share in enumerate(shares, 1)
        )
        for part in parts:
            jobs.send_on_commit(part)


def perform_part(job_id: int, number: int) -> None:
    """Claim the part, do its share of the work, and store the result."""
    with jobs.keep_message():
        part = claim_part(job_id, number)
    if part is None:
        return
    job = part.job
    try:
        with jobs.keep_heartbeat(part):
            report = report_rarely(lambda _done: check_claim(part))
            work = _works[job.kind](job, part.args, report)
        finish_part(part, write_columns(*work))
    except PartTakenError:
        return
    except Exception as error:
        jobs.settle_error(part, error, fail_part)


def claim_part(job_id: int, number: int) -> JobPart | None:
    """The part, now of this worker alone; None if it is another's or no longer needed."""
    rows = JobPart.objects.filter(job=job_id, number=number)
    claimed = rows.filter(state=State.QUEUED, job__state=Job.State.RUNNING).update(
        state=State.RUNNING, heartbeat=read_clock(), attempts=F("attempts") + 1
    )
    related = rows.select_related("job__campaign", "job__created_by")
    return related.first() if claimed else None


def check_claim(part: JobPart) -> None:
    """Send a heartbeat; ``PartTakenError`` if the part is no longer of this worker."""
    mine = JobPart.objects.filter(pk=part.pk, state=State.RUNNING, attempts=part.attempts)
    if not mine.update(heartbeat=read_clock()):
        raise PartTakenError


def finish_part(part: JobPart, result: bytes) -> None:
    """Store the result of this claim, count its steps, and queue the job if it was the last."""
    now = read_clock()
    with transaction.atomic():
        lock_job(part)
        mine = JobPart.objects.filter(pk=part.pk, state=State.RUNNING, attempts=part.attempts)
        if not mine.update(state=State.DONE, result=result, heartbeat=now):
            return
        job = Job.objects.filter(pk=part.job_id)
        job.update(done=F("done") + part.steps, heartbeat=now, waiting_for="", waiting_since=None)
    # After the commit: of two workers that end at once, the later one sees both parts done.
    if not part.job.parts.exclude(state=State.DONE).exists():
        queue_finish(part.job)


def queue_finish(job: Job) -> None:
    """Queue the job, whose parts are done, unless another worker has done so."""
    with transaction.atomic():
        waiting = Job.objects.filter(
            pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts
        ).update(state=Job.State.QUEUED, heartbeat=read_clock())
        if waiting:
            jobs.send_on_commit(job)


def lock_job(part: JobPart) -> None:
    """Lock the job before any part: a part that fails removes all others, and would wait for the
    worker of one that ends, which waits for the job.
    """
    Job.objects.select_for_update(no_key=True).filter(pk=part.job_id).exists()


def fail_part(part: JobPart, error: str) -> None:
    """Fail the job, unless this worker has lost its claim."""
    with transaction.atomic():
        lock_job(part)
        # Locked, so that a sweep does not give the part to another worker now.
        mine = JobPart.objects.filter(pk=part.pk, state=State.RUNNING, attempts=part.attempts)
        if mine.select_for_update().exists():
            jobs.fail_job(part.job, error)


def requeue_lost_parts(death: datetime | None = None) -> int:
    """Requeue the parts whose worker has died; return how many. Run it often.

    What was sent before ``death`` of a worker and waits is sent again: the message may be lost.
    """
    now, requeued = read_clock(), 0
    under_way = JobPart.objects.filter(job__state=Job.State.RUNNING).select_related("job")
    for part in under_way.filter(state=State.RUNNING, heartbeat__lt=now - jobs.STALE_AFTER):
        if part.attempts >= jobs.MAX_ATTEMPTS:
            fail_part(part, jobs.DIED.format(part.attempts))
        else:
            requeued += jobs.requeue_work(part)
    for part in list_unsent_parts(now - jobs.UNSENT_AFTER, death or jobs.LONG_AGO):
        requeued += jobs.requeue_work(part)
    return requeued


def list_unsent_parts(before: datetime, death: datetime) -> Sequence[JobPart]:
    """Parts whose messages may be lost: they wait since ``before`` though no part of their job is
    being worked on, or since ``death`` of a worker.
    """
    running = JobPart.objects.filter(job=OuterRef("job"), state=State.RUNNING)
    waiting = JobPart.objects.filter(state=State.QUEUED, job__state=Job.State.RUNNING)
    unsent = ~Exists(running) & Q(heartbeat__lt=before)
    return list(waiting.filter(unsent | Q(heartbeat__lt=death)).select_related("job"))
