"""The guidelines in all their versions."""

from __future__ import annotations

from itertools import pairwise

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from campaigns.core.changes import changes
from campaigns.queries import campaign_for
from campaigns.rules import organizes
from campaigns.views.signed_in import SignedIn


@require_safe
def guidelines(request: SignedIn, slug: str) -> HttpResponse:
    """Every version, newest first, each with what it changed in the one before."""
    campaign = campaign_for(request.user, slug, "campaigns.see_guidelines")
    versions = list(campaign.guideline_versions.select_related("by"))
    changed = [changes(old.text, new.text) for new, old in pairwise(versions)]
    shown = {
        "campaign": campaign,
        "versions": list(zip(versions, [*changed, []], strict=False)),
        "organizes": organizes(request.user, campaign),
        "crumbs": [(gettext("Guidelines"), None)],
    }
    return render(request, "campaigns/guidelines.html", shown)
