"""The files of a registered collection, and those that the operator offers for it."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from campaigns.models import Campaign, Collection, Job
from campaigns.queries.collection_files import find_collection, list_registrable_files
from campaigns.queries.lists import get_campaign_for
from campaigns.services.registration import KIND, request_registration
from campaigns.views.helpers import SignedInRequest, campaign_url
from campaigns.views.pages import render_page
from poolbench.files.faults import FaultReport

FileRow = tuple[str, int, bool]
"""Name, bytes, and whether it is ticked."""


@require_http_methods(["GET", "POST"])
def collection_files_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """What is registered and what can be; a POST queues the registration of the files ``file``."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        names = request.POST.getlist("file")
        request_registration(actor=request.user, campaign=campaign, names=names)
        return redirect("collection-files", campaign.slug)
    collection = find_collection(campaign)
    job = campaign.jobs.filter(kind=KIND).first()
    # ``report``: why the latest registration was refused; ``can_register``: files are offered.
    page = {
        "campaign": campaign,
        "collection": collection,
        "rows": campaign.documents.count(),
        "offered": list_file_rows(campaign, collection),
        "can_register": collection is not None or not campaign.documents.exists(),
        "job": job if job and job.state != Job.State.DONE else None,
        "job_url": job and campaign_url("job", campaign, job.pk),
        "label": "Registration of documents",
        "report": read_job_report(job),
        "verdict": "Not registered",
    }
    return render_page(request, "campaigns/collection_files.html", page)


def list_file_rows(campaign: Campaign, collection: Collection | None) -> list[FileRow]:
    """The offered files. Ticked are those that are registered; before, all."""
    names = {file["name"] for file in collection.files} if collection else None
    return [
        (path.name, path.stat().st_size, names is None or path.name in names)
        for path in list_registrable_files(campaign)
    ]


def read_job_report(job: Job | None) -> FaultReport | None:
    """The faults of the latest registration; None if it has none."""
    return FaultReport.from_dict(job.result["report"]) if job and "report" in job.result else None
