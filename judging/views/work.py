"""The assessor's pages: my topics, the judging screen, my judgments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign, Document, Grade, Topic, User
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.forms import JudgeForm, SkipForm, SubmissionForm
from judging.models import Judgment
from judging.queries.judgments import last_said
from judging.queries.progress import Pace, paces_of
from judging.queries.screen import (
    MyTopic,
    document_of,
    my_topics,
    progress_in,
    recent,
    said_by,
    standing,
)
from judging.rules import SKIP_REASONS
from judging.services.work import claim, judge, skip, undo

SKIP_KEYS = dict(zip(SKIP_REASONS, "bldo", strict=True))
PAGE = 50


@dataclass
class Screen:
    """One document in hand, and everything that stands around it."""

    campaign: Campaign
    topic: Topic
    docno: str
    document: Document | None
    progress: MyTopic
    recent: list[Judgment]
    last: Judgment | None
    token: UUID | None = None
    changing: Judgment | None = None
    said: str = ""
    uuid: UUID = field(default_factory=uuid4)
    undo_uuid: UUID = field(default_factory=uuid4)


@require_safe
def work(request: SignedIn, slug: str) -> HttpResponse:
    """My topics, how far I am, how fast I go, where to go on."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topics = my_topics(campaign, request.user)
    context = {
        "campaign": campaign,
        "crumbs": [("Judge", None)],
        "topics": topics,
        "next": next_of(topics),
        "done": sum(row.done for row in topics),
        "of": sum(row.of for row in topics),
        "finished": sum(row.left == 0 for row in topics),
        "pace": paces_of(campaign, request.user).get(request.user.pk, Pace(0, None, None)),
        "is_open": campaign.takes_judgments(),
    }
    return render(request, "judging/work.html", context)


def next_of(topics: list[MyTopic]) -> MyTopic | None:
    """The topic to go on with: one that is begun before one that is not."""
    ready = [row for row in topics if row.left and not (row.paused and not row.held)]
    return min(ready, key=lambda row: row.done == 0 and row.held == 0, default=None)


@never_cache
@require_http_methods(["GET", "POST"])
def judge_view(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The judging screen; a post is a judgment and is answered with the next document."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    if request.method == "POST":
        form = JudgeForm(request.POST)
        return submitted(request, campaign, topic, form, judge)
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
    try:
        uuid = UUID(request.POST.get("client_uuid", ""))
    except ValueError:
        uuid = uuid4()
    back = undo(actor=request.user, campaign=campaign, client_uuid=uuid)
    if back.slot_id is not None:
        return go_on(request, campaign, back.topic)
    return redirect(change_url(campaign, back.topic, back.docno))


@never_cache
@require_safe
def change(request: SignedIn, slug: str, number: str) -> HttpResponse:
    """The screen with a document that the assessor has had before."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    topic = get_object_or_404(campaign.topics, number=number)
    docno = request.GET.get("docno", "")
    before = standing(campaign, request.user, topic, docno)
    if before is None:
        raise Http404("not a document of this assessor")
    screen = screen_of(request.user, campaign, topic, docno)
    screen.changing = before
    return show(request, screen)


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
        "crumbs": [("My judgments", None)],
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
    if not form.is_valid():
        return go_on(request, campaign, topic, "Not saved: the form was incomplete. Judge again.")
    said = form.cleaned_data
    try:
        made = act(actor=request.user, campaign=campaign, topic=topic, **said)
    except Refused as refused:
        return go_on(request, campaign, topic, f"Not saved. {refused}")
    if said.get("grade") != made.grade:
        # A second, different press on a form sent already (the browser's Back): ask again.
        told = "This document is judged already; press a grade to change it."
        messages.info(request, told)
        return leave(request, change_url(campaign, topic, made.docno))
    return go_on(request, campaign, topic)


def go_on(request: SignedIn, campaign: Campaign, topic: Topic, told: str = "") -> HttpResponse:
    """The next document: at once where htmx asked, else by a redirect."""
    address = reverse("judge", args=[campaign.slug, topic.number])
    if is_htmx(request):
        response = show_next(request, campaign, topic, told)
        response["HX-Replace-Url"] = address
        return response
    if told:
        messages.error(request, told)
    return redirect(address)


def leave(request: SignedIn, address: str) -> HttpResponse:
    if is_htmx(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)


def show_next(request: SignedIn, campaign: Campaign, topic: Topic, told: str = "") -> HttpResponse:
    try:
        slot = claim(actor=request.user, campaign=campaign, topic=topic)
    except Refused as refused:
        return show_over(request, campaign, topic, str(refused))
    if slot is None:
        return show_over(request, campaign, topic, told)
    screen = screen_of(request.user, campaign, topic, slot.item.docno)
    screen.token, screen.said = slot.token, told
    return show(request, screen)


def show(request: SignedIn, screen: Screen) -> HttpResponse:
    context: dict[str, Any] = {
        "screen": screen,
        "campaign": screen.campaign,
        "grades": scale_of(screen.campaign),
        "reasons": [(name, SKIP_KEYS[name], told) for name, told in SKIP_REASONS.items()],
    }
    return render(request, template_for(request, "screen"), context)


def show_over(request: SignedIn, campaign: Campaign, topic: Topic, told: str = "") -> HttpResponse:
    """Nothing is left in this topic: say so calmly and offer the next."""
    topics = my_topics(campaign, request.user)
    mine = next((row for row in topics if row.topic == topic), None)
    context = {
        "campaign": campaign,
        "topic": topic,
        "mine": mine,
        "next": next_of([row for row in topics if row.topic != topic]),
        "last": last_said(campaign, request.user).first(),
        "grades": scale_of(campaign),
        "undo_uuid": uuid4(),
        "told": told,
        "is_open": campaign.takes_judgments(),
    }
    return render(request, template_for(request, "over"), context)


def is_htmx(request: SignedIn) -> bool:
    return request.headers.get("HX-Request") == "true"


def template_for(request: SignedIn, name: str) -> str:
    return f"judging/_{name}.html" if is_htmx(request) else f"judging/{name}.html"


def screen_of(assessor: User, campaign: Campaign, topic: Topic, docno: str) -> Screen:
    return Screen(
        campaign=campaign,
        topic=topic,
        docno=docno,
        document=document_of(campaign, docno),
        progress=progress_in(campaign, assessor, topic),
        recent=recent(campaign, assessor, topic),
        last=last_said(campaign, assessor).first(),
    )


def scale_of(campaign: Campaign) -> dict[int, Grade]:
    return {grade.value: grade for grade in campaign.grades.all()}


def change_url(campaign: Campaign, topic: Topic, docno: str) -> str:
    return reverse("judge-change", args=[campaign.slug, topic.number], query={"docno": docno})
