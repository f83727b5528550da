"""Celery tasks. Each performs one job, given by its ID."""

from celery import shared_task

from campaigns.services import jobs
from replay.archive.jobs import make_campaign_file
from replay.rehearsal import play_rehearsal


@shared_task(name="replay.archive")
def archive_task(job_id: int) -> None:
    jobs.perform_job(job_id, make_campaign_file)


@shared_task(name="replay.runs")
def runs_task(job_id: int) -> None:
    jobs.perform_job(job_id, make_campaign_file)


@shared_task(name="replay.overview")
def overview_task(job_id: int) -> None:
    jobs.perform_job(job_id, make_campaign_file)


@shared_task(name="replay.rehearse")
def rehearse_task(job_id: int) -> None:
    jobs.perform_job(job_id, play_rehearsal)
