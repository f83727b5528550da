"""The log of a campaign, and its jobs."""

from __future__ import annotations

from operator import itemgetter

from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.models import Event
from campaigns.models.event_phrases import EVENT_PHRASES
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
    events, fields = campaign.events.all(), {"action": "code", "user": "actor__username"}
    chosen = {fields[name]: request.GET[name] for name in fields if request.GET.get(name)}
    page = {
        "campaign": campaign,
        "page_obj": paginate(request, events.filter(**chosen).select_related("actor"), 100),
        "filters": [
            (name, chosen.get(field), count_values(events, field)) for name, field in fields.items()
        ],
    }
    return render_page(request, "campaigns/events.html", page)


def count_values(events: QuerySet[Event], field: str) -> list[tuple[str, str, int]]:
    """Value, its words and the number of events, by words."""
    rows = events.order_by().values_list(field).annotate(Count("pk"))
    named = ((value, str(EVENT_PHRASES.get(value, value)), n) for value, n in rows if value)
    return sorted(named, key=itemgetter(1))


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
