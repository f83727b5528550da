"""The overview of a campaign: what comes next, and how good is what there is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from campaigns.lifecycle.head import CampaignHead, build_campaign_head, get_place
from campaigns.lifecycle.registry import (
    PageVerdict,
    Status,
    list_audiences,
    list_dates,
    list_verdicts,
)
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign, Grade, Role
from campaigns.queries.lists import MembersOfRole, get_campaign_for, list_members_by_role
from campaigns.rules import get_roles, is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from campaigns.views.verdicts import LABELS

SOON = timedelta(days=30)
"""A date nearer than this is given in days as well."""


@dataclass(frozen=True)
class VerdictRow:
    """A verdict in one line; ``state_label`` says its state in words. The figures may be older
    than the page: ``computed_at`` is shown with it.
    """

    label: str
    state: str
    state_label: str | Promise
    sentence: str
    url: str
    computed_at: datetime | None


@dataclass(frozen=True)
class DateRow:
    """``is_next``: the first one ahead; ``distance``: how far ahead in words, if it is near."""

    at: datetime
    label: str
    is_past: bool
    is_next: bool
    distance: str


@dataclass(frozen=True)
class AudienceRow:
    label: str
    readers: str
    url: str


@dataclass(frozen=True)
class CampaignPage:
    """``verdicts`` is None for those who do not see them; ``has_dates``: deadlines are set."""

    campaign: Campaign
    head: CampaignHead
    verdicts: list[VerdictRow] | None
    dates: list[DateRow]
    has_dates: bool
    audiences: list[AudienceRow]
    grades: QuerySet[Grade]
    people: list[MembersOfRole]
    roles: Collection[str]
    organizes: bool
    topic_count: int
    document_count: int
    team_count: int


@require_safe
def campaign_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    # All members see the organizers; only organizers see the other members.
    people = list_members_by_role(campaign)
    manages = is_organizer_anywhere(request.user, campaign)
    if not manages:
        people = [row for row in people if row.label == str(Role.ORGANIZER.label)]
    status = get_campaign_status(campaign, request.user)
    page = CampaignPage(
        campaign=campaign,
        head=build_campaign_head(status, get_place(request)),
        verdicts=build_verdict_rows(campaign, list_verdicts(status)) if manages else None,
        dates=build_date_rows(status, timezone.now()),
        has_dates=bool(campaign.runs_deadline or campaign.judging_deadline),
        audiences=build_audience_rows(status),
        grades=campaign.grades.all(),
        people=people,
        roles=get_roles(request.user, campaign),
        organizes=manages,
        topic_count=campaign.topics.count(),
        document_count=campaign.documents.count(),
        team_count=campaign.teams.count(),
    )
    return render_page(request, "campaigns/campaign.html", page)


def build_verdict_rows(campaign: Campaign, verdicts: Sequence[PageVerdict]) -> list[VerdictRow]:
    return [
        VerdictRow(
            label=str(row.label),
            state=row.verdict.state.value,
            state_label=LABELS[row.verdict.state],
            sentence=row.verdict.sentence,
            url=reverse(row.page, args=[campaign.slug, *row.args]),
            computed_at=row.computed_at,
        )
        for row in verdicts
    ]


def build_date_rows(status: Status, now: datetime) -> list[DateRow]:
    dates = list_dates(status)
    ahead = next((date for date in dates if date.at > now), None)
    return [
        DateRow(
            at=date.at,
            label=str(date.ahead if date.at > now else date.past),
            is_past=date.at <= now,
            is_next=date == ahead,
            distance=format_distance(date.at - now),
        )
        for date in dates
    ]


def format_distance(ahead: timedelta) -> str:
    """ "in 2 days" from the next day on, "in 5 hours" on the same; "" for what is past or far."""
    if ahead <= timedelta(0) or ahead > SOON:
        return ""
    if ahead.days:
        return ngettext("in %(n)s day", "in %(n)s days", ahead.days) % {"n": ahead.days}
    hours = ahead.seconds // 3600
    if not hours:
        return _("within the hour")
    return ngettext("in %(n)s hour", "in %(n)s hours", hours) % {"n": hours}


def build_audience_rows(status: Status) -> list[AudienceRow]:
    slug = status.campaign.slug
    return [
        AudienceRow(
            str(row.label), str(row.readers), reverse(row.page, args=[slug]) if row.page else ""
        )
        for row in list_audiences(status)
    ]
