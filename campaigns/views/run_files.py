"""The list of runs as a file."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from campaigns.api.attachments import streaming_response
from campaigns.models import Run
from campaigns.queries.lists import get_campaign_for, list_runs_for
from campaigns.queries.run_checks import mark_check_places
from campaigns.views.helpers import SignedInRequest
from poolbench.reports.csv import iter_csv_parts
from poolbench.runs.run_form import format_answer

COLUMNS = (
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
    heads = (*COLUMNS, *(f"answer.{name}" for name in fields))
    parts = iter_csv_parts("runs", heads, rows, {"campaign": slug})
    return streaming_response(parts, f"{slug}-runs.csv")


def list_run_cells(run: Run) -> list[str]:
    """The values of ``COLUMNS``."""
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
