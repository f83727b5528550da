"""The adjudicator's screen, in plain forms; its script uses the assessors' endpoints."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.screen import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.services.judgment_log import JudgmentSubmission
from judging.services.judgments import claim_next, submit_judgment, undo_judgment
from judging.views.judging_screen import (
    ADJUDICATE,
    JudgingDocument,
    build_adjudication_screen,
    build_judging_documents,
    build_screen_page,
    get_current_document,
    parse_uuid_text,
)


@never_cache
@require_http_methods(["GET", "POST"])
def adjudicate_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The next pair to adjudicate; a post saves the decision and leads to the next.

    ``?topic=``, ``?docno=``, ``?token=``: one that the adjudicator has seen before.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.adjudicate")
    if request.method == "POST":
        return save_and_show_next(request, campaign, JudgeForm(request.POST))
    message, document = "", find_pair_again(request, campaign)
    try:
        if document is None:
            slot = claim_next(actor=request.user, campaign=campaign, topic=None, kind=ADJUDICATE)
            document = build_judging_documents(request.user, campaign, [slot])[0] if slot else None
    except ActionRefused as refused:
        message = str(refused)
    screen = build_adjudication_screen(request.user, campaign, document)
    page = build_screen_page(screen) | {"message": message, "progress": screen.progress}
    return render_page(request, "judging/adjudicate.html", page)


def find_pair_again(request: SignedInRequest, campaign: Campaign) -> JudgingDocument | None:
    topic = campaign.topics.filter(number=request.GET.get("topic", "")).first()
    docno, token = request.GET.get("docno", ""), parse_uuid_text(request.GET.get("token", ""))
    if topic is None or not docno:
        return None
    return get_current_document(request.user, campaign, topic, docno, token, ADJUDICATE)


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
