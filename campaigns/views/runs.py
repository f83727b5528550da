"""Runs: a team's own, or all for organizers; the run form, submission and the check."""

from functools import partial
from typing import cast

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import streaming_response
from campaigns.api.run_files import run_file_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, format_utc
from campaigns.forms.corrections import ReopeningForm
from campaigns.forms.runs import BaseRunFieldFormSet, RunFieldFormSet, list_initial_rows
from campaigns.lifecycle.registry import list_run_notes
from campaigns.models import Campaign, Run
from campaigns.queries.confirmations.runs import (
    describe_closing,
    describe_reopening,
    describe_withdrawal,
    format_submission,
)
from campaigns.queries.lists import get_campaign_for, list_open_rejections, list_runs_for
from campaigns.queries.run_checks import mark_check_places
from campaigns.rules import is_organizer_anywhere
from campaigns.services.campaigns import (
    check_later_deadline,
    close_submissions,
    reopen_submissions,
    update_campaign,
)
from campaigns.services.runs import (
    dismiss_rejections,
    latest_check_job,
    requeue_run_check,
    withdraw_run,
)
from campaigns.templatetags.figures import ANSWER, list_labelled_answers
from campaigns.views.columns import TableColumn, choose_columns
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import MOST_ROWS, SignedInRequest, collect_refusal, paginate
from campaigns.views.pages import render_page
from campaigns.views.row_filters import RowFilter, filter_rows
from campaigns.views.run_uploads import may_upload
from poolbench.reports.csv import iter_csv_parts
from poolbench.runs.ir_metadata import format_block
from poolbench.runs.run_form import format_answer, list_field_faults

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
    listed, by_task = filter_by_task(request, listed, tasks)
    hidden = [*([] if organizes else ["team"]), *([] if tasks else ["task"])]
    columns = [column for column in COLUMNS if column.name not in hidden]
    defaults = [column.name for column in columns]
    columns += (
        TableColumn(f"{ANSWER}{field.name}", field.label, field.help, "text opt")
        for field in campaign.run_form
    )
    page_obj = paginate(request, listed, MOST_ROWS)
    mark_check_places(page_obj)
    # ``rejections``: rejected runs that still need the attention of the user's team;
    # ``page_obj``: the runs of the states and kinds chosen in the address, of ``total`` in
    # all.
    page = {
        "campaign": campaign,
        "page_obj": page_obj,
        "total": len(runs),
        "states": states,
        "kinds": kinds,
        "by_task": by_task,
        "has_tasks": bool(tasks),
        "column_choice": choose_columns(request, columns, defaults),
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


def filter_by_task(
    request: SignedInRequest, runs: list[Run], tasks: dict[str, str]
) -> tuple[list[Run], RowFilter]:
    """``tasks``: the name of each by its short name."""
    return filter_rows(
        request, runs, lambda run: run.task.slug if run.task else NO_TASK, parameter="task",
        label=_("Task"), labels=tasks | {NO_TASK: _("none")},
    )  # fmt: skip


@require_POST
def rejections_dismiss_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """End the reminder of rejected runs of the user's team."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    count = dismiss_rejections(actor=request.user, campaign=campaign)
    message = ngettext("%(n)s rejected run dismissed.", "%(n)s rejected runs dismissed.", count)
    messages.success(request, message % {"n": count})
    return redirect("runs", campaign.slug)


def may_change(request: SignedInRequest, run: Run) -> bool:
    """Whether the user may replace or withdraw ``run`` now: not after the deadline of its team."""
    is_open = run.campaign.is_open_for(run.team.runs_deadline)
    organizes = is_organizer_anywhere(request.user, run.campaign)
    return run.state == Run.State.ACCEPTED and (organizes or is_open)


@require_safe
def run_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    campaign, run = get_run_for(request, slug, pk)
    mark_check_places([run])
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
        "answers": list_labelled_answers(run),
        "metadata": format_block(run.ir_metadata) if run.ir_metadata else "",
    }
    return render_page(request, "campaigns/run.html", page)


@require_safe
def run_file_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The file as it was uploaded; with ``?metadata`` in the address, with its metadata."""
    _, run = get_run_for(request, slug, pk)
    return run_file_response(run, with_metadata="metadata" in request.GET)


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
        with collect_refusal(form):
            check_later_deadline(campaign, until, team)
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


FILE_COLUMNS = (
    "id", "team", "tag", "state", "check", "kind", "priority", "topics", "documents", "codes",
    "submitted_at", "checked_at", "after_release", "file_name", "sha256", "description",
)  # fmt: skip


@require_safe
def runs_download_view(request: SignedInRequest, slug: str) -> HttpResponseBase:
    """The runs that the user sees, with their answers to the run form, as CSV."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    fields = [field.name for field in campaign.run_form]
    runs = list(list_runs_for(request.user, campaign))
    mark_check_places(runs)
    rows = ([*list_run_cells(run), *list_answer_cells(run, fields)] for run in runs)
    heads = (*FILE_COLUMNS, *(f"answer.{name}" for name in fields))
    parts = iter_csv_parts("runs", heads, rows, {"campaign": slug})
    return streaming_response(parts, f"{slug}-runs.csv")


def list_run_cells(run: Run) -> list[str]:
    """The values of ``FILE_COLUMNS``."""
    counts = run.report.get("found", {})
    checked = run.checked_at.isoformat() if run.checked_at else ""
    codes = " ".join(run.report.get("counts", ()))
    values = (
        run.pk, run.team.name, run.tag, run.state, run.check_place or "", run.kind, run.priority,
        counts.get("topics", ""), counts.get("documents", ""), codes,
        run.submitted_at.isoformat(), checked, "yes" if run.after_release else "no",
        run.file_name, run.sha256, run.description,
    )  # fmt: skip
    return [str(value) for value in values]


def list_answer_cells(run: Run, fields: list[str]) -> list[str]:
    return [format_answer(run.answers.get(name)) for name in fields]


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
    page = {"campaign": campaign, "rows": rows, "faults": faults, "runs": campaign.runs.count()}
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
