"""Judging today: the verdict, alarms with evidence and act, progress; documents sent to look at
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.lists import get_campaign_for
from campaigns.services.verdicts import get_campaign_verdict
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from campaigns.views.verdicts import ActLink, VerdictPanel, build_act_link, build_current_panel
from judging.core.today.alarm import Alarm
from judging.core.today.verdict import RULE, TODAY
from judging.forms.today import AlarmForm, ReviewForm
from judging.models import AlarmDismissal, ReviewRequest
from judging.queries.today import list_aside_alarms, list_open_reviews
from judging.queries.today_figures import TodayBoard, TopicToday, WatchedRule
from judging.services.today import (
    finish_review,
    put_alarm_aside,
    request_review,
    undo_alarm_dismissal,
)
from judging.views.progress import get_assessor


@dataclass(frozen=True)
class AlarmRow:
    """``dismissal`` is None for an alarm that sounds."""

    alarm: Alarm
    state: str
    acts: Sequence[ActLink]
    dismissal: AlarmDismissal | None = None


@dataclass(frozen=True)
class BoardPart:
    alarms: Sequence[AlarmRow]
    aside: Sequence[AlarmRow]
    topics: Sequence[TopicToday]
    left: int
    watched: Sequence[WatchedRule]


@dataclass(frozen=True)
class TodayPage:
    """``board`` is None until the first figures have been computed."""

    campaign: Campaign
    verdict: VerdictPanel
    rule: str
    board: BoardPart | None
    reviews: Sequence[ReviewRequest]
    has_plans: bool


@require_safe
def judging_today_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    current = get_campaign_verdict(campaign, TODAY.name)
    board = current.figures
    page = TodayPage(
        campaign=campaign,
        verdict=build_current_panel(campaign, current),
        rule=RULE,
        board=build_today_board(campaign, board) if board else None,
        reviews=list_open_reviews(campaign),
        has_plans=campaign.plans.exists(),
    )
    return render_page(request, "judging/today.html", page)


def build_today_board(campaign: Campaign, board: TodayBoard) -> BoardPart:
    rows = list_aside_alarms(campaign)
    return BoardPart(
        alarms=[build_alarm_row(campaign, alarm) for alarm in board.alarms],
        aside=[
            build_alarm_row(campaign, alarm, rows.get((alarm.name, alarm.subject)))
            for alarm in board.aside
        ],
        topics=board.topics,
        left=sum(topic.left for topic in board.topics),
        watched=board.watched,
    )


def build_alarm_row(
    campaign: Campaign, alarm: Alarm, dismissal: AlarmDismissal | None = None
) -> AlarmRow:
    acts = [build_act_link(campaign, act) for act in alarm.acts]
    return AlarmRow(alarm, alarm.state.value, acts, dismissal)


@require_POST
def alarm_aside_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Put an alarm aside with a reason, or, with ``back``, let it sound again."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = AlarmForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Not saved: the form was incomplete.")
        return redirect("judging-today", slug)
    fields = form.cleaned_data
    try:
        if "back" in request.POST:
            fields.pop("reason")
            undo_alarm_dismissal(actor=request.user, campaign=campaign, **fields)
            messages.success(request, "The alarm sounds again.")
        else:
            put_alarm_aside(actor=request.user, campaign=campaign, **fields)
            messages.success(request, "Put aside. It comes back if it gets worse.")
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("judging-today", slug)


@dataclass(frozen=True)
class ReviewPage:
    campaign: Campaign
    person: User
    form: ReviewForm


@require_http_methods(["GET", "POST"])
def review_new_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """Documents for an assessor to look at again, with a message."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    person = get_assessor(campaign, username)
    posted = request.method == "POST"
    form = ReviewForm(request.POST) if posted else ReviewForm(initial={"topic": ""})
    if posted and form.is_valid():
        try:
            row = request_review(
                actor=request.user, campaign=campaign, assessor=person, **form.cleaned_data
            )
            count = len(row.documents)
            messages.success(request, f"Sent to {person.shown_name}: {count} documents.")
            return redirect("judging-today", slug)
        except ActionRefused as refused:
            form.add_error(None, str(refused))
    page = ReviewPage(
        campaign=campaign,
        person=person,
        form=form,
    )
    return render_page(request, "judging/review_new.html", page)


@require_POST
def review_done_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The assessor has looked at the documents again."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    if finish_review(actor=request.user, campaign=campaign, pk=pk):
        messages.success(request, _("Thank you: the organizers see that you are done."))
    return redirect("work", slug)
