"""Celery's entrances. Each performs one job by its number."""

from __future__ import annotations

from celery import shared_task

from campaigns.services import jobs, runs


@shared_task(name="campaigns.check_run")
def check_run(job_id: int) -> None:
    jobs.perform(job_id, runs.check_run)
