"""Runs: a team's own, or all for organizers; their submission and the result of the check."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import product

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import attachment_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, format_utc
from campaigns.forms.corrections import ReopeningForm
from campaigns.forms.settings import RunForm
from campaigns.lifecycle.registry import list_run_notes
from campaigns.models import Campaign, CampaignTask, Run
from campaigns.queries.confirmations.runs import (
    describe_closing,
    describe_reopening,
    describe_withdrawal,
    format_submission,
)
from campaigns.queries.lists import (
    get_campaign_for,
    list_open_rejections,
    list_runs_for,
    list_teams_for,
)
from campaigns.queries.tasks import list_open_tasks
from campaigns.rules import is_organizer_anywhere
from campaigns.services.campaigns import (
    check_later_deadline,
    close_submissions,
    reopen_submissions,
)
from campaigns.services.runs import (
    dismiss_rejections,
    latest_check_job,
    read_original_file,
    requeue_run_check,
    submit_and_check_run,
    withdraw_run,
)
from campaigns.views.columns import TableColumn, choose_columns
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import MOST_ROWS, SignedInRequest, paginate
from campaigns.views.pages import render_page
from campaigns.views.row_filters import filter_rows

COLUMNS = (
    TableColumn("team", gettext_lazy("Team"), marks="text opt"),
    TableColumn("task", gettext_lazy("Task"), marks="text opt"),
    TableColumn("state", gettext_lazy("State"), marks="text main"),
    TableColumn("kind", gettext_lazy("Run type"), marks="text opt"),
    TableColumn("priority", gettext_lazy("Priority"), marks="num opt sort"),
    TableColumn("topics", gettext_lazy("Topics"), marks="num opt sort"),
    TableColumn("documents", gettext_lazy("Documents"), marks="num opt sort"),
    TableColumn("faults", gettext_lazy("Errors and warnings"), marks="num opt sort"),
    TableColumn("submitted", gettext_lazy("Submitted (UTC)"), marks="text opt"),
    TableColumn("file", gettext_lazy("File"), marks="opt"),
)
NO_TASK = "~"
"""In the address of the list: runs that name no task. No task has this short name."""


@require_safe
def runs_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    runs = list(list_runs_for(request.user, campaign))
    accepted = sum(run.state == Run.State.ACCEPTED for run in runs)
    own_teams = [member.team_id for member in campaign.members.filter(user=request.user)
                 if member.team_id is not None]  # fmt: skip
    organizes = is_organizer_anywhere(request.user, campaign)
    listed, states = filter_rows(
        request, runs, lambda run: run.state, parameter="state", label=_("State"),
        labels=dict(Run.State.choices),
    )  # fmt: skip
    listed, kinds = filter_rows(
        request, listed, lambda run: run.kind, parameter="kind", label=_("Run type"),
        labels=dict(Run.Kind.choices),
    )  # fmt: skip
    tasks = {task.slug: task.name for task in campaign.tasks.all()}
    listed, by_task = filter_rows(
        request, listed, lambda run: run.task.slug if run.task else NO_TASK, parameter="task",
        label=_("Task"), labels=tasks | {NO_TASK: _("none")},
    )  # fmt: skip
    hidden = [*([] if organizes else ["team"]), *([] if tasks else ["task"])]
    columns = [column for column in COLUMNS if column.name not in hidden]
    # ``rejections``: rejected runs that still need the attention of the user's team;
    # ``page_obj``: the runs of the states and kinds chosen in the address, of ``total`` in
    # all.
    page = {
        "campaign": campaign,
        "page_obj": paginate(request, listed, MOST_ROWS),
        "total": len(runs),
        "states": states,
        "kinds": kinds,
        "by_task": by_task,
        "has_tasks": bool(tasks),
        "column_choice": choose_columns(request, columns, [column.name for column in columns]),
        "accepted": accepted,
        "organizes": organizes,
        "team_count": len({run.team_id for run in runs}),
        "may_upload": may_upload(request, campaign),
        "takes_runs": campaign.takes_runs(),
        "can_close": campaign.takes_runs_of_a_team(),
        "has_deadline": campaign.runs_deadline is not None,
        "submission": format_submission(campaign) if organizes else "",
        "rejections": list_open_rejections(own_teams),
    }
    return render_page(request, "campaigns/runs.html", page)


@require_POST
def rejections_dismiss_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """End the reminder of rejected runs of the user's team."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    count = dismiss_rejections(actor=request.user, campaign=campaign)
    message = ngettext("%(n)s rejected run dismissed.", "%(n)s rejected runs dismissed.", count)
    messages.success(request, message % {"n": count})
    return redirect("runs", campaign.slug)


def may_upload(request: SignedInRequest, campaign: Campaign) -> bool:
    if is_organizer_anywhere(request.user, campaign) or campaign.takes_runs():
        return True
    teams = list_teams_for(request.user, campaign)
    return any(campaign.is_open_for(team.runs_deadline) for team in teams)


