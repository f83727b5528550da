"""The job that the page *Pools* shows: a large pool that is frozen, or its preview."""

from typing import TypeGuard

from django.urls import reverse

from campaigns.models import Campaign, Job
from campaigns.views.helpers import SignedInRequest, read_digits
from pooling.services.freeze import FREEZE
from pooling.services.previews import PREVIEW


def find_pool_job(request: SignedInRequest, campaign: Campaign) -> dict[str, object]:
    """The pool or preview just requested, otherwise the pool that is being frozen."""
    requested = get_requested_job(request, campaign)
    job = requested or campaign.jobs.filter(kind=FREEZE).first()
    if job is None or is_stored_preview(job) or (job.is_over and job != requested):
        return {}
    return {
        "job": job,
        "job_url": reverse("job", args=[campaign.slug, job.pk]),
        "job_label": "Pool preview" if job.kind == PREVIEW else "Pool",
        "done_url": job.result.get("url", ""),
    }


def get_requested_job(request: SignedInRequest, campaign: Campaign) -> Job | None:
    """The one in the address."""
    number = read_digits(request.GET.get("job", "")) or 0
    return campaign.jobs.filter(kind__in=(FREEZE, PREVIEW), pk=number).first()


def is_stored_preview(job: Job | None) -> TypeGuard[Job]:
    return job is not None and job.kind == PREVIEW and job.state == Job.State.DONE
