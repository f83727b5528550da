"""All versions of the guidelines."""

from __future__ import annotations

from itertools import pairwise

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.core.text_diff import diff_lines
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest


@require_safe
def guidelines_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Every version, newest first, each with its changes from the one before."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_guidelines")
    versions = list(campaign.guideline_versions.select_related("by"))
    changed = [diff_lines(old.text, new.text) for new, old in pairwise(versions)]
    context = {
        "campaign": campaign,
        "versions": list(zip(versions, [*changed, []], strict=False)),
        "organizes": is_organizer_anywhere(request.user, campaign),
        "crumbs": [(gettext("Guidelines"), None)],
    }
    return render(request, "campaigns/guidelines.html", context)
