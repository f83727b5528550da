"""The adjudicator's screen: one disagreement after another, by keyboard or plain forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Grade, Topic
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.forms.screen import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.adjudication import (
    AnonymousJudgment,
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
    JudgingDocument,
    build_judging_documents,
    grades_by_value,
)

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

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
    page = build_adjudication_page(request, campaign, slot, message)
    return render_page(request, "judging/adjudicate.html", page)


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


@dataclass(frozen=True)
class AdjudicationScreenPage:
    screen: AdjudicationScreen
    campaign: Campaign
    document: JudgingDocument | None
    judgments: list[AnonymousJudgment]
    home_url: str
    skip_url: str
    here_url: str
    grades: dict[int, Grade]
    reasons: list[tuple[str, str, StrPromise]]
    flags: list[tuple[str, str, StrPromise, StrPromise]]
    message: str


def build_adjudication_page(
    request: SignedInRequest, campaign: Campaign, slot: Slot | None, message: str
) -> AdjudicationScreenPage:
    document = build_judging_documents(request.user, campaign, [slot])[0] if slot else None
    last = own_current_judgments(campaign, request.user, (Purpose.ADJUDICATE,)).first()
    screen = AdjudicationScreen(
        slot.topic if slot else None,
        own_adjudication_progress(campaign, request.user),
        last,
        new_guidelines=last is not None and last.guideline_version < campaign.guideline_version,
    )
    judgments = (
        list_anonymous_judgments(campaign, slot.topic, slot.docno)
        if slot and not slot.plan.blind
        else []
    )
    query = {"topic": slot.topic.number} if slot else {}
    return AdjudicationScreenPage(
        screen=screen,
        campaign=campaign,
        document=document,
        judgments=judgments,
        home_url=reverse("adjudication", args=[campaign.slug]),
        skip_url=reverse("adjudication-skip", args=[campaign.slug], query=query),
        here_url=reverse("adjudicate", args=[campaign.slug], query=query),
        grades=grades_by_value(campaign),
        reasons=[(name, SKIP_KEYS[name], label) for name, label in SKIP_REASONS.items()],
        flags=[(name, FLAG_KEYS[name], SHORT_FLAGS[name], label) for name, label in FLAGS.items()],
        message=message,
    )
