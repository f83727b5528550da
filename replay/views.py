"""The page *Archive*: a campaign, its runs, its tables and figures as files."""

from django.http import FileResponse, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import store
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.views.events import LABELS
from campaigns.views.helpers import SignedInRequest, campaign_url
from campaigns.views.pages import render_page
from replay.archive.jobs import ENDING, KINDS, NAMES, request_campaign_file
from replay.forms import ArchiveForm

MANAGE = "campaigns.manage"
MOST_FILES = 20
"""On the page, latest first."""
BY_NAME = {name: kind for kind, name in NAMES.items()}


@require_http_methods(["GET", "HEAD", "POST"])
def archive_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The files made so far, and those that are being made; POST asks for one."""
    campaign = get_campaign_for(request.user, slug, MANAGE)
    if request.method == "POST":
        return request_file(request, campaign)
    made = campaign.jobs.filter(kind__in=KINDS).select_related("created_by")
    page: dict[str, object] = {
        "campaign": campaign,
        "form": ArchiveForm(),
        "unfinished": [
            (job, campaign_url("job", campaign, job.pk), LABELS[job.kind])
            for job in list_unfinished(campaign)
        ],
        "files": [
            (job, LABELS[job.kind]) for job in made.filter(state=Job.State.DONE)[:MOST_FILES]
        ],
        "runs": campaign.runs.scored().count(),
        "has_scores": campaign.score_sets.exists(),
        "has_released": campaign.score_sets.filter(released_at__isnull=False).exists(),
    }
    return render_page(request, "replay/archive.html", page)


def list_unfinished(campaign: Campaign) -> list[Job]:
    """Files being made; of each kind also the latest if it failed."""
    unfinished = []
    for kind in KINDS:
        latest = campaign.jobs.filter(kind=kind).first()
        if latest is not None and latest.state != Job.State.DONE:
            unfinished.append(latest)
    return unfinished


def request_file(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    request_campaign_file(
        actor=request.user,
        campaign=campaign,
        kind=BY_NAME.get(request.POST.get("kind", ""), ""),
        documents="documents" in request.POST,
        comments="comments" in request.POST,
    )
    return redirect("archive", campaign.slug)


@require_safe
def archive_download_view(request: SignedInRequest, slug: str, pk: int) -> FileResponse:
    """A file that a job has made."""
    campaign = get_campaign_for(request.user, slug, MANAGE)
    job = get_object_or_404(campaign.jobs, kind__in=KINDS, state=Job.State.DONE, pk=pk)
    name = f"{slug}-{NAMES[job.kind]}{ENDING}"
    stream = store.open_blob(job.result["file"])
    return FileResponse(stream, as_attachment=True, filename=name)
