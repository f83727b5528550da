"""The adjudicator's screen: one disagreement after another, by keys or plain posts."""

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

from campaigns.errors import Refused
from campaigns.models import Campaign, Topic
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.forms import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Judgment, Plan, Purpose, Slot
from judging.queries.adjudication import MyRound, my_round, sides
from judging.queries.judgments import last_said
from judging.rules import FLAGS, SKIP_REASONS
from judging.services.work import claim, judge, skip, undo
from judging.views.screens import FLAG_KEYS, SHORT_FLAGS, SKIP_KEYS, papers_of, scale_of

ADJUDICATE = Plan.Kind.ADJUDICATE
Act = Callable[..., Judgment]


@dataclass
class Desk:
    """What stands around the document in hand; the names are those of the judging screen."""

    topic: Topic | None
    progress: MyRound
    last: Judgment | None
    rationale: str = "no"
    recent: tuple[Judgment, ...] = ()
    new_guidelines: bool = False
    undo_uuid: UUID = field(default_factory=uuid4)


@never_cache
@require_http_methods(["GET", "POST"])
def adjudicate(request: SignedIn, slug: str) -> HttpResponse:
    """The next pair to settle; a post settles one and leads to the next."""
    campaign = campaign_for(request.user, slug, "campaigns.adjudicate")
    if request.method == "POST":
        return submitted(request, campaign, JudgeForm(request.POST), judge)
    told = ""
    try:
        slot = claim(actor=request.user, campaign=campaign, topic=None, kind=ADJUDICATE)
    except Refused as refused:
        slot, told = None, str(refused)
    context = context_of(request, campaign, slot) | {"told": told}
    return render(request, "judging/adjudicate.html", context)


@require_POST
def pass_over(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.adjudicate")
    return submitted(request, campaign, SkipForm(request.POST), skip)


@require_POST
def take_back(request: SignedIn, slug: str) -> HttpResponse:
    """Take the last decision back; its document comes up again."""
    campaign = campaign_for(request.user, slug, "campaigns.adjudicate")
    form = UndoForm(request.POST)
    said = form.cleaned_data if form.is_valid() else {}
    try:
        undo(actor=request.user, campaign=campaign, kind=ADJUDICATE, **said)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("adjudicate", campaign.slug)


def submitted(
    request: SignedIn, campaign: Campaign, form: SubmissionForm, act: Act
) -> HttpResponse:
    """Write down what was said, then the next; say so if it was not written."""
    topic = get_object_or_404(campaign.topics, number=request.GET.get("topic", ""))
    if not form.is_valid():
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect("adjudicate", campaign.slug)
    try:
        act(
            actor=request.user, campaign=campaign, topic=topic, kind=ADJUDICATE,
            **form.cleaned_data,
        )  # fmt: skip
    except Refused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
    return redirect("adjudicate", campaign.slug)


def context_of(request: SignedIn, campaign: Campaign, slot: Slot | None) -> dict[str, Any]:
    paper = papers_of(request.user, campaign, [slot])[0] if slot else None
    last = last_said(campaign, request.user, (Purpose.ADJUDICATE,)).first()
    desk = Desk(slot.topic if slot else None, my_round(campaign, request.user), last)
    seen = sides(campaign, slot.topic, slot.item.docno) if slot and not slot.plan.blind else []
    query = {"topic": slot.topic.number} if slot else {}
    return {
        "screen": desk,
        "campaign": campaign,
        "paper": paper,
        "sides": seen,
        "home_url": reverse("adjudication", args=[campaign.slug]),
        "here_url": reverse("adjudicate", args=[campaign.slug], query=query),
        "grades": scale_of(campaign),
        "reasons": [(name, SKIP_KEYS[name], told) for name, told in SKIP_REASONS.items()],
        "flags": [(name, FLAG_KEYS[name], SHORT_FLAGS[name], told) for name, told in FLAGS.items()],
    }