@require_http_methods(["GET", "POST"])
def run_upload_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    chosen = {"replaces": request.GET.get("replaces")}
    form = RunForm(initial=chosen, user=request.user, campaign=campaign)
    choices = form.fields["replaces"].queryset  # type: ignore[attr-defined]
    if chosen["replaces"] and chosen["replaces"] not in {str(run.pk) for run in choices}:
        message = _(
            "The run to be replaced is no longer accepted. Submitting now creates a new run."
        )
        messages.warning(request, message)
    if request.method == "POST":
        form = RunForm(request.POST, request.FILES, user=request.user, campaign=campaign)
        if form.is_valid():
            try:
                return redirect(submit_from_form(request, campaign, form))
            except ActionRefused as refused:
                form.add_error(None, str(refused))
    page = {
        "campaign": campaign,
        "form": form,
        "quotas": list_team_quotas(request, campaign),
        "has_teams": campaign.teams.exists(),
        "has_topics": campaign.topics.exists(),
        "may_upload": may_upload(request, campaign),
    }
    status = 422 if form.errors else 200
    return render_page(request, "campaigns/run_upload.html", page, status=status)


def submit_from_form(request: SignedInRequest, campaign: Campaign, form: RunForm) -> Run:
    """Submit the run; a small one is checked before this returns."""
    fields = dict(form.cleaned_data)
    upload, key = fields.pop("file"), fields.pop("key")
    return submit_and_check_run(
        actor=request.user,
        campaign=campaign,
        data=upload.read(),
        file_name=upload.name or "run",
        key=str(key or ""),
        **fields,
    )


def list_team_quotas(
    request: SignedInRequest, campaign: Campaign
) -> list[tuple[str, datetime | None, int, int | None]]:
    """For the teams of this user, or each open task: until when they can submit, accepted runs,
    and how many more; None without a limit.
    """
    if is_organizer_anywhere(request.user, campaign):
        return []
    quotas = []
    tasks: Sequence[CampaignTask | None] = list_open_tasks(campaign) or [None]
    for team, task in product(list_teams_for(request.user, campaign), tasks):
        limit = campaign.max_runs_per_team if task is None else task.run_limit
        ends = campaign.get_deadline_for(team.runs_deadline)
        if task is not None and task.runs_deadline is not None:
            ends = min(task.runs_deadline, ends or task.runs_deadline)
        count = team.runs.scored().filter(task=task).count()
        remaining = None if limit is None else max(0, limit - count)
        quotas.append((str(task or team), ends, count, remaining))
    return quotas


def may_change(request: SignedInRequest, run: Run) -> bool:
    """Whether the user may replace or withdraw ``run`` now."""
    return run.state == Run.State.ACCEPTED and may_upload(request, run.campaign)


@require_safe
def run_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign, run = get_run_for(request, slug, pk)
    # ``job``: the check in progress, if any; ``may_change``: replace or withdraw the run.
    page = {
        "campaign": campaign,
        "run": run,
        "job": latest_check_job(run) if run.state == Run.State.RECEIVED else None,
        "report": run.fault_report,
        "notes": list_run_notes(request.user, run),
        "replaced_by": campaign.runs.filter(replaces=run, state=Run.State.ACCEPTED).first(),
        "may_change": may_change(request, run),
        "released": run.is_released,
        "may_upload": may_upload(request, campaign),
    }
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
    if request.method == "GET" and not may_change(request, run):
        return redirect(run)

    def act(decision: Decision) -> HttpResponse:
        withdraw_run(actor=request.user, run=run, decision=decision)
        messages.success(
            request, _("Run %(tag)s withdrawn. It stays on record.") % {"tag": run.tag}
        )
        return redirect(run)

    describe = partial(describe_withdrawal, run)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def submissions_close_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if not campaign.takes_runs_of_a_team():
        messages.info(request, "Submission is closed already.")
        return redirect("runs", campaign.slug)

    def act(decision: Decision) -> HttpResponse:
        close_submissions(actor=request.user, campaign=campaign, decision=decision)
        messages.success(request, "Submission closed.")
        return redirect("runs", campaign.slug)

    describe = partial(describe_closing, campaign)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def submissions_reopen_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The new deadline, for all teams or one, then the page that asks."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    sent = request.POST or request.GET
    form = ReopeningForm(sent if "until" in sent else None, campaign=campaign)
    if form.is_valid():
        until, team = form.cleaned_data["until"], form.cleaned_data["team"]
        try:
            check_later_deadline(campaign, until, team)
        except ActionRefused as refused:
            form.add_error(None, str(refused))
    if not form.is_valid():
        page = {"campaign": campaign, "form": form, "takes_runs": campaign.takes_runs()}
        status = 422 if form.is_bound else 200
        return render_page(request, "campaigns/reopen.html", page, status=status)

    def act(decision: Decision) -> HttpResponse:
        reopen_submissions(
            actor=request.user, campaign=campaign, until=until, team=team, decision=decision
        )
        whom = f" for team {team.name}" if team else ""
        messages.success(request, f"Submission is open{whom} until {format_utc(until)}.")
        return redirect("runs", campaign.slug)

    describe = partial(describe_reopening, campaign, until, team)
    fields = [("until", sent["until"]), ("team", str(team.pk) if team else "")]
    return confirm_act(request, campaign, describe=describe, act=act, fields=fields)


def get_run_for(request: SignedInRequest, slug: str, pk: int) -> tuple[Campaign, Run]:
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    return campaign, get_object_or_404(list_runs_for(request.user, campaign), pk=pk)
