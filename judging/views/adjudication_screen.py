"""The adjudicator's screen: one disagreement after another, by keyboard or plain forms."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.screen import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Plan, Purpose, Slot
from judging.queries.adjudication import list_anonymous_judgments, own_adjudication_progress
from judging.queries.judgments import own_current_judgments
from judging.services.judgment_log import JudgmentSubmission
from judging.services.judgments import claim_next, submit_judgment, undo_judgment
from judging.views.judging_screen import KEYED_ANSWERS, build_judging_documents, grades_by_value

ADJUDICATE = Plan.Kind.ADJUDICATE


@never_cache
@require_http_methods(["GET", "POST"])
def adjudicate_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The next pair to adjudicate; a post saves the decision and leads to the next."""
    campaign = get_campaign_for(request.user, slug, "campaigns.adjudicate")
    if request.method == "POST":
        return save_and_show_next(request, campaign, JudgeForm(request.POST))
    message = ""
    try:
        slot = claim_next(actor=request.user, campaign=campaign, topic=None, kind=ADJUDICATE)
    except ActionRefused as refused:
        slot, message = None, str(refused)
    page = build_adjudication_page(request, campaign, slot, message)
    return render_page(request, "judging/adjudicate.html", page)


@require_POST
def adjudication_skip_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.adjudicate")
    return save_and_show_next(request, campaign, SkipForm(request.POST))


@require_POST
def adjudication_undo_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Undo the last decision and show its document again."""
    campaign = get_campaign_for(request.user, slug, "campaigns.adjudicate")
    form = UndoForm(request.POST)
    fields = form.cleaned_data if form.is_valid() else {}
    try:
        undo_judgment(actor=request.user, campaign=campaign, kind=ADJUDICATE, **fields)
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("adjudicate", campaign.slug)


def save_and_show_next(
    request: SignedInRequest, campaign: Campaign, form: SubmissionForm
) -> HttpResponse:
    """Save the decision or skip, with a message if that fails; then show the next pair."""
    topic = get_object_or_404(campaign.topics, number=request.GET.get("topic", ""))
    if not form.is_valid():
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect("adjudicate", campaign.slug)
    submission = JudgmentSubmission(request.user, campaign, topic, **form.cleaned_data)
    try:
        submit_judgment(submission, ADJUDICATE)
    except ActionRefused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
    return redirect("adjudicate", campaign.slug)


def build_adjudication_page(
    request: SignedInRequest, campaign: Campaign, slot: Slot | None, message: str
) -> dict[str, object]:
    document = build_judging_documents(request.user, campaign, [slot])[0] if slot else None
    last = own_current_judgments(campaign, request.user, (Purpose.ADJUDICATE,)).first()
    # The context of the document; attributes are named as on ``JudgingScreen``.
    screen = {
        "topic": slot.topic if slot else None,
        "progress": own_adjudication_progress(campaign, request.user),
        "last": last,
        "new_guidelines": last is not None and last.guideline_version < campaign.guideline_version,
        "rationale": "no",
        "recent": (),
        "undo_uuid": uuid4(),
    }
    judgments = (
        list_anonymous_judgments(campaign, slot.topic, slot.docno)
        if slot and not slot.plan.blind
        else []
    )
    query = {"topic": slot.topic.number} if slot else {}
    return {
        "screen": screen,
        "campaign": campaign,
        "document": document,
        "judgments": judgments,
        "home_url": reverse("adjudication", args=[campaign.slug]),
        "skip_url": reverse("adjudication-skip", args=[campaign.slug], query=query),
        "here_url": reverse("adjudicate", args=[campaign.slug], query=query),
        "grades": grades_by_value(campaign),
        **KEYED_ANSWERS,
        "message": message,
    }
