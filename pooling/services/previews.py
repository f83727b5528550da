"""Previews of large pools: a job computes them, since they take a gigabyte of memory."""

from collections.abc import Sequence

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, Run, User
from campaigns.rules import require_permission
from campaigns.services import jobs
from poolbench.pooling.spec import PoolSpec, hash_inputs
from poolbench.pooling.spec_file import build_spec
from pooling.queries.inputs import check_spec, describe_inputs, get_poolable_runs
from pooling.queries.pools import latest_pool_version
from pooling.queries.preview import PoolPreview, preview_pool, read_preview, store_preview

PREVIEW = "pooling.preview"
"""The kind of the jobs."""


def request_preview(
    *, actor: User, campaign: Campaign, spec: PoolSpec, runs: Sequence[Run], seconds: float
) -> Job:
    """Queue the preview of a large pool; ``seconds`` are for its page."""
    require_permission(actor, "campaigns.manage", campaign)
    check_spec(campaign, spec)
    pooled = [run.pk for run in get_poolable_runs(campaign, runs)]
    with transaction.atomic():
        return jobs.enqueue_once(
            campaign=campaign, kind=PREVIEW, actor=actor,
            spec=spec.as_dict(), runs=pooled, seconds=seconds,
        )  # fmt: skip


def compute_requested_preview(job: Job) -> None:
    """The handler of ``pooling.preview``."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    campaign, spec = job.campaign, build_spec(job.args["spec"])
    runs = get_poolable_runs(campaign, campaign.runs.filter(pk__in=job.args["runs"]))
    basis = hash_basis(campaign, spec, runs)
    preview = preview_pool(actor=job.created_by, campaign=campaign, spec=spec, runs=runs)
    jobs.finish_job_once(job, basis=basis, preview=store_preview(preview))


def hash_basis(campaign: Campaign, spec: PoolSpec, runs: Sequence[Run]) -> str:
    """Of what a preview is: where this has changed, it is no longer the preview of the pool."""
    inputs = describe_inputs(campaign, spec, runs)
    return hash_inputs(inputs | {"after": latest_pool_version(campaign)})


def load_preview(job: Job) -> PoolPreview | None:
    """That of a job that is done; None if the pool would be another one by now."""
    campaign, spec = job.campaign, build_spec(job.args["spec"])
    preview = read_preview(campaign, spec, job.result["preview"])
    if preview is None or job.result["basis"] != hash_basis(campaign, spec, preview.runs):
        return None
    return preview


def find_preview(campaign: Campaign, spec: PoolSpec, runs: Sequence[Run]) -> PoolPreview | None:
    """The last preview of the pool of ``runs`` by ``spec``, if one was made and is still true."""
    wanted = {"spec": spec.as_dict(), "runs": sorted(run.pk for run in runs)}
    done = campaign.jobs.filter(kind=PREVIEW, state=Job.State.DONE)
    for pk, args in done.values_list("pk", "args"):
        if {"spec": args["spec"], "runs": sorted(args["runs"])} == wanted:
            return load_preview(done.get(pk=pk))
    return None


def describe_missing_preview() -> ActionRefused:
    """Why there is no preview of a large pool."""
    message = "Runs or pools have changed since the preview."
    return ActionRefused("no-preview", message, "Preview the pool again.")
