"""What a campaign asks with each run."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from campaigns.errors import ActionRefused
from campaigns.forms.runs import BaseRunFieldFormSet, RunFieldFormSet, list_initial_rows
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.services.campaigns import update_campaign
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from poolbench.runs.run_form import list_field_faults


@require_http_methods(["GET", "POST"])
def run_form_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The fields, each a row; saved together."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    faults: list[str] = []
    rows = RunFieldFormSet(initial=list_initial_rows(campaign.run_form), prefix="fields")
    if request.method == "POST":
        rows = RunFieldFormSet(request.POST, prefix="fields")
        faults = save_run_form(request, campaign, cast(BaseRunFieldFormSet, rows))
        if not faults:
            messages.success(request, "Run form saved.")
            return redirect("run-form", campaign.slug)
    page = {
        "campaign": campaign,
        "rows": rows,
        "faults": faults,
        "runs": campaign.runs.count(),
    }
    return render_page(request, "campaigns/run_form.html", page, status=422 if faults else 200)


def save_run_form(
    request: SignedInRequest, campaign: Campaign, rows: BaseRunFieldFormSet
) -> list[str]:
    """Save the posted fields; all faults if there are any."""
    if not rows.is_valid():
        return ["The form has errors: see its rows."]
    fields = rows.run_fields()
    if faults := list_field_faults(fields):
        return faults
    try:
        stored = Campaign.objects.get(pk=campaign.pk)
        plain = [field.as_dict() for field in fields]
        update_campaign(actor=request.user, campaign=stored, run_fields=plain)
    except ActionRefused as refused:
        return [str(refused)]
    return []
