"""A machine as second witness, for organizers: findings, figures, files."""

from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.api.attachments import report_response
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import get_report
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.queries.witness_report import WITNESS
from poolbench.estimation.diagnostics.charts import build_team_chart
from poolbench.estimation.diagnostics.confusion import Confusion, ConfusionCell
from poolbench.estimation.diagnostics.findings import list_findings
from poolbench.estimation.diagnostics.formats import FORMATS
from poolbench.estimation.diagnostics.witness import MachineReport, WitnessReport

Table = list[tuple[int, list[ConfusionCell]]]
COMPUTING = "the report is being computed"


@require_safe
def automatic_witness_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """What the grades of one automatic assessor are worth beside people's."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    automatic = get_object_or_404(campaign.automatic_assessors, name=name)
    current = get_report(campaign, WITNESS)
    report: WitnessReport | None = current.report
    own = None if report is None else find_machine(report, name)
    page: dict[str, object] = {
        "campaign": campaign,
        "automatic": automatic,
        "current": current,
        "report": report,
        "own": own,
    }
    if own is not None:
        rows = group_cells(own.confusion) if own.confusion else []
        page |= {
            "findings": list_findings(own),
            "confusion": rows,
            "first_row": rows[0][1] if rows else [],
            "picture": build_team_chart(name, own.teams) if own.teams else None,
        }
    return render_page(request, "evaluation/witness.html", page)


def find_machine(report: WitnessReport, name: str) -> MachineReport | None:
    return next((each for each in report.machines if each.machine == name), None)


def group_cells(confusion: Confusion) -> Table:
    """By people's grade."""
    grades = sorted({cell.people for cell in confusion.cells})
    return [(grade, [c for c in confusion.cells if c.people == grade]) for grade in grades]


@require_safe
def automatic_witness_download_view(
    request: SignedInRequest, slug: str, name: str, fmt: str
) -> HttpResponse:
    """The report on one automatic assessor as a file; before the first one it says so."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    get_object_or_404(campaign.automatic_assessors, name=name)
    report: WitnessReport = get_report(campaign, WITNESS).report or WitnessReport(why=COMPUTING)
    own = find_machine(report, name)
    machines = () if own is None else (own,)
    why = report.why if own else report.why or COMPUTING
    chosen = replace(report, machines=machines, why=why)
    return report_response(f"{slug}-{name}-witness.{fmt}", FORMATS, chosen, campaign.title)
