"""Topics and documents: lists, single topics, import, registered files and deletion."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.confirmation import Decision
from campaigns.forms.settings import ImportForm, document_import_form, topic_import_form
from campaigns.models import Campaign, Collection, Document, Job
from campaigns.queries.collection_files import find_collection, list_registrable_files
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
from campaigns.services.registration import KIND, request_registration
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, campaign_url, paginate
from campaigns.views.pages import render_page
from poolbench.files.faults import FaultReport, InvalidFile, format_count


@require_safe
def topics_view(request: SignedInRequest, slug: str) -> HttpResponse:
    return render_collection_page(request, slug, "topics", search_topics, 200)


@require_safe
def documents_view(request: SignedInRequest, slug: str) -> HttpResponse:
    def search(campaign: Campaign, words: str) -> QuerySet[Document]:
        return search_documents(campaign, words).visible_to(request.user)

    return render_collection_page(request, slug, "documents", search, 50)


def render_collection_page(
    request: SignedInRequest,
    slug: str,
    noun: str,
    search: Callable[[Campaign, str], QuerySet[Any]],
    size: int,
) -> HttpResponse:
    """All topics or documents, and those with the words ``q``, page by page."""
    campaign = get_campaign_for(request.user, slug)
    words = request.GET.get("q", "")
    page = {
        "campaign": campaign,
        "page_obj": paginate(request, search(campaign, words), size),
        "total": search(campaign, "").count(),
        # Documents of registered files, of which those that are pooled are listed, for some.
        "registered": find_collection(campaign) if noun == "documents" else None,
        "sees_pooled": request.user.has_perm("campaigns.see_guidelines", campaign),
        "q": words,
        "organizes": is_organizer_anywhere(request.user, campaign),
        "may_delete": not has_dependent_data(campaign),
    }
    return render_page(request, f"campaigns/{noun}.html", page)


@require_safe
def topic_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    topic = get_object_or_404(campaign.topics, number=number)
    before, after = adjacent_topics(campaign, topic)
    texts = [(_("Description"), topic.description), (_("Narrative"), topic.narrative)]
    page = {
        "campaign": campaign,
        "topic": topic,
        "texts": texts,
        "before": before,
        "after": after,
        "erratum": campaign.errata.filter(kind="topic", name=number).first(),
        "organizes": is_organizer_anywhere(request.user, campaign),
    }
    return render_page(request, "campaigns/topic.html", page)


@require_http_methods(["GET", "POST"])
def topics_delete_view(request: SignedInRequest, slug: str) -> HttpResponse:
    return delete_confirmation(request, slug, "topics")


@require_http_methods(["GET", "POST"])
def documents_delete_view(request: SignedInRequest, slug: str) -> HttpResponse:
    return delete_confirmation(request, slug, "documents")


def delete_confirmation(request: SignedInRequest, slug: str, noun: str) -> HttpResponse:
    """The page before the deletion of all topics or documents; its form deletes them."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")

    def act(decision: Decision) -> HttpResponse:
        count = collection.delete_all(
            actor=request.user, campaign=campaign, noun=noun, decision=decision
        )
        messages.success(request, f"{format_count(count, noun[:-1])} deleted.")
        return redirect(noun, campaign.slug)

    collection.check_deletable(campaign, noun)
    describe = partial(describe_deletion, campaign, noun)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def topics_import_view(request: SignedInRequest, slug: str) -> HttpResponse:
    return render_import_page(request, slug, topic_import_form, collection.import_topics, "topics")


@require_http_methods(["GET", "POST"])
def documents_import_view(request: SignedInRequest, slug: str) -> HttpResponse:
    return render_import_page(
        request, slug, document_import_form, collection.import_documents, "documents"
    )


def render_import_page(
    request: SignedInRequest,
    slug: str,
    make_form: Callable[..., ImportForm],
    import_file: Callable[..., int],
    noun: str,
) -> HttpResponse:
    """The form, and after a POST the result of the import with all faults of the file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    posted = [request.POST, request.FILES] if request.method == "POST" else []
    form = make_form(*posted, initial={"text_layout": campaign.text_layout})
    # ``report`` and ``verdict`` tell how an import ended.
    page: dict[str, object] = {"campaign": campaign, "form": form, "noun": noun, "report": None}
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
            new = format_count(count, f"new {noun[:-1]}")
            messages.success(request, f"Imported {new} from {upload.name}.")
            if not warnings.counts:
                return redirect(noun, campaign.slug)
            page |= {"report": warnings, "verdict": f"Imported: {new}"}
        except InvalidFile as bad:
            page |= {"report": bad.report, "verdict": "Not imported"}
            status = 422
    return render_page(request, "campaigns/import.html", page, status=status)


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
