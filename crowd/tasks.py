"""Celery tasks. Each performs one job, given by its ID."""

from celery import shared_task

from campaigns.services import jobs
from crowd.services.key_sets import FETCH_TASK, perform_key_set_fetch


@shared_task(name=FETCH_TASK)
def fetch_key_set_task(job_id: int) -> None:
    jobs.perform_job(job_id, perform_key_set_fetch)
