"""What the head of every campaign page shows: phases, the user's tasks, one main action, tabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from campaigns.lifecycle.registry import (
    LIFE_CYCLES,
    Phase,
    Status,
    Task,
    Tasks,
    list_phases,
    list_tab_paths,
    list_tabs,
)
from campaigns.models import Campaign, Role

CAMPAIGN = "c/<slug:slug>/"
"""Before the paths of all pages of a campaign."""
ROLES = (Role.ORGANIZER, Role.ASSESSOR, Role.ADJUDICATOR, Role.PARTICIPANT)
"""Whose tasks come first, for users with several roles."""


@dataclass(frozen=True)
class PhaseLink:
    label: str
    state: str
    note: str
    url: str


@dataclass(frozen=True)
class TaskLink:
    """A task of the user: a sentence, and a short label for a button (may be empty)."""

    label: str
    action: str
    url: str


@dataclass(frozen=True)
class TabLink:
    label: str
    url: str
    current: bool
    count: int | None = None


@dataclass(frozen=True)
class CampaignHead:
    """``next_step`` is for users without tasks."""

    campaign: Campaign
    phases: list[PhaseLink]
    tasks: list[TaskLink]
    next_step: TaskLink | None
    main_action: TaskLink | None
    tabs: list[TabLink]


def build_campaign_head(status: Status, path: str, route: str) -> CampaignHead:
    """``path`` and ``route``: of the page that is shown, as requested and as a URL pattern."""
    tasks = list_pending_tasks(status)
    return CampaignHead(
        campaign=status.campaign,
        phases=build_phases(status),
        tasks=tasks,
        next_step=None if tasks else build_next_step(status),
        main_action=next((task for task in tasks if task.action and task.url != path), None),
        tabs=build_tabs(status, route),
    )


def build_phases(status: Status) -> list[PhaseLink]:
    """Each phase done, now, todo, or late: past its deadline and not done."""
    phases = list_phases()
    done = [phase.done(status) for phase in phases]
    # The one after the last one done: judgments may be older than any pool.
    current = max((at + 1 for at, is_done in enumerate(done) if is_done), default=0)

    def state(at: int, phase: Phase) -> str:
        if done[at]:
            return "done"
        if phase.late(status):
            return "late"
        return "now" if at == current or phase.in_progress(status) else "todo"

    return [
        PhaseLink(
            str(phase.label),
            state(at, phase),
            ", ".join(filter(None, phase.note(status))),
            _phase_url(phase, status),
        )
        for at, phase in enumerate(phases)
    ]


def _phase_url(phase: Phase, status: Status) -> str:
    pages = (page for role, page in phase.pages.items() if not role or role in status.roles)
    page = next(pages, None)
    return reverse(page, args=[status.campaign.slug]) if page else ""


def list_pending_tasks(status: Status) -> list[TaskLink]:
    """The user's tasks, most urgent first: those of early phases."""
    return _link_tasks(status, [app.tasks for app in LIFE_CYCLES])


def build_next_step(status: Status) -> TaskLink | None:
    """For a user without tasks: what comes next, and the page to look at; late phases first."""
    return next(iter(_link_tasks(status, [app.steps for app in reversed(LIFE_CYCLES)])), None)


def _link_tasks(status: Status, of_apps: Sequence[Tasks]) -> list[TaskLink]:
    listed: list[Task] = []
    for role in ROLES:
        if role in status.roles:
            possible = [task for tasks in of_apps if role in tasks for task in tasks[role](status)]
            listed += sorted(possible, key=lambda task: not task.first)
    return [
        TaskLink(task.label, task.action, reverse(task.page, args=[status.campaign.slug]))
        for task in listed
        if task.applies
    ]


def build_tabs(status: Status, route: str) -> list[TabLink]:
    """The tabs of the user's roles; ``route`` is the URL pattern of the page that is shown."""
    path = route.removeprefix(CAMPAIGN).split("/")[0] if route.startswith(CAMPAIGN) else None
    return [
        TabLink(
            str(tab.label),
            reverse(tab.page, args=[status.campaign.slug]),
            path in list_tab_paths(tab),
            tab.count(status) if tab.count else None,
        )
        for tab in list_tabs()
        if not tab.roles or status.roles & set(tab.roles)
    ]
