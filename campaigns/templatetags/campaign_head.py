"""The head of every campaign page, with notices for participants."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from campaigns.lifecycle.head import CampaignHead, build_campaign_head, get_place
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign
from campaigns.queries.lists import list_notices_for

register = template.Library()


@register.inclusion_tag("partials/campaign_head.html", takes_context=True)
def campaign_head(context: Context, campaign: Campaign) -> dict[str, Any]:
    """The head as ``request.user`` may see it; a page that shows more of it hands it over."""
    request: HttpRequest = context["request"]
    head = context.get("head")
    if not isinstance(head, CampaignHead):
        status = get_campaign_status(campaign, request.user)  # type: ignore[arg-type]
        head = build_campaign_head(status, get_place(request))
    # For what comes below: the help that the footer offers is of the reader's role.
    request.campaign_roles = head.roles  # type: ignore[attr-defined]
    return vars(head)


@register.inclusion_tag("campaigns/told.html", takes_context=True)
def show_campaign_notices(context: Context, campaign: Campaign) -> dict[str, Any]:
    """Closed submission, changed visibility and corrections, for members of ``campaign``."""
    request: HttpRequest = context["request"]
    notices = list_notices_for(request.user, campaign)  # type: ignore[arg-type]
    return {"told": notices, "campaign": campaign}
