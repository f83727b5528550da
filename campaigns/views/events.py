"""The log of a campaign, and its jobs."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.queries.lists import get_campaign_for, list_jobs_for
from campaigns.views.helpers import SignedInRequest, campaign_url, paginate
from campaigns.views.pages import render_page

LABELS = {
    "campaigns.check_run": "Run check",
    "evaluation.collection": "Reusability report",
    "evaluation.evaluate": "Evaluation",
    "evaluation.simulation": "Simulation",
}


@require_safe
def events_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    events = paginate(request, campaign.events.select_related("actor"), 100)
    page = {"campaign": campaign, "page_obj": events}
    return render_page(request, "campaigns/events.html", page)


@require_safe
def job_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The state of a job: a fragment that polls, or the page around it.

    When a polled job is over, the page with the fragment reloads.
    """
    campaign = get_campaign_for(request.user, slug)
    job = get_object_or_404(list_jobs_for(request.user, campaign), pk=pk)
    # ``done_url``: where the result is.
    page = {
        "campaign": campaign,
        "job": job,
        "job_url": campaign_url("job", campaign, job.pk),
        "label": LABELS.get(job.kind, "Job"),
        "done_url": job.result.get("url", ""),
    }
    if not request.headers.get("HX-Request"):
        return render_page(request, "campaigns/job.html", page)
    answer = render_page(request, "partials/job.html", page)
    if job.is_over:
        answer.headers["HX-Refresh"] = "true"
    return answer
