"""Celery's entrances. Each performs one job by its number."""

from __future__ import annotations

from celery import shared_task

from campaigns.services import jobs
from evaluation import services


@shared_task(name="evaluation.evaluate")
def evaluate(job_id: int) -> None:
    jobs.perform(job_id, services.evaluate_campaign)


@shared_task(name="evaluation.collection")
def collection(job_id: int) -> None:
    jobs.perform(job_id, services.report_campaign)


@shared_task(name="evaluation.simulation")
def simulation(job_id: int) -> None:
    jobs.perform(job_id, services.simulate_campaign)
