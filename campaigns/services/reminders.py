"""Reminders of the run deadline; those of judging are in ``judging/services/reminders.py``."""

from datetime import datetime, timedelta

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign, Mail, Team
from campaigns.queries.mail import list_people_of_teams
from campaigns.services.mail import queue_mail

DAYS = (1, 3)
"""How long before a deadline there is a reminder, the last one first."""


def choose_reminder_days(deadline: datetime | None, now: datetime) -> int | None:
    """Which reminder of ``deadline`` is due; None if it is far away, or over."""
    if deadline is None or deadline <= now:
        return None
    return next((days for days in DAYS if deadline - now <= timedelta(days=days)), None)


def queue_run_reminders() -> int:
    """Remind teams three days and one day before their run deadline; a chore of the tick.

    The key of a reminder has deadline and day, so that it comes once, and again for a new date.
    """
    now = timezone.now()
    near = (now, now + timedelta(days=max(DAYS)))
    more_time = Team.objects.filter(runs_deadline__range=near).values("campaign")
    is_near = Q(runs_deadline__range=near) | Q(pk__in=more_time.order_by())
    campaigns = Campaign.objects.filter(is_near, closed_at=None, removal_at=None)
    return sum(remind_teams(campaign, now) for campaign in campaigns)


def remind_teams(campaign: Campaign, now: datetime) -> int:
    """Queue what is due; return how many mails that were."""
    own = Mail.objects.filter(campaign=campaign, kind="runs_deadline")
    earlier = set(own.order_by().values_list("key", flat=True))
    queued = 0
    for team in campaign.teams.filter(members__isnull=False).distinct():
        deadline = campaign.get_deadline_for(team.runs_deadline)
        days = choose_reminder_days(deadline, now)
        key = f"team {team.pk}, {deadline:%Y-%m-%dT%H:%M}, {days}" if days else ""
        if key and key not in earlier:
            queued += remind_team(campaign, team, deadline, key)
    return queued


def remind_team(campaign: Campaign, team: Team, deadline: datetime | None, key: str) -> int:
    limit = campaign.max_runs_per_team
    context = {
        "team": team,
        "deadline": deadline,
        "runs": team.runs.scored().count(),
        "limit": limit,
    }
    mails = queue_mail(
        "runs_deadline",
        list_people_of_teams(campaign, team),
        key=key,
        campaign=campaign,
        context=context,
        path=reverse("runs", args=[campaign.slug]),
    )
    return len(mails)
