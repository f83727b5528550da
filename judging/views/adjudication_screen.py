"""The adjudicator's screen: one disagreement after another, by keyboard or plain forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from judging.forms.screen import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.adjudication import (
    OwnAdjudication,
    list_anonymous_judgments,
    own_adjudication_progress,
)
from judging.queries.judgments import own_current_judgments
from judging.rules import FLAGS, SKIP_REASONS
from judging.services.judgments import claim_next, submit_judgment, submit_skip, undo_judgment
from judging.views.judging_screen import (
    FLAG_KEYS,
    SHORT_FLAGS,
    SKIP_KEYS,
    build_judging_documents,
    grades_by_value,
)

ADJUDICATE = Plan.Kind.ADJUDICATE
Act = Callable[..., Judgment]


@dataclass
class AdjudicationScreen:
    """The context of the document; attributes are named as on ``JudgingScreen``."""

    topic: Topic | None
    progress: OwnAdjudication
    last: Judgment | None
    rationale: str = "no"
    recent: tuple[Judgment, ...] = ()
    new_guidelines: bool = False
    undo_uuid: UUID = field(default_factory=uuid4)


@never_cache
@require_http_methods(["GET", "POST"])
def adjudicate_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The next pair to adjudicate; a post saves the decision and leads to the next."""
    campaign = get_campaign_for(request.user, slug, "campaigns.adjudicate")
    if request.method == "POST":
        return save_and_show_next(request, campaign, JudgeForm(request.POST), submit_judgment)
    message = ""
    try:
        slot = claim_next(actor=request.user, campaign=campaign, topic=None, kind=ADJUDICATE)
    except ActionRefused as refused:
        slot, message = None, str(refused)
    context = adjudication_context(request, campaign, slot) | {"message": message}
    return render(request, "judging/adjudicate.html", context)


@require_POST
def adjudication_skip_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.adjudicate")
    return save_and_show_next(request, campaign, SkipForm(request.POST), submit_skip)


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
    request: SignedInRequest, campaign: Campaign, form: SubmissionForm, act: Act
) -> HttpResponse:
    """Save the decision or skip, with a message if that fails; then show the next pair."""
    topic = get_object_or_404(campaign.topics, number=request.GET.get("topic", ""))
    if not form.is_valid():
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect("adjudicate", campaign.slug)
    try:
        act(
            actor=request.user, campaign=campaign, topic=topic, kind=ADJUDICATE,
            **form.cleaned_data,
        )  # fmt: skip
    except ActionRefused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
    return redirect("adjudicate", campaign.slug)


def adjudication_context(
    request: SignedInRequest, campaign: Campaign, slot: Slot | None
) -> dict[str, Any]:
    document = build_judging_documents(request.user, campaign, [slot])[0] if slot else None
    last = own_current_judgments(campaign, request.user, (Purpose.ADJUDICATE,)).first()
    screen = AdjudicationScreen(
        slot.topic if slot else None,
        own_adjudication_progress(campaign, request.user),
        last,
        new_guidelines=last is not None and last.guideline_version < campaign.guideline_version,
    )
    judgments = (
        list_anonymous_judgments(campaign, slot.topic, slot.item.docno)
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
        "reasons": [(name, SKIP_KEYS[name], label) for name, label in SKIP_REASONS.items()],
        "flags": [
            (name, FLAG_KEYS[name], SHORT_FLAGS[name], label) for name, label in FLAGS.items()
        ],
    }
