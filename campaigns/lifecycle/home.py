"""Home: what is wrong, what waits for the user, their campaigns, and this week.

Everything comes from a number of queries that does not depend on how many campaigns there are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.lifecycle.head import (
    PhaseLink,
    build_phases,
    list_pending_tasks,
    select_current_phase,
)
from campaigns.lifecycle.registry import LIFE_CYCLES, HomeAlarm, HomeTask, Status
from campaigns.lifecycle.status import list_campaign_statuses
from campaigns.models import Campaign, Event, Role, Run, User

WEEK = timedelta(days=7)
MOST_EVENTS = 8


@dataclass(frozen=True)
class CampaignRow:
    """``waiting``: alarms and tasks; ``due`` is the next date and ``due_label`` its name."""

    campaign: Campaign
    phases: Sequence[PhaseLink]
    phase: PhaseLink
    roles: Sequence[str]
    waiting: int
    due: datetime | None
    due_label: str


@dataclass(frozen=True)
class HomeDate:
    """A deadline: within this week, or the next one after it."""

    campaign: Campaign
    label: str
    at: datetime


@dataclass(frozen=True)
class Home:
    alarms: Sequence[HomeAlarm]
    tasks: Sequence[HomeTask]
    campaigns: Sequence[CampaignRow]
    dates: Sequence[HomeDate]
    events: Sequence[Event]
    runs: Sequence[tuple[Campaign, dict[str, int]]]
    organizes: bool


def build_home(user: User) -> Home:
    campaigns = list(Campaign.objects.visible_to(user))
    if not campaigns:
        return Home((), (), (), (), (), (), organizes=False)
    statuses = list_campaign_statuses(campaigns, user)
    going_on = [status for status in statuses if not status.campaign.is_read_only]
    organized = [status.campaign for status in going_on if status.is_organizer]
    alarms = [alarm for app in LIFE_CYCLES for part in app.home_alarms for alarm in part(organized)]
    tasks = list_home_tasks_of_apps(user, going_on)
    waiting = Counter(alarm.campaign.pk for alarm in alarms)
    waiting.update(task.campaign.pk for task in tasks)
    now = timezone.now()
    return Home(
        alarms=sorted(alarms, key=lambda alarm: not alarm.is_bad),
        tasks=tasks,
        campaigns=[build_campaign_row(status, waiting[status.campaign.pk]) for status in statuses],
        dates=list_home_dates(going_on, now),
        events=list_week_events(organized, now),
        runs=list_team_runs(statuses),
        organizes=bool(organized),
    )


def list_home_tasks_of_apps(user: User, statuses: Sequence[Status]) -> list[HomeTask]:
    """The documents to judge first, then the tasks of the other roles, the nearest deadline
    first. Tasks of assessors and adjudicators come from ``home_tasks`` alone.
    """
    work = [task for app in LIFE_CYCLES for part in app.home_tasks for task in part(user, statuses)]
    others = [
        HomeTask(status.campaign, task.label, task.action, task.url)
        for status in statuses
        for task in list_pending_tasks(status)
    ]
    # A task that comes from both is one.
    urls = {task.url for task in work}
    work.sort(key=lambda task: (task.until is None, task.until))
    return [*work, *(task for task in others if task.url not in urls)]


def build_campaign_row(status: Status, waiting: int) -> CampaignRow:
    phases, campaign = build_phases(status), status.campaign
    dates = [date for date in list_deadlines(status) if date.at > timezone.now()]
    due = min(dates, key=lambda date: date.at, default=None)
    return CampaignRow(
        campaign=campaign,
        phases=phases,
        phase=select_current_phase(phases),
        roles=[str(role.label) for role in Role if role in status.roles],
        waiting=waiting,
        due=due.at if due else None,
        due_label=due.label if due else "",
    )


def list_deadlines(status: Status) -> list[HomeDate]:
    """Those that concern the user's roles."""
    campaign = status.campaign
    dates = []
    if status.runs_deadline and (status.is_organizer or status.is_participant):
        dates.append(HomeDate(campaign, _("Runs close"), status.runs_deadline))
    if campaign.judging_deadline and not status.roles <= {Role.PARTICIPANT}:
        dates.append(HomeDate(campaign, _("Judging closes"), campaign.judging_deadline))
    return dates


def list_home_dates(statuses: Sequence[Status], now: datetime) -> list[HomeDate]:
    """The deadlines of the seven days ahead and past; without any ahead, the next one."""
    dates = sorted(
        (date for status in statuses for date in list_deadlines(status)), key=lambda date: date.at
    )
    week = [date for date in dates if now - WEEK <= date.at <= now + WEEK]
    if not any(date.at >= now for date in week):
        week += [date for date in dates if date.at > now][:1]
    return week


def list_week_events(organized: Sequence[Campaign], now: datetime) -> list[Event]:
    """The latest events of the campaigns that the user organizes."""
    if not organized:
        return []
    events = Event.objects.filter(campaign__in=organized, at__gte=now - WEEK)
    return list(events.select_related("campaign", "actor").order_by("-at", "-pk")[:MOST_EVENTS])


def list_team_runs(statuses: Sequence[Status]) -> list[tuple[Campaign, dict[str, int]]]:
    """The runs of the user's team in each campaign, by state."""
    teams = {status.team: status.campaign for status in statuses if status.team}
    if not teams:
        return []
    runs = Run.objects.filter(team__in=teams).order_by()
    counts: dict[int, dict[str, int]] = {team: dict.fromkeys(Run.State.values, 0) for team in teams}
    for team, state, count in runs.values_list("team", "state").annotate(Count("pk")):
        counts[team][state] = count
    return [(campaign, counts[team]) for team, campaign in teams.items()]
