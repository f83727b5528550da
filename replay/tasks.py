"""Celery tasks. Each performs one job, given by its ID."""

from __future__ import annotations

from celery import shared_task

from campaigns.services import jobs
from replay.rehearsal import play_rehearsal


@shared_task(name="replay.rehearse")
def rehearse_task(job_id: int) -> None:
    jobs.perform_job(job_id, play_rehearsal)
