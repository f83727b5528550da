"""Celery tasks. Each performs one job, given by its ID."""

from celery import shared_task

from campaigns.services import jobs
from evaluation.services.estimating import perform_estimate
from evaluation.services.scoring import evaluate_campaign


@shared_task(name="evaluation.evaluate")
def evaluate_task(job_id: int) -> None:
    jobs.perform_job(job_id, evaluate_campaign)


@shared_task(name="evaluation.estimate")
def estimate_task(job_id: int) -> None:
    jobs.perform_job(job_id, perform_estimate)
