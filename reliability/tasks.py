"""Celery tasks. Each performs one job, given by its ID."""

from celery import shared_task

from campaigns.services import jobs
from reliability.services.reusability import build_reusability_job
from reliability.services.simulation import simulate_campaign


# The names are those of jobs that may be queued: they stay when modules move.
@shared_task(name="evaluation.collection")
def collection_task(job_id: int) -> None:
    jobs.perform_job(job_id, build_reusability_job)


@shared_task(name="evaluation.simulation")
def simulation_task(job_id: int) -> None:
    jobs.perform_job(job_id, simulate_campaign)
