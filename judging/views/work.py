"""The assessor's pages: my topics, the judging screen by plain posts, my judgments."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign, Topic
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.forms import JudgeForm, SkipForm, SubmissionForm, UndoForm
from judging.models import Judgment
from judging.queries.progress import Pace, paces_of
from judging.queries.screen import my_topics, said_by
from judging.services.training import next_pair
from judging.services.work import claim, judge, skip, undo
from judging.views.screens import (
    Paper,
    as_uuid,
    change_url,
    context_of,
    next_of,
    over_context,
    paper_in_hand,
    papers_of,
    scale_of,
    screen_of,
)

PAGE = 50


@require_safe
def work(request: SignedIn, slug: str) -> HttpResponse:
    """My topics, how far I am, how fast I go, where to go on."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topics = my_topics(campaign, request.user)
    context = {
        "campaign": campaign,
        "crumbs": [(_("Judge"), None)],
        "training": next_pair(actor=request.user, campaign=campaign),
        "topics": topics,
        "next": next_of(topics),
        "done": sum(row.done for row in topics),
        "of": sum(row.of for row in topics),
        "finished": sum(row.left == 0 for row in topics),
        "pace": paces_of(campaign, request.user).get(request.user.pk, Pace(0, None, None)),
        "is_open": campaign.takes_judgments(),
    }
    return render(request, "judging/work.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
def judge_view(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The judging screen; a post is a judgment and leads to the next document.

    ``?docno=`` or ``?token=`` asks for one that is in the assessor's hand already.
    """
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    if request.method == "POST":
        return submitted(request, campaign, topic, JudgeForm(request.POST), judge)
    return show_next(request, campaign, topic)


@require_POST
def skip_view(request: SignedIn, slug: str, number: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    return submitted(request, campaign, topic, SkipForm(request.POST), skip)


@require_POST
def undo_view(request: SignedIn, slug: str) -> HttpResponse:
    """Take the last back; its document comes up again, in whichever topic it was."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    form = UndoForm(request.POST)
    said = form.cleaned_data if form.is_valid() else {}
    back = undo(actor=request.user, campaign=campaign, **said)
    if back.slot is None:
        return redirect(change_url(campaign, back))
    query = {"docno": back.docno, "token": str(back.slot.token)}
    return redirect(reverse("judge", args=[campaign.slug, back.topic.number], query=query))


@never_cache
@require_safe
def change(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The screen with a document that the assessor has had before."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    paper = paper_again(request, campaign, topic)
    if paper is None:
        raise Http404("not a document of this assessor")
    screen = screen_of(request.user, campaign, topic)
    screen.paper = paper
    return render(request, "judging/screen.html", context_of(screen))


def paper_again(request: SignedIn, campaign: Campaign, topic: Topic) -> Paper | None:
    """The document that the address asks for: held and unjudged, or judged and to be changed."""
    docno, token = request.GET.get("docno", ""), request.GET.get("token", "")
    return paper_in_hand(request.user, campaign, topic, docno, as_uuid(token))


@require_safe
def my_judgments(request: SignedIn, slug: str) -> HttpResponse:
    """All that the assessor has said, newest first, by topic and grade."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    rows = said_by(campaign, request.user)
    wanted = {name: request.GET.get(name, "") for name in ("topic", "grade")}
    if wanted["topic"]:
        rows = rows.filter(topic__number=wanted["topic"])
    if wanted["grade"] == "skip":
        rows = rows.filter(kind=Judgment.Kind.SKIP)
    elif wanted["grade"] in {str(value) for value in scale_of(campaign)}:
        rows = rows.filter(grade=int(wanted["grade"]))
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "crumbs": [(_("My judgments"), None)],
        "page_obj": page,
        "wanted": wanted,
        "topics": [row.topic for row in my_topics(campaign, request.user)],
        "grades": scale_of(campaign),
    }
    return render(request, "judging/my_judgments.html", context)


def submitted(
    request: SignedIn,
    campaign: Campaign,
    topic: Topic,
    form: SubmissionForm,
    act: Callable[..., Judgment],
) -> HttpResponse:
    """Write down what was said, then the next document; say so if it was not written."""
    address = reverse("judge", args=[campaign.slug, topic.number])
    if not form.is_valid():
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(address)
    said = form.cleaned_data
    try:
        made = act(actor=request.user, campaign=campaign, topic=topic, **said)
    except Refused as refused:
        messages.error(request, _("Not saved.") + f" {refused}")
        return redirect(address)
    if said.get("grade") != made.grade:
        # A second, different press on a form sent already (the browser's Back): ask again.
        messages.info(request, _("This document is judged already; press a grade to change it."))
        return redirect(change_url(campaign, made))
    return redirect(address)


def show_next(request: SignedIn, campaign: Campaign, topic: Topic) -> HttpResponse:
    told = ""
    try:
        paper = paper_again(request, campaign, topic) if "docno" in request.GET else None
        if paper is None:
            slot = claim(actor=request.user, campaign=campaign, topic=topic)
            paper = papers_of(request.user, campaign, [slot])[0] if slot else None
    except Refused as refused:
        if refused.code == "training-first":
            return redirect("judge-training", campaign.slug)
        paper, told = None, str(refused)
    screen = screen_of(request.user, campaign, topic)
    screen.paper = paper
    context = context_of(screen)
    if paper is None:
        context |= over_context(request.user, campaign, topic, screen.progress, told)
    return render(request, "judging/screen.html", context)
