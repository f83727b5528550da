"""Figures computed by a job when their inputs change, so that no page waits for them.

An app registers a kind when it is ready. A page calls ``ensure_snapshot`` and shows the latest
figures with the time that they are of; where the inputs have changed since, or there are no
figures yet, a job is under way. The tick renews what pages have asked for before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from campaigns.models import Campaign, Job, Snapshot
from campaigns.services import jobs

log = logging.getLogger(__name__)
SNAPSHOT = "campaigns.snapshot"
"""The kind of the jobs; their argument is the name of the snapshot."""
REST = timedelta(minutes=10)
"""While a campaign is judged its inputs change all the time, and new figures take seconds."""


@dataclass(frozen=True)
class SnapshotKind:
    """``identify`` gives a short string that changes whenever one of the inputs does, within
    milliseconds; ``compute`` gives the figures as plain JSON, or raises ``ActionRefused``.
    ``is_renewed``: also by the tick, not only when a page asks for them.
    """

    name: str
    identify: Callable[[Campaign], str]
    compute: Callable[[Campaign], Any]
    is_renewed: bool = True


@dataclass(frozen=True)
class SnapshotState:
    """``data`` and ``computed_at`` are None before the first job has ended; ``job`` is under way
    or, where the last one failed for the same inputs, that one.
    """

    data: Any
    computed_at: datetime | None
    is_current: bool
    job: Job | None


_kinds: dict[str, SnapshotKind] = {}


def add_snapshot_kind(kind: SnapshotKind) -> None:
    _kinds[kind.name] = kind


def list_snapshot_names() -> list[str]:
    """In the order of the apps."""
    return list(_kinds)


def ensure_snapshot(*, campaign: Campaign, name: str) -> SnapshotState:
    """The latest figures called ``name``; if they are out of date, a job is queued once."""
    inputs = _kinds[name].identify(campaign)
    latest = campaign.snapshots.filter(name=name).first()
    job = None
    if latest is None or latest.inputs != inputs:
        job = _request_job(campaign, name, inputs)
        # Where jobs run in the request, they are there now.
        latest = campaign.snapshots.filter(name=name).first() if job.is_over else latest
    if latest is None:
        return SnapshotState(None, None, is_current=False, job=job)
    return SnapshotState(latest.data, latest.computed_at, latest.inputs == inputs, job)


def _request_job(campaign: Campaign, name: str, inputs: str) -> Job:
    args = {"name": name, "inputs": inputs}
    failed = campaign.jobs.filter(kind=SNAPSHOT, state=Job.State.FAILED, args=args).first()
    if failed is not None:
        return failed
    with transaction.atomic():
        job = jobs.enqueue_once(campaign=campaign, kind=SNAPSHOT, actor=None, **args)
    job.refresh_from_db()
    return job


def list_snapshot_jobs(campaign: Campaign) -> dict[str, Job]:
    """By name of the snapshot, the job that is under way."""
    states = (Job.State.QUEUED, Job.State.RUNNING)
    under_way = campaign.jobs.filter(kind=SNAPSHOT, state__in=states).order_by("-pk")
    return {job.args["name"]: job for job in under_way}


def compute_snapshot(job: Job) -> None:
    """The handler of ``campaigns.snapshot``: stores the figures of the moment. Of the jobs that
    have computed these figures, only this one is kept: while judging, they come by the minute.
    """
    name = job.args["name"]
    refresh_snapshot(campaign=job.campaign, name=name)
    jobs.finish_job_once(job)
    earlier = job.campaign.jobs.filter(kind=SNAPSHOT, args__name=name, pk__lt=job.pk)
    earlier.filter(state__in=(Job.State.DONE, Job.State.FAILED)).delete()


def refresh_snapshot(*, campaign: Campaign, name: str) -> Snapshot:
    """Compute and store the figures now, unless they are up to date."""
    kind = _kinds[name]
    # Before the figures: what changes during the work makes them out of date.
    inputs = kind.identify(campaign)
    latest = campaign.snapshots.filter(name=name).first()
    if latest is not None and latest.inputs == inputs:
        return latest
    computed_at = timezone.now()
    snapshot, _ = Snapshot.objects.update_or_create(
        campaign=campaign,
        name=name,
        defaults={"inputs": inputs, "data": kind.compute(campaign), "computed_at": computed_at},
    )
    return snapshot


def request_stale_snapshots() -> int:
    """Queue a job for each snapshot that is out of date; a chore of the tick. One that is younger
    than ``REST`` waits until its page is opened.
    """
    stale = 0
    rested = Snapshot.objects.filter(computed_at__lte=timezone.now() - REST)
    for latest in rested.select_related("campaign").iterator():
        kind = _kinds.get(latest.name)
        if kind is None or not kind.is_renewed:
            continue
        inputs = kind.identify(latest.campaign)
        if inputs != latest.inputs:
            _request_job(latest.campaign, latest.name, inputs)
            stale += 1
    return stale
