"""Celery tasks. Each performs one job, given by its ID."""

from celery import shared_task

from campaigns.services import jobs
from pooling.services.freeze import FREEZE, freeze_requested_pool
from pooling.services.previews import PREVIEW, compute_requested_preview


@shared_task(name=FREEZE)
def freeze_task(job_id: int) -> None:
    jobs.perform_job(job_id, freeze_requested_pool)


@shared_task(name=PREVIEW)
def preview_task(job_id: int) -> None:
    jobs.perform_job(job_id, compute_requested_preview)
