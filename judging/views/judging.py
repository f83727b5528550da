"""The assessor's pages: my topics, the judging screen with plain forms, my judgments."""

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.screen import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Slot
from judging.queries.progress import JudgingPace, pace_by_user
from judging.queries.screen import count_remaining, list_assessor_topics
from judging.services.judgment_log import JudgmentSubmission
from judging.services.judgments import claim_next, submit_judgment, undo_judgment
from judging.services.training import next_training_pair
from judging.views.finished import build_finished_topic, find_next_topic
from judging.views.judging_screen import (
    JudgingDocument,
    build_judging_documents,
    build_screen,
    build_screen_page,
    get_current_document,
    judgment_change_url,
    parse_uuid_text,
)
from judging.views.reviews import build_review_screen, find_review, list_review_notices
from poolbench.shared_reads import share_reads

PAGE = 50


@require_safe
@share_reads
def work_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """My topics: progress, pace, and the topic to continue with."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    topics = list_assessor_topics(campaign, request.user)
    page = {
        "campaign": campaign,
        "training": next_training_pair(actor=request.user, campaign=campaign),
        "topics": topics,
        "next": find_next_topic(request.user, campaign, topics),
        "done": sum(row.done for row in topics),
        "total": sum(row.done for row in topics) + count_remaining(topics),
        "shares_work": any(row.most > row.left for row in topics),
        "completed": sum(row.left == 0 for row in topics),
        "pace": pace_by_user(campaign, request.user).get(
            request.user.pk, JudgingPace(0, None, None)
        ),
        "is_open": campaign.takes_judgments(),
        "reviews": list_review_notices(campaign, request.user),
    }
    return render_page(request, "judging/my_topics.html", page)


@never_cache
@require_http_methods(["GET", "POST"])
def judge_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    """The judging screen; a post is a judgment and leads to the next document.

    ``?docno=``, ``?token=``: a document that the assessor has checked out already.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    if request.method == "POST":
        return save_judgment_and_show_next(request, campaign, topic, JudgeForm(request.POST))
    return show_next(request, campaign, topic)


@require_POST
def judge_skip_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    return save_judgment_and_show_next(request, campaign, topic, SkipForm(request.POST))


@require_POST
def judge_undo_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Undo the last judgment or skip and show its document again, in any topic."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    form = UndoForm(request.POST)
    fields = form.cleaned_data if form.is_valid() else {}
    judgment = undo_judgment(actor=request.user, campaign=campaign, **fields)
    if judgment.slot is None or judgment.slot.state != Slot.State.LEASED:
        return redirect(judgment_change_url(campaign, judgment))
    query = {"docno": judgment.docno, "token": str(judgment.slot.token)}
    return redirect(reverse("judge", args=[campaign.slug, judgment.topic.number], query=query))


@never_cache
@require_safe
def judge_change_view(request: SignedInRequest, slug: str, number: str) -> HttpResponse:
    """The screen with a document that the assessor has seen before. ``?review=``: it goes on to
    the others of a request to look at documents again; ``?list=``: back to *My judgments* with
    this query.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    document = find_document_again(request, campaign, topic)
    if document is None:
        raise Http404("not a document of this assessor")
    review = find_review(campaign, request.user, request.GET.get("review", ""))
    if review is not None:
        screen = build_review_screen(request.user, campaign, review, document)
    else:
        screen = build_screen(request.user, campaign, topic)
        screen.document = document
    if "list" in request.GET:
        query = QueryDict(request.GET["list"])
        screen.back = reverse("my-judgments", args=[slug]) + f"?{query.urlencode()}"
    return render_page(request, "judging/screen.html", build_screen_page(screen))


def find_document_again(
    request: SignedInRequest, campaign: Campaign, topic: Topic
) -> JudgingDocument | None:
    """The requested document: checked out and unjudged, or judged and to be changed."""
    docno, token = request.GET.get("docno", ""), request.GET.get("token", "")
    return get_current_document(request.user, campaign, topic, docno, parse_uuid_text(token))


def save_judgment_and_show_next(
    request: SignedInRequest, campaign: Campaign, topic: Topic, form: SubmissionForm
) -> HttpResponse:
    """Save the judgment or skip, with a message if that fails; then show the next document."""
    address = reverse("judge", args=[campaign.slug, topic.number])
    if not form.is_valid():
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(address)
    fields = form.cleaned_data
    try:
        judgment = submit_judgment(JudgmentSubmission(request.user, campaign, topic, **fields))
    except ActionRefused as refused:
        messages.error(request, _("Not saved.") + f" {refused}")
        return redirect(address)
    if fields.get("grade") != judgment.grade:
        # A different grade on a form submitted already (the browser's Back button): confirm it.
        messages.info(
            request, _("This document has already been judged. Press a grade to change it.")
        )
        return redirect(judgment_change_url(campaign, judgment))
    return redirect(address)


def show_next(request: SignedInRequest, campaign: Campaign, topic: Topic) -> HttpResponse:
    message = ""
    try:
        document = find_document_again(request, campaign, topic) if "docno" in request.GET else None
        if document is None:
            slot = claim_next(actor=request.user, campaign=campaign, topic=topic)
            document = build_judging_documents(request.user, campaign, [slot])[0] if slot else None
    except ActionRefused as refused:
        if refused.code == "training-first":
            return redirect("judge-training", campaign.slug)
        document, message = None, str(refused)
    screen = build_screen(request.user, campaign, topic)
    screen.document = document
    finished = None
    if document is None:
        finished = build_finished_topic(request.user, campaign, topic, screen.progress, message)
    return render_page(request, "judging/screen.html", build_screen_page(screen), finished)
