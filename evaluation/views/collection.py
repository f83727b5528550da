"""Is the collection good? The page that has the report made, and the report itself."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from evaluation import services
from evaluation.core.collection.page import CARDS
from evaluation.services.collection import COLLECTION
from evaluation.views.kept import kept_report, reports_of


@require_http_methods(["GET", "POST"])
def collection(request: SignedIn, slug: str) -> HttpResponse:
    """The reports made, and what to make another by: a release, or the judgments so far."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return ask(request, campaign)
    context: dict[str, Any] = {
        "campaign": campaign,
        "crumbs": [("The collection", None)],
        "releases": list(campaign.qrels.all()),
        "judged": campaign.judgments.exists(),
        "cards": CARDS,
        **reports_of(campaign, COLLECTION),
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
    """A report that was made: ``html`` is shown, with ``?save`` it is saved, as all others are."""
    return kept_report(request, slug, pk, COLLECTION, fmt, ("html", "json", "csv"))
