"""Topics and documents: lists, single ones, imports."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.faults import BadFile, FaultReport
from campaigns.forms import ImportForm, document_import, topic_import
from campaigns.models import Campaign
from campaigns.queries import (
    campaign_for,
    in_use,
    neighbours,
    search_documents,
    search_topics,
)
from campaigns.rules import organizes
from campaigns.services import collection
from campaigns.views.signed_in import SignedIn, confirm, page_of, to


@require_safe
def topics(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    words = request.GET.get("q", "")
    shown = {
        "campaign": campaign,
        "page_obj": page_of(request, search_topics(campaign, words), 200),
        "total": campaign.topics.count(),
        "q": words,
        "organizes": organizes(request.user, campaign),
        "may_delete": not in_use(campaign),
        "crumbs": [(_("Topics"), None)],
    }
    return render(request, "campaigns/topics.html", shown)


@require_safe
def topic(request: SignedIn, slug: str, number: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    found = get_object_or_404(campaign.topics, number=number)
    before, after = neighbours(campaign, found)
    shown = {
        "campaign": campaign,
        "topic": found,
        "before": before,
        "after": after,
        "crumbs": [(_("Topics"), to("topics", campaign)), (found.number, None)],
    }
    return render(request, "campaigns/topic.html", shown)


@require_http_methods(["GET", "POST"])
def topics_delete(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return delete_page(request, campaign, collection.delete_topics, "topics")


@require_http_methods(["GET", "POST"])
def documents_delete(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return delete_page(request, campaign, collection.delete_documents, "documents")


def delete_page(
    request: SignedIn, campaign: Campaign, delete: Callable[..., int], noun: str
) -> HttpResponse:
    """The question whether to delete all of them, and after a post the deed."""
    if request.method == "GET":
        return confirm(
            request,
            campaign,
            question=f"Delete all {getattr(campaign, noun).count():,} {noun}?",
            consequence="This is possible only while no run, pool or judgment refers to them.",
            action=f"Delete all {noun}",
            back=to(noun, campaign),
        )
    count = delete(actor=request.user, campaign=campaign)
    messages.success(request, f"{count:,} {noun} are deleted.")
    return redirect(noun, campaign.slug)


@require_safe
def documents(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    words = request.GET.get("q", "")
    shown = {
        "campaign": campaign,
        "page_obj": page_of(request, search_documents(campaign, words)),
        "total": campaign.documents.count(),
        "q": words,
        "organizes": organizes(request.user, campaign),
        "may_delete": not in_use(campaign),
        "crumbs": [(_("Documents"), None)],
    }
    return render(request, "campaigns/documents.html", shown)


@require_http_methods(["GET", "POST"])
def topics_import(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return import_page(request, campaign, topic_import, collection.import_topics, "topics")


@require_http_methods(["GET", "POST"])
def documents_import(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return import_page(request, campaign, document_import, collection.import_documents, "documents")


def import_page(
    request: SignedIn,
    campaign: Campaign,
    make_form: Callable[..., ImportForm],
    bring: Callable[..., int],
    noun: str,
) -> HttpResponse:
    """The form, and after a post what the import found; all faults of the file at once."""
    form = make_form(*([request.POST, request.FILES] if request.method == "POST" else []))
    shown = {"campaign": campaign, "form": form, "noun": noun}
    shown["crumbs"] = [(noun.capitalize(), to(noun, campaign)), ("Import", None)]
    status = 200
    if form.is_bound and form.is_valid():
        upload = form.cleaned_data["file"]
        warnings = FaultReport(upload.name)
        try:
            count = bring(
                actor=request.user,
                campaign=campaign,
                data=upload.read(),
                file=upload.name,
                format=form.cleaned_data["format"],
                report=warnings,
            )
            messages.success(request, f"{count:,} new {noun} from {upload.name}.")
            if not warnings.counts:
                return redirect(noun, campaign.slug)
            shown |= {"report": warnings, "verdict": f"Imported: {count:,} new {noun}"}
        except BadFile as bad:
            shown |= {"report": bad.report, "verdict": "Not imported"}
            status = 422
    return render(request, "campaigns/import.html", shown, status=status)
