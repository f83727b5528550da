"""All versions of the guidelines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import NamedTuple

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from campaigns.core.text_diff import DiffLine, diff_lines
from campaigns.models import Campaign, Guideline
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page


class GuidelinesChange(NamedTuple):
    version: Guideline
    changed: list[DiffLine]


@dataclass(frozen=True)
class GuidelinesPage:
    campaign: Campaign
    versions: list[GuidelinesChange]
    organizes: bool


@require_safe
def guidelines_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Every version, newest first, each with its changes from the one before."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_guidelines")
    versions = list(campaign.guideline_versions.select_related("by"))
    changed = [diff_lines(old.text, new.text) for new, old in pairwise(versions)]
    page = GuidelinesPage(
        campaign=campaign,
        versions=[*starmap(GuidelinesChange, zip(versions, [*changed, []], strict=False))],
        organizes=is_organizer_anywhere(request.user, campaign),
    )
    return render_page(request, "campaigns/guidelines.html", page)
