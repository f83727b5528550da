"""Reading: the gate through which views reach a campaign, and what its pages show."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from campaigns.models import Campaign, User
from campaigns.rules import require


def campaign_for(
    user: User | AnonymousUser, slug: str, permission: str = "campaigns.view"
) -> Campaign:
    """The campaign ``slug``, if ``user`` may see it (404) and has ``permission`` (403)."""
    campaign = Campaign.objects.visible_to(user).filter(slug=slug).first()
    if campaign is None:
        raise Http404(f"no campaign {slug}")
    require(user, permission, campaign)
    return campaign
