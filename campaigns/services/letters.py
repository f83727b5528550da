"""Letters about runs, deadlines and corrections, queued by the acts that they are about."""

from datetime import datetime
from typing import Any

from django.urls import reverse

from campaigns.models import Campaign, Erratum, Event, Run, Team
from campaigns.queries.mail import list_concerned_members, list_people_of_teams
from campaigns.services.mail import queue_mail
from poolbench.files.faults import FaultReport


def queue_run_letters(run: Run, state: str, fields: dict[str, Any]) -> None:
    """Tell the team that the check has accepted or rejected ``run``; ``fields`` are its outcome."""
    report = FaultReport.from_dict(fields["report"])
    context = {
        "team": run.team,
        "tag": fields["tag"] or run.file_name,
        "errors": sum(n for code, n in report.counts.items() if code.startswith("E")),
        "warnings": sum(n for code, n in report.counts.items() if code.startswith("W")),
        "first": next((str(fault) for fault in report.faults if fault.is_error), ""),
        "deadline": run.campaign.get_deadline_for(run.team.runs_deadline),
    }
    queue_mail(
        f"run_{state}",
        list_people_of_teams(run.campaign, run.team),
        key=f"run {run.pk}",
        campaign=run.campaign,
        context=context,
        path=run.get_absolute_url(),
    )


def queue_deadline_letters(
    event: Event, campaign: Campaign, until: datetime | None, team: Team | None
) -> None:
    """Tell the teams, or ``team`` alone, that runs are taken until ``until``, as ``event`` says."""
    queue_mail(
        event.code.replace(".", "_"),
        list_people_of_teams(campaign, team),
        key=f"event {event.pk}",
        campaign=campaign,
        context={"until": until, "team": team},
        path=reverse("runs", args=[campaign.slug]),
    )


def queue_erratum_letters(erratum: Erratum) -> None:
    """Tell those whom the correction of a text concerns."""
    campaign = erratum.campaign
    queue_mail(
        "text_corrected",
        list_concerned_members(erratum),
        key=f"erratum {erratum.pk}",
        campaign=campaign,
        context={"erratum": erratum},
        path=f"{reverse('errata', args=[campaign.slug])}#c{erratum.number}",
    )
