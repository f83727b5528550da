"""Celery tasks. Each performs one job, given by its ID."""

from celery import shared_task

from campaigns.services import jobs
from judging.services import model_judging


@shared_task(name=model_judging.KIND)
def judge_by_model_task(job_id: int) -> None:
    jobs.perform_job(job_id, model_judging.perform_model_judging)
