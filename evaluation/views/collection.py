"""Is the collection good? The page that has the report made, and the report itself."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaigns import store
from campaigns.attachments import attachment
from campaigns.errors import Refused
from campaigns.models import Campaign, Job
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from evaluation import services
from evaluation.core.collection.page import CARDS
from evaluation.services.collection import COLLECTION

SHOWN = 10
"""Reports on the page, the newest first."""


@require_http_methods(["GET", "POST"])
def collection(request: SignedIn, slug: str) -> HttpResponse:
    """The reports made, and what to make another by: a release, or the judgments so far."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return ask(request, campaign)
    made = campaign.jobs.filter(kind=COLLECTION)
    under_way = made.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING)).first()
    newest = made.first()
    job = under_way or (newest if newest and newest.state == Job.State.FAILED else None)
    context: dict[str, Any] = {
        "campaign": campaign,
        "crumbs": [("The collection", None)],
        "releases": list(campaign.qrels.all()),
        "judged": campaign.judgments.exists(),
        "cards": CARDS,
        "job": job,
        "job_url": reverse("job", args=[campaign.slug, job.pk]) if job else "",
        "reports": list(made.filter(state=Job.State.DONE)[:SHOWN]),
    }
    return render(request, "evaluation/collection/page.html", context)


def ask(request: SignedIn, campaign: Campaign) -> HttpResponse:
    asked = request.POST.get("qrels", "")
    if asked and not (asked.isascii() and asked.isdecimal() and len(asked) < 10):
        raise Http404("no such release")
    qrels = get_object_or_404(campaign.qrels, version=int(asked)) if asked else None
    try:
        services.request_report(actor=request.user, campaign=campaign, qrels=qrels)
    except Refused as no:
        messages.error(request, str(no))
    return redirect("collection", campaign.slug)


@require_safe
def collection_report(request: SignedIn, slug: str, pk: int, fmt: str) -> HttpResponse:
    """A report that was made: ``html`` is shown, with ``?save`` it is saved; ``json`` is saved."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    made = campaign.jobs.filter(kind=COLLECTION, state=Job.State.DONE)
    job = get_object_or_404(made, pk=pk)
    if fmt not in ("html", "json"):
        raise Http404(f"no format {fmt}")
    content = store.get(job.result[fmt])
    name = f"{slug}-collection-{job.pk}.{fmt}"
    if fmt == "json" or "save" in request.GET:
        return attachment(content, name, "text/html; charset=utf-8" if fmt == "html" else "")
    answer = HttpResponse(content, content_type="text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = policy_of(content.decode())
    return answer


def policy_of(html: str) -> str:
    """Nothing but the style that the report itself holds."""
    style = html.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
