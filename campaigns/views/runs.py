"""Runs: a team's own, or all for organizers; their submission and the result of the check."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from django.contrib import messages
from django.core.paginator import Page
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import attachment_response
from campaigns.core.confirmation import Decision
from campaigns.core.faults import FaultReport, format_count
from campaigns.errors import ActionRefused
from campaigns.forms.settings import RunForm
from campaigns.models import Campaign, Job, Run, Team
from campaigns.queries.confirmations.runs import describe_closing, describe_withdrawal
from campaigns.queries.lists import (
    get_campaign_for,
    list_open_rejections,
    list_runs_for,
    list_teams_for,
)
from campaigns.rules import is_organizer_anywhere
from campaigns.services.campaigns import close_submissions
from campaigns.services.rejections import dismiss_rejections
from campaigns.services.runs import (
    latest_check_job,
    read_original_file,
    requeue_run_check,
    submit_and_check_run,
    withdraw_run,
)
from campaigns.views.columns import ColumnChoice, TableColumn, choose_columns
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import MOST_ROWS, SignedInRequest, paginate
from campaigns.views.pages import render_page
from campaigns.views.row_filters import RowFilter, filter_rows


@dataclass(frozen=True)
class RunsPage:
    """``rejections``: rejected runs that still need the attention of the user's team; ``page_obj``:
    the runs of the states and kinds chosen in the address, of ``total`` in all.
    """

    campaign: Campaign
    page_obj: Page[Run]
    total: int
    states: RowFilter
    kinds: RowFilter
    column_choice: ColumnChoice
    accepted: int
    organizes: bool
    team_count: int
    may_upload: bool
    takes_runs: bool
    rejections: list[Run]


class TeamQuota(NamedTuple):
    """``remaining``: the runs that the team may still submit; None without a limit."""

    team: Team
    accepted: int
    remaining: int | None


@dataclass(frozen=True)
class RunUploadPage:
    campaign: Campaign
    form: RunForm
    quotas: list[TeamQuota]
    has_teams: bool
    has_topics: bool
    may_upload: bool


@dataclass(frozen=True)
class RunPage:
    """``job``: the check in progress, if any; ``may_change``: replace or withdraw the run."""

    campaign: Campaign
    run: Run
    job: Job | None
    report: FaultReport | None
    replaced_by: Run | None
    may_change: bool
    released: bool
    may_upload: bool


COLUMNS = (
    TableColumn("team", "Team"),
    TableColumn("state", "State"),
    TableColumn("kind", "Run type"),
    TableColumn("priority", "Priority"),
    TableColumn("topics", "Topics"),
    TableColumn("documents", "Documents"),
    TableColumn("faults", "Errors and warnings"),
    TableColumn("submitted", "Submitted (UTC)"),
    TableColumn("file", "File"),
)


@require_safe
def runs_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    runs = list(list_runs_for(request.user, campaign))
    accepted = sum(run.state == Run.State.ACCEPTED for run in runs)
    own_teams = [member.team_id for member in campaign.members.filter(user=request.user)
                 if member.team_id is not None]  # fmt: skip
    organizes = is_organizer_anywhere(request.user, campaign)
    listed, states = filter_rows(
        request, runs, lambda run: run.state, parameter="state", label="State",
        labels=dict(Run.State.choices),
    )  # fmt: skip
    listed, kinds = filter_rows(
        request, listed, lambda run: run.kind, parameter="kind", label="Run type",
        labels=dict(Run.Kind.choices),
    )  # fmt: skip
    columns = [column for column in COLUMNS if organizes or column.name != "team"]
    page = RunsPage(
        campaign=campaign,
        page_obj=paginate(request, listed, MOST_ROWS),
        total=len(runs),
        states=states,
        kinds=kinds,
        column_choice=choose_columns(request, columns, [column.name for column in columns]),
        accepted=accepted,
        organizes=organizes,
        team_count=len({run.team_id for run in runs}),
        may_upload=may_upload(request, campaign),
        takes_runs=campaign.takes_runs(),
        rejections=list_open_rejections(campaign, own_teams) if own_teams else [],
    )
    return render_page(request, "campaigns/runs.html", page)


@require_POST
def rejections_dismiss_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """End the reminder of rejected runs of the user's team."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    count = dismiss_rejections(actor=request.user, campaign=campaign)
    messages.success(request, f"{format_count(count, 'rejected run')} dismissed.")
    return redirect("runs", campaign.slug)


