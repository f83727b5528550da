"""Topics and documents: lists, single topics, import and deletion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.paginator import Page
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.confirmation import Decision
from campaigns.core.faults import FaultReport, InvalidFile, format_count
from campaigns.forms.settings import ImportForm, document_import_form, topic_import_form
from campaigns.models import Campaign, Topic
from campaigns.queries.confirmations.settings import describe_deletion
from campaigns.queries.lists import (
    adjacent_topics,
    get_campaign_for,
    has_dependent_data,
    search_documents,
    search_topics,
)
from campaigns.rules import is_organizer_anywhere
from campaigns.services import collection
from campaigns.services.campaigns import update_campaign
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page


@dataclass(frozen=True)
class CollectionPage:
    """``total`` topics or documents, and those with the words ``q``, page by page."""

    campaign: Campaign
    page_obj: Page[Any]
    total: int
    q: str
    organizes: bool
    may_delete: bool


@dataclass(frozen=True)
class TopicPage:
    campaign: Campaign
    topic: Topic
    before: Topic | None
    after: Topic | None


@dataclass(frozen=True)
class ImportPage:
    """``report`` and ``verdict`` tell how an import ended; ``noun``: topics or documents."""

    campaign: Campaign
    form: ImportForm
    noun: str
    report: FaultReport | None = None
    verdict: str = ""


@require_safe
def topics_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    words = request.GET.get("q", "")
    page = CollectionPage(
        campaign=campaign,
        page_obj=paginate(request, search_topics(campaign, words), 200),
        total=campaign.topics.count(),
        q=words,
        organizes=is_organizer_anywhere(request.user, campaign),
        may_delete=not has_dependent_data(campaign),
    )
    return render_page(request, "campaigns/topics.html", page)


@require_safe
def topic_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    topic = get_object_or_404(campaign.topics, number=number)
    before, after = adjacent_topics(campaign, topic)
    page = TopicPage(
        campaign=campaign,
        topic=topic,
        before=before,
        after=after,
    )
    return render_page(request, "campaigns/topic.html", page)


@require_http_methods(["GET", "POST"])
def topics_delete_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return delete_confirmation(request, campaign, collection.delete_topics, "topics")


@require_http_methods(["GET", "POST"])
def documents_delete_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return delete_confirmation(request, campaign, collection.delete_documents, "documents")


def delete_confirmation(
    request: SignedInRequest, campaign: Campaign, delete: Callable[..., int], noun: str
) -> HttpResponse:
    """The page before the deletion of all topics or documents; its form deletes them."""

    def act(decision: Decision) -> HttpResponse:
        count = delete(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, f"{format_count(count, noun[:-1])} deleted.")
        return redirect(noun, campaign.slug)

    collection.check_deletable(campaign, noun)
    describe = partial(describe_deletion, campaign, noun)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_safe
def documents_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    words = request.GET.get("q", "")
    page = CollectionPage(
        campaign=campaign,
        page_obj=paginate(request, search_documents(campaign, words)),
        total=campaign.documents.count(),
        q=words,
        organizes=is_organizer_anywhere(request.user, campaign),
        may_delete=not has_dependent_data(campaign),
    )
    return render_page(request, "campaigns/documents.html", page)


@require_http_methods(["GET", "POST"])
def topics_import_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return render_import_page(
        request, campaign, topic_import_form, collection.import_topics, "topics"
    )


@require_http_methods(["GET", "POST"])
def documents_import_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return render_import_page(
        request, campaign, document_import_form, collection.import_documents, "documents"
    )


def render_import_page(
    request: SignedInRequest,
    campaign: Campaign,
    make_form: Callable[..., ImportForm],
    import_file: Callable[..., int],
    noun: str,
) -> HttpResponse:
    """The form, and after a POST the result of the import with all faults of the file."""
    initial = {"text_layout": campaign.text_layout}
    posted = [request.POST, request.FILES] if request.method == "POST" else []
    form = make_form(*posted, initial=initial)
    page = ImportPage(campaign, form, noun)
    status = 200
    if form.is_bound and form.is_valid():
        upload = form.cleaned_data["file"]
        warnings = FaultReport(upload.name)
        try:
            count = import_file(
                actor=request.user,
                campaign=campaign,
                data=upload.read(),
                file=upload.name,
                file_format=form.cleaned_data["format"],
                report=warnings,
            )
            if layout := form.cleaned_data.get("text_layout"):
                update_campaign(actor=request.user, campaign=campaign, text_layout=layout)
            messages.success(
                request, f"Imported {format_count(count, f'new {noun[:-1]}')} from {upload.name}."
            )
            if not warnings.counts:
                return redirect(noun, campaign.slug)
            verdict = f"Imported: {format_count(count, f'new {noun[:-1]}')}"
            page = replace(page, report=warnings, verdict=verdict)
        except InvalidFile as bad:
            page = replace(page, report=bad.report, verdict="Not imported")
            status = 422
    return render_page(request, "campaigns/import.html", page, status=status)
