"""Notices for participants at the top of every page of a campaign."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context

from campaigns.models import Campaign
from campaigns.queries.lists import list_notices_for

register = template.Library()


@register.inclusion_tag("campaigns/told.html", takes_context=True)
def show_campaign_notices(context: Context, campaign: Campaign) -> dict[str, Any]:
    """Closed submission and changed visibility, for the participants of ``campaign``."""
    request: HttpRequest = context["request"]
    return {"told": list_notices_for(request.user, campaign)}  # type: ignore[arg-type]