def may_upload(request: SignedInRequest, campaign: Campaign) -> bool:
    return is_organizer_anywhere(request.user, campaign) or campaign.takes_runs()


@require_http_methods(["GET", "POST"])
def run_upload_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    chosen = {"replaces": request.GET.get("replaces")}
    form = RunForm(initial=chosen, user=request.user, campaign=campaign)
    choices = form.fields["replaces"].queryset  # type: ignore[attr-defined]
    if chosen["replaces"] and chosen["replaces"] not in {str(run.pk) for run in choices}:
        message = "The run to be replaced is no longer accepted. Submitting now creates a new run."
        messages.warning(request, message)
    if request.method == "POST":
        form = RunForm(request.POST, request.FILES, user=request.user, campaign=campaign)
        if form.is_valid():
            try:
                return redirect(submit_from_form(request, campaign, form))
            except ActionRefused as refused:
                form.add_error(None, str(refused))
    page = RunUploadPage(
        campaign=campaign,
        form=form,
        quotas=list_team_quotas(request, campaign),
        has_teams=campaign.teams.exists(),
        has_topics=campaign.topics.exists(),
        may_upload=may_upload(request, campaign),
    )
    status = 422 if form.errors else 200
    return render_page(request, "campaigns/run_upload.html", page, status=status)


def submit_from_form(request: SignedInRequest, campaign: Campaign, form: RunForm) -> Run:
    """Submit the run; a small one is checked before this returns."""
    fields = dict(form.cleaned_data)
    upload = fields.pop("file")
    return submit_and_check_run(
        actor=request.user,
        campaign=campaign,
        data=upload.read(),
        file_name=upload.name or "run",
        **fields,
    )


def list_team_quotas(request: SignedInRequest, campaign: Campaign) -> list[TeamQuota]:
    """For the teams of this user."""
    limit = campaign.max_runs_per_team
    own = (
        []
        if is_organizer_anywhere(request.user, campaign)
        else list_teams_for(request.user, campaign)
    )
    counts = [(team, team.runs.scored().count()) for team in own]
    return [TeamQuota(t, n, None if limit is None else max(0, limit - n)) for t, n in counts]


@require_safe
def run_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign, run = get_run_for(request, slug, pk)
    page = RunPage(
        campaign=campaign,
        run=run,
        job=latest_check_job(run) if run.state == Run.State.RECEIVED else None,
        report=run.fault_report,
        replaced_by=campaign.runs.filter(replaces=run, state=Run.State.ACCEPTED).first(),
        may_change=run.state == Run.State.ACCEPTED and may_upload(request, campaign),
        released=run.is_released,
        may_upload=may_upload(request, campaign),
    )
    return render_page(request, "campaigns/run.html", page)


@require_safe
def run_file_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The file as it was uploaded."""
    _, run = get_run_for(request, slug, pk)
    return attachment_response(read_original_file(run), run.file_name, "application/octet-stream")


@require_POST
def run_check_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Check a run again after its check failed."""
    _, run = get_run_for(request, slug, pk)
    requeue_run_check(actor=request.user, run=run)
    return redirect(run)


@require_http_methods(["GET", "POST"])
def run_withdraw_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign, run = get_run_for(request, slug, pk)
    if request.method == "GET" and run.state != Run.State.ACCEPTED:
        return redirect(run)

    def act(decision: Decision) -> HttpResponse:
        withdraw_run(actor=request.user, run=run, decision=decision)
        messages.success(request, f"Run {run.tag} withdrawn. It stays on record.")
        return redirect(run)

    describe = partial(describe_withdrawal, run)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def submissions_close_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if not campaign.takes_runs():
        messages.info(request, "Submission is closed already.")
        return redirect("runs", campaign.slug)

    def act(decision: Decision) -> HttpResponse:
        close_submissions(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, "Submission closed.")
        return redirect("runs", campaign.slug)

    describe = partial(describe_closing, campaign)
    return confirm_act(request, campaign, describe=describe, act=act)


def get_run_for(request: SignedInRequest, slug: str, pk: int) -> tuple[Campaign, Run]:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    return campaign, get_object_or_404(list_runs_for(request.user, campaign), pk=pk)
