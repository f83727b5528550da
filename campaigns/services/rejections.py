"""Rejected runs that a team no longer wants to be reminded of."""

from __future__ import annotations

from django.db import transaction

from campaigns.core.faults import format_count
from campaigns.models import Campaign, User
from campaigns.queries.lists import list_open_rejections
from campaigns.rules import require_permission
from campaigns.services import events


def dismiss_rejections(*, actor: User, campaign: Campaign) -> int:
    """Dismiss the rejected runs of the actor's teams; return the number.

    They stay on record and in the list of runs; only the reminder ends. The log is what says so.
    """
    require_permission(actor, "campaigns.see_runs", campaign)
    teams = campaign.teams.filter(members__user=actor).values_list("pk", flat=True)
    runs = list_open_rejections(campaign, list(teams))
    if runs:
        with transaction.atomic():
            events.log_event(
                campaign=campaign,
                actor=actor,
                code="run.rejections_dismissed",
                subject=format_count(len(runs), "run"),
                runs=[run.pk for run in runs],
            )
    return len(runs)
