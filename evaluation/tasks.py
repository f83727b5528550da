"""Celery tasks. Each performs one job, given by its ID."""

from __future__ import annotations

from celery import shared_task

from campaigns.services import jobs
from evaluation import services


@shared_task(name="evaluation.evaluate")
def evaluate_task(job_id: int) -> None:
    jobs.perform_job(job_id, services.evaluate_campaign)


@shared_task(name="evaluation.collection")
def collection_task(job_id: int) -> None:
    jobs.perform_job(job_id, services.build_reusability_job)


@shared_task(name="evaluation.simulation")
def simulation_task(job_id: int) -> None:
    jobs.perform_job(job_id, services.simulate_campaign)
