"""The head of every campaign page."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from campaigns.lifecycle.head import build_campaign_head
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Campaign

register = template.Library()


@register.inclusion_tag("partials/campaign_head.html", takes_context=True)
def campaign_head(context: Context, campaign: Campaign) -> dict[str, Any]:
    """The head as ``request.user`` may see it."""
    request: HttpRequest = context["request"]
    status = get_campaign_status(campaign, request.user)  # type: ignore[arg-type]
    route = request.resolver_match.route if request.resolver_match else ""
    return vars(build_campaign_head(status, request.path, route))
