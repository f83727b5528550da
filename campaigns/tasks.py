"""Celery tasks. Each performs one job by its ID."""

from celery import shared_task

from campaigns.services import (
    duplicates,
    job_parts,
    jobs,
    made_files,
    registration,
    runs,
    snapshots,
)


@shared_task(name="campaigns.check_run")
def check_run_task(job_id: int) -> None:
    jobs.perform_job(job_id, runs.perform_run_check)


@shared_task(name=jobs.PERFORM_PART)
def perform_part_task(job_id: int, number: int) -> None:
    job_parts.perform_part(job_id, number)


@shared_task(name=registration.KIND)
def register_collection_task(job_id: int) -> None:
    jobs.perform_job(job_id, registration.perform_registration)


@shared_task(name="campaigns.snapshot")
def snapshot_task(job_id: int) -> None:
    jobs.perform_job(job_id, snapshots.compute_snapshot)


@shared_task(name="campaigns.data_files")
def data_files_task(job_id: int) -> None:
    jobs.perform_job(job_id, made_files.make_data_files)


@shared_task(name=duplicates.GROUP)
def group_duplicates_task(job_id: int) -> None:
    jobs.perform_job(job_id, duplicates.group_campaign_duplicates)
