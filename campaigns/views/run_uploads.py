"""Submit runs, or check them without submitting; what became of several that were sent at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import product
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.http.request import QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import ActionRefused
from campaigns.forms.runs import ANSWER, MOST_FILES, RunForm
from campaigns.models import Campaign, CampaignTask, Run
from campaigns.queries.lists import get_campaign_for, list_runs_for, list_teams_for
from campaigns.queries.run_checks import mark_check_places
from campaigns.queries.tasks import list_open_tasks
from campaigns.rules import is_organizer_anywhere
from campaigns.services.run_files import SentFile
from campaigns.services.run_form import AnswersRefused
from campaigns.services.run_trials import RunTrial, try_run
from campaigns.services.runs import submit_and_check_run, submit_run
from campaigns.views.helpers import SignedInRequest, campaign_url, read_digits
from campaigns.views.pages import render_page

Refusals = list[tuple[str, ActionRefused]]
"""The name of each file that was refused, and why."""


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
    trials: list[RunTrial] = []
    if request.method == "POST":
        trial = "check" in request.POST
        form = RunForm(
            request.POST, request.FILES, user=request.user, campaign=campaign, trial=trial
        )
        if form.is_valid():
            if not trial and (answer := submit_from_form(request, campaign, form)):
                return answer
            trials = try_from_form(request, campaign, form) if trial else []
    page = {
        "campaign": campaign,
        "form": form,
        "trials": trials,
        "quotas": list_team_quotas(request, campaign),
        "has_teams": campaign.teams.exists(),
        "has_topics": campaign.topics.exists(),
        "may_upload": may_upload(request, campaign),
    }
    status = 422 if form.errors else 200
    return render_page(request, "campaigns/run_upload.html", page, status=status)


def submit_from_form(
    request: SignedInRequest, campaign: Campaign, form: RunForm
) -> HttpResponse | None:
    """Submit each file as a run; small ones are checked before this returns. None if no file was
    taken: the faults are in the form.
    """
    fields, uploads = read_form(form)
    runs: list[Run] = []
    refused: Refusals = []
    size = sum(upload.size or 0 for upload in uploads)
    # The checks of many small files would take as long as that of a large one.
    is_small = len(uploads) == 1 or size <= settings.POOLBENCH_CHECK_AT_ONCE_BYTES
    submit = submit_and_check_run if is_small else submit_run
    for upload in uploads:
        file_name = upload.name or "run"
        sent_file = SentFile.from_upload(upload)
        try:
            run = submit(
                actor=request.user, campaign=campaign, data=sent_file, file_name=file_name, **fields
            )
            runs.append(run)
        except ActionRefused as refusal:
            refused.append((file_name, refusal))
    if not runs:
        add_refusals(form, refused)
        return None
    if len(uploads) == 1:
        return redirect(runs[0])
    for name, why in refused:
        message = _("%(file)s was not submitted. %(why)s")
        messages.error(request, message % {"file": name, "why": why})
    query = QueryDict(mutable=True)
    query.setlist("run", [str(run.pk) for run in runs])
    return redirect(f"{campaign_url('runs-submitted', campaign)}?{query.urlencode()}")


def add_refusals(form: RunForm, refused: Refusals) -> None:
    for name, refusal in refused:
        if isinstance(refusal, AnswersRefused) and len(refused) == 1:
            for field, fault in refusal.faults.items():
                form.add_error(f"{ANSWER}{field}", fault)
        else:
            form.add_error(None, str(refusal) if len(refused) == 1 else f"{name}: {refusal}")


def read_form(form: RunForm) -> tuple[dict[str, Any], list[UploadedFile[Any]]]:
    values = form.cleaned_data
    names = ("team", "tag", "description", "kind", "priority", "replaces")
    fields = {name: values[name] for name in names}
    if "task" in values:
        fields["task"] = values["task"]
    return fields | {"key": str(values["key"] or ""), "answers": form.answers}, values["file"]


def try_from_form(request: SignedInRequest, campaign: Campaign, form: RunForm) -> list[RunTrial]:
    """Check each file without submitting it."""
    fields, uploads = read_form(form)
    trials: list[RunTrial] = []
    refused: Refusals = []
    for upload in uploads:
        name = upload.name or "run"
        try:
            trial = try_run(
                actor=request.user, campaign=campaign, team=fields["team"],
                data=SentFile.from_upload(upload), file_name=name, tag=fields["tag"],
                replaces=fields["replaces"], task=fields.get("task"),
            )  # fmt: skip
            trials.append(trial)
        except ActionRefused as refusal:
            refused.append((name, refusal))
    add_refusals(form, refused)
    return trials


@require_safe
def runs_submitted_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """What became of the runs that one form has sent."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_runs")
    numbers = [read_digits(text) for text in request.GET.getlist("run")[:MOST_FILES]]
    chosen = list_runs_for(request.user, campaign).filter(pk__in=[n for n in numbers if n])
    runs = sorted(chosen, key=lambda run: run.pk)
    mark_check_places(runs)
    page = {
        "campaign": campaign,
        "runs": runs,
        "accepted": sum(run.state == Run.State.ACCEPTED for run in runs),
        "rejected": sum(run.state == Run.State.REJECTED for run in runs),
        "unchecked": sum(run.state == Run.State.RECEIVED for run in runs),
        "may_upload": may_upload(request, campaign),
    }
    return render_page(request, "campaigns/runs_submitted.html", page)


def may_upload(request: SignedInRequest, campaign: Campaign) -> bool:
    if is_organizer_anywhere(request.user, campaign) or campaign.takes_runs():
        return True
    teams = list_teams_for(request.user, campaign)
    return any(campaign.is_open_for(team.runs_deadline) for team in teams)


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
