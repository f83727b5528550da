"""Jobs in parts, whose messages to workers a test delivers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from campaigns.models import Job, JobPart
from campaigns.services import job_parts, jobs

Messages = list[tuple[int, int]]


def collect_messages(monkeypatch: pytest.MonkeyPatch) -> Messages:
    """The job and the number of each part that is sent to workers from now on."""
    messages: Messages = []

    def note(row: Job | JobPart, **_options: object) -> None:
        if isinstance(row, JobPart):
            messages.append((row.job_id, row.number))

    monkeypatch.setattr(jobs, "send_on_commit", note)
    return messages


def collect_numbers(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The number of each part that is sent to workers from now on, and None for each job."""
    numbers: list[int | None] = []
    monkeypatch.setattr(
        jobs, "send_on_commit", lambda row, **_: numbers.append(getattr(row, "number", None))
    )
    return numbers


def perform_in_parts(job: Job, handler: Callable[[Job], None], messages: Messages) -> Job:
    """The job after its parts, the last of them first, and its finish."""
    jobs.perform_job(job.pk, handler)
    job.refresh_from_db()
    assert (job.state, job.done) == ("running", 0), (job.state, job.done, job.error)
    for message in reversed(messages):
        job_parts.perform_part(*message)
    jobs.perform_job(job.pk, handler)
    job.refresh_from_db()
    return job
