"""What has happened in a campaign, and what is happening: its log and its jobs."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from campaigns.queries import get_campaign_for, list_jobs_for
from campaigns.views.helpers import SignedInRequest, paginate, redirect_to

LABELS = {
    "campaigns.check_run": "The check of the run",
    "evaluation.collection": "The report",
    "evaluation.evaluate": "The evaluation",
    "evaluation.simulation": "The simulation",
}


@require_safe
def events_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    found = campaign.events.select_related("actor")
    shown = {
        "campaign": campaign,
        "page_obj": paginate(request, found, 100),
        "crumbs": [("Log", None)],
    }
    return render(request, "campaigns/events.html", shown)


@require_safe
def job_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The state of a job: a fragment that asks again by itself, or a page around it.

    When a polled job is over, the page that shows it loads itself anew.
    """
    campaign = get_campaign_for(request.user, slug)
    found = get_object_or_404(list_jobs_for(request.user, campaign), pk=pk)
    shown = {
        "campaign": campaign,
        "job": found,
        "job_url": redirect_to("job", campaign, found.pk),
        "label": LABELS.get(found.kind, "The work"),
        "done_url": found.result.get("url", ""),
        "crumbs": [("Job", None)],
    }
    if not request.headers.get("HX-Request"):
        return render(request, "campaigns/job.html", shown)
    answer = render(request, "partials/job.html", shown)
    if found.is_over:
        answer.headers["HX-Refresh"] = "true"
    return answer
