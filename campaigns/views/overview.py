"""The overview of a campaign: what comes next, and how good is what there is."""

from datetime import datetime, timedelta

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from campaigns.lifecycle.head import build_campaign_head, get_place
from campaigns.lifecycle.registry import Status, list_audiences, list_dates, list_verdicts
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Role
from campaigns.queries.collection_files import count_collection_documents
from campaigns.queries.lists import get_campaign_for, list_members_by_role
from campaigns.rules import get_roles, is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page

SOON = timedelta(days=30)
"""A date nearer than this is given in days as well."""


@require_safe
def campaign_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug)
    # All members see the organizers; only organizers see the other members.
    people = list_members_by_role(campaign)
    manages = is_organizer_anywhere(request.user, campaign)
    if not manages:
        people = [row for row in people if row[0] == str(Role.ORGANIZER.label)]
    status = get_campaign_status(campaign, request.user)
    # ``verdicts`` is None for those who do not see them; ``has_dates``: deadlines are set.
    page = {
        "campaign": campaign,
        "head": build_campaign_head(status, get_place(request)),
        "verdicts": list_verdicts(status) if manages else None,
        "dates": build_date_rows(status, timezone.now()),
        "has_dates": bool(campaign.runs_deadline or campaign.judging_deadline),
        "audiences": list_audiences(status),
        "grades": campaign.grades.all(),
        "people": people,
        "roles": get_roles(request.user, campaign),
        "organizes": manages,
        "topic_count": campaign.topics.count(),
        "document_count": count_collection_documents(campaign),
        "team_count": campaign.teams.count(),
    }
    return render_page(request, "campaigns/campaign.html", page)


def build_date_rows(status: Status, now: datetime) -> list[dict[str, object]]:
    """``is_next``: the first one ahead; ``distance``: how far ahead in words, if it is near."""
    dates = list_dates(status)
    ahead = next((date for date in dates if date.at > now), None)
    return [
        {
            "at": date.at,
            "label": str(date.ahead if date.at > now else date.past),
            "is_past": date.at <= now,
            "is_next": date == ahead,
            "distance": format_distance(date.at - now),
        }
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
