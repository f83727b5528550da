"""The log of a campaign, and its jobs."""

import json
from collections.abc import Iterator
from operator import itemgetter

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.api.attachments import streaming_response
from campaigns.models import Campaign, Event
from campaigns.models.event_phrases import EVENT_PHRASES
from campaigns.queries.lists import get_campaign_for, list_jobs_for
from campaigns.views.helpers import SignedInRequest, campaign_url, paginate
from campaigns.views.pages import render_page
from poolbench.reports.csv import iter_csv_parts

LABELS = {
    "campaigns.check_run": "Run check",
    "campaigns.register_collection": "Registration of documents",
    "evaluation.collection": "Reusability report",
    "evaluation.evaluate": "Evaluation",
    "evaluation.simulation": "Simulation",
    "pooling.freeze": "Pool",
    "pooling.preview": "Pool preview",
    "replay.archive": "Archive",
    "replay.overview": "Tables and figures",
    "replay.runs": "Runs",
    "replay.rehearse": "Rehearsal",
}


FILTERS = {"action": "code", "user": "actor__username"}
COLUMNS = ("at", "user", "code", "action", "object", "details")


@require_safe
def events_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    chosen, events = read_filters(request), campaign.events.all()
    page = {
        "campaign": campaign,
        "page_obj": paginate(request, select_events(campaign, chosen), 100),
        "filters": [
            (name, chosen.get(name), count_values(events, field)) for name, field in FILTERS.items()
        ],
    }
    return render_page(request, "campaigns/events.html", page)


@require_safe
def events_download_view(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """The events that the page shows with the same filters, as CSV."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    chosen = read_filters(request)
    rows = iter_event_cells(select_events(campaign, chosen))
    parts = iter_csv_parts("log", COLUMNS, rows, {"campaign": slug, **chosen})
    return streaming_response(parts, f"{slug}-log.csv")


def read_filters(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in FILTERS if request.GET.get(name)}


def select_events(campaign: Campaign, filters: dict[str, str]) -> QuerySet[Event]:
    """Newest first."""
    wanted = {FILTERS[name]: value for name, value in filters.items()}
    return campaign.events.filter(**wanted).select_related("actor")


def iter_event_cells(events: QuerySet[Event]) -> Iterator[tuple[str, ...]]:
    for event in events.iterator():
        user = event.actor.username if event.actor else ""
        details = json.dumps(event.data, ensure_ascii=False, sort_keys=True)
        yield event.at.isoformat(), user, event.code, event.phrase, event.subject, details


def count_values(events: QuerySet[Event], field: str) -> list[tuple[str, str]]:
    """Values, and their words with the number of events, by words."""
    rows = events.order_by().values_list(field).annotate(Count("pk"))
    named = ((value, f"{EVENT_PHRASES.get(value, value)} ({n})") for value, n in rows if value)
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
