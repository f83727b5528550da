"""Runs: a team's own, or all for organizers; uploading and the check's answer."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.attachments import attachment_response
from campaigns.errors import ActionRefused
from campaigns.forms import RunForm
from campaigns.models import Campaign, Run, Team
from campaigns.queries import get_campaign_for, list_runs_for, list_teams_for
from campaigns.rules import is_organizer_anywhere
from campaigns.services.runs import (
    check_small_run,
    latest_check_job,
    read_original_file,
    requeue_run_check,
    submit_run,
    withdraw_run,
)
from campaigns.views.helpers import SignedInRequest, redirect_to, render_confirmation


@require_safe
def runs_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    found = list(list_runs_for(request.user, campaign))
    accepted = sum(run.state == Run.State.ACCEPTED for run in found)
    shown = {
        "campaign": campaign,
        "runs": found,
        "accepted": accepted,
        "organizes": is_organizer_anywhere(request.user, campaign),
        "team_count": len({run.team_id for run in found}),
        "may_upload": may_upload(request, campaign),
        "crumbs": [("Runs", None)],
    }
    return render(request, "campaigns/runs.html", shown)


def may_upload(request: SignedInRequest, campaign: Campaign) -> bool:
    return is_organizer_anywhere(request.user, campaign) or campaign.takes_runs()


@require_http_methods(["GET", "POST"])
def run_upload_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    chosen = {"replaces": request.GET.get("replaces")}
    form = RunForm(initial=chosen, user=request.user, campaign=campaign)
    choices = form.fields["replaces"].queryset  # type: ignore[attr-defined]
    if chosen["replaces"] and chosen["replaces"] not in {str(run.pk) for run in choices}:
        told = "The run to replace is not accepted any more: a file sent now is a further run."
        messages.warning(request, told)
    if request.method == "POST":
        form = RunForm(request.POST, request.FILES, user=request.user, campaign=campaign)
        if form.is_valid():
            try:
                return redirect(submit_from_form(request, campaign, form))
            except ActionRefused as refused:
                form.add_error(None, str(refused))
    shown = {
        "campaign": campaign,
        "form": form,
        "rooms": list_team_quotas(request, campaign),
        "has_teams": campaign.teams.exists(),
        "has_topics": campaign.topics.exists(),
        "may_upload": may_upload(request, campaign),
        "crumbs": [("Runs", redirect_to("runs", campaign)), ("Upload", None)],
    }
    return render(request, "campaigns/run_upload.html", shown, status=422 if form.errors else 200)


def submit_from_form(request: SignedInRequest, campaign: Campaign, form: RunForm) -> Run:
    """Submit the run; a small one is checked before this returns."""
    fields = dict(form.cleaned_data)
    upload = fields.pop("file")
    run = submit_run(
        actor=request.user,
        campaign=campaign,
        data=upload.read(),
        file_name=upload.name or "run",
        **fields,
    )
    check_small_run(run)
    return run


def list_team_quotas(
    request: SignedInRequest, campaign: Campaign
) -> list[tuple[Team, int, int | None]]:
    """``(team, accepted runs, how many more)`` for the teams of this person."""
    limit = campaign.max_runs_per_team
    own = (
        []
        if is_organizer_anywhere(request.user, campaign)
        else list_teams_for(request.user, campaign)
    )
    counts = [(team, team.runs.accepted().count()) for team in own]
    return [(t, n, None if limit is None else max(0, limit - n)) for t, n in counts]


@require_safe
def run_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign, found = get_run_for(request, slug, pk)
    shown = {
        "campaign": campaign,
        "run": found,
        "job": latest_check_job(found) if found.state == Run.State.RECEIVED else None,
        "report": found.fault_report,
        "replaced_by": campaign.runs.filter(replaces=found, state=Run.State.ACCEPTED).first(),
        "may_change": found.state == Run.State.ACCEPTED and may_upload(request, campaign),
        "may_upload": may_upload(request, campaign),
        "crumbs": [("Runs", redirect_to("runs", campaign)), (found.tag or found.file_name, None)],
    }
    return render(request, "campaigns/run.html", shown)


@require_safe
def run_file_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The file as it was uploaded."""
    _, found = get_run_for(request, slug, pk)
    return attachment_response(
        read_original_file(found), found.file_name, "application/octet-stream"
    )


@require_POST
def run_check_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Check a run again whose check broke off."""
    _, found = get_run_for(request, slug, pk)
    requeue_run_check(actor=request.user, run=found)
    return redirect(found)


@require_http_methods(["GET", "POST"])
def run_withdraw_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign, found = get_run_for(request, slug, pk)
    if request.method == "GET" and found.state != Run.State.ACCEPTED:
        return redirect(found)
    if request.method == "GET":
        return render_confirmation(
            request,
            campaign,
            question=f"Withdraw the run {found.tag}?",
            consequence="It leaves the campaign for good. Its record stays, its tag is free for"
            " your team again, and it no longer counts towards the limit.",
            action="Withdraw the run",
            back=found.get_absolute_url(),
        )
    withdraw_run(actor=request.user, run=found)
    messages.success(request, f"The run {found.tag} is withdrawn. Its record stays.")
    return redirect(found)


def get_run_for(request: SignedInRequest, slug: str, pk: int) -> tuple[Campaign, Run]:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    return campaign, get_object_or_404(list_runs_for(request.user, campaign), pk=pk)
