"""The head of every campaign page."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from campaigns.lifecycle.head import CampaignHead, build_campaign_head, get_place
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign

register = template.Library()


@register.inclusion_tag("partials/campaign_head.html", takes_context=True)
def campaign_head(context: Context, campaign: Campaign) -> dict[str, Any]:
    """The head as ``request.user`` may see it; a page that shows more of it hands it over."""
    request: HttpRequest = context["request"]
    head = context.get("head")
    if not isinstance(head, CampaignHead):
        status = get_campaign_status(campaign, request.user)  # type: ignore[arg-type]
        head = build_campaign_head(status, get_place(request))
    return vars(head)
