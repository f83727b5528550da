"""What the head of every campaign page shows: groups, the pages of one, the phase, the next act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from campaigns.lifecycle.registry import (
    GROUPS,
    LIFE_CYCLES,
    Phase,
    Status,
    Tab,
    Task,
    Tasks,
    get_tab_for,
    list_phases,
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
class Place:
    """The page that is shown: its path as requested, and as a URL pattern with its arguments."""

    path: str = ""
    route: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def below_campaign(self) -> str | None:
        """What follows the campaign in the URL pattern; None outside of campaigns."""
        return self.route.removeprefix(CAMPAIGN) if self.route.startswith(CAMPAIGN) else None


def get_place(request: HttpRequest) -> Place:
    match = request.resolver_match
    return Place(request.path, match.route, match.kwargs) if match else Place(request.path)


@dataclass(frozen=True)
class TabLink:
    """``current`` also holds for the pages below it, ``is_page`` for the page itself only."""

    label: str
    url: str
    current: bool
    is_page: bool
    count: int | None = None


@dataclass(frozen=True)
class GroupLink:
    label: str
    url: str
    current: bool
    tabs: list[TabLink]
    count: int | None = None


@dataclass(frozen=True)
class CampaignHead:
    """``tasks`` are shown on the overview only; for users without any it has what comes next,
    ``is_next_step``. ``next_act`` is the first that is one, None if it leads to the page shown.
    """

    campaign: Campaign
    phases: list[PhaseLink]
    phase: PhaseLink
    tasks: list[TaskLink]
    is_next_step: bool
    next_act: TaskLink | None
    groups: list[GroupLink]
    group: GroupLink | None
    roles: frozenset[str]


def build_campaign_head(status: Status, place: Place) -> CampaignHead:
    pending = list_pending_tasks(status)
    tasks = pending or list_next_steps(status)[:1]
    first = next((task for task in tasks if task.action), None)
    phases, groups = build_phases(status), build_groups(status, place)
    return CampaignHead(
        campaign=status.campaign,
        phases=phases,
        phase=select_current_phase(phases),
        tasks=tasks,
        is_next_step=not pending,
        next_act=first if first and first.url.partition("?")[0] != place.path else None,
        groups=groups,
        group=next((group for group in groups if group.current), None),
        roles=status.roles,
    )


def select_current_phase(phases: Sequence[PhaseLink]) -> PhaseLink:
    """The first that is late or in progress; after the last one, that one."""
    return next((phase for phase in phases if phase.state in ("late", "now")), phases[-1])


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


def list_next_steps(status: Status) -> list[TaskLink]:
    """For a user without tasks: what comes next, and the page to look at; late phases first."""
    return _link_tasks(status, [app.steps for app in reversed(LIFE_CYCLES)])


def _link_tasks(status: Status, of_apps: Sequence[Tasks]) -> list[TaskLink]:
    listed: list[Task] = []
    if status.campaign.is_read_only:
        return []
    for role in ROLES:
        if role in status.roles:
            possible = [task for tasks in of_apps if role in tasks for task in tasks[role](status)]
            listed += sorted(possible, key=lambda task: not task.first)
    return [
        TaskLink(task.label, task.action, reverse(task.page, args=[status.campaign.slug]))
        for task in listed
        if task.applies
    ]


def build_groups(status: Status, place: Place) -> list[GroupLink]:
    """The groups in which the user has pages, each with these pages; its link is the first."""
    path = place.below_campaign
    current = None if path is None else get_tab_for(path)
    pages: dict[str, list[TabLink]] = {group.name: [] for group in GROUPS}
    counts: dict[str, int | None] = {}
    for tab in list_tabs():
        url = _tab_url(tab, status, place)
        if url is None or (tab.roles and not status.roles & set(tab.roles)):
            continue
        counts[tab.page] = tab.count(status) if tab.count else None
        link = TabLink(str(tab.label), url, tab == current, url == place.path, counts[tab.page])
        pages[tab.group if status.is_organizer else tab.others or tab.group].append(link)
    return [
        GroupLink(
            str(group.label),
            tabs[0].url,
            any(tab.current for tab in tabs),
            tabs,
            counts.get(group.count_page),
        )
        for group in GROUPS
        if (tabs := pages[group.name])
    ]


def _tab_url(tab: Tab, status: Status, place: Place) -> str | None:
    """None where the page does not exist yet."""
    slug = {"slug": status.campaign.slug}
    if tab.arguments is None:
        return reverse(tab.page, kwargs=slug)
    arguments = tab.arguments(status)
    if arguments is None:
        return None
    # Beside the page that is shown, if both are below the same object.
    stem = tab.paths[0].rpartition("/")[0]
    if f"{place.below_campaign or ''}/".startswith(f"{stem}/"):
        arguments = {name: place.arguments[name] for name in arguments}
    return reverse(tab.page, kwargs={**slug, **arguments})
