"""The life cycle of a campaign as data: each app registers its phases, tasks, steps, pages of the
groups and verdicts.

An app has a module ``lifecycle`` that its ``AppConfig.ready`` imports. A rule of one app may ask
whether the phase of another has begun or is done, by its name, but knows nothing else of it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import OuterRef
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.models import Campaign, Role, Run, User
from poolbench.verdicts import Verdict

Text = str | Promise


@dataclass(frozen=True)
class Viewer:
    """Who looks at which campaign; ``team`` is the ID of their team in it, and
    ``team_deadline`` the later run deadline of this team, if it has one.
    """

    campaign: Campaign
    user: User
    roles: frozenset[str]
    team: int | None
    team_deadline: datetime | None

    @property
    def takes_runs(self) -> bool:
        return self.campaign.is_open_for(self.team_deadline)

    @property
    def runs_deadline(self) -> datetime | None:
        """Until when this user's team can submit, or all can."""
        return self.campaign.get_deadline_for(self.team_deadline)

    @property
    def is_organizer(self) -> bool:
        return Role.ORGANIZER in self.roles

    @property
    def is_participant(self) -> bool:
        return Role.PARTICIPANT in self.roles

    @property
    def is_assessor(self) -> bool:
        return Role.ASSESSOR in self.roles

    @property
    def is_adjudicator(self) -> bool:
        return Role.ADJUDICATOR in self.roles


OUTER: Any = OuterRef("pk")
"""The campaign of a row, in the columns of facts."""


class AppFacts:
    """What one app knows of a campaign, as a frozen dataclass with these two sources."""

    @classmethod
    def columns(cls) -> dict[str, Any]:
        """Columns of the one query that all apps share, by field. They are built once in a process,
        so they know neither the user nor the time: their campaign is ``OUTER``.
        """
        return {}

    @classmethod
    def counts(cls, viewer: Viewer) -> dict[str, Any]:  # noqa: ARG003
        """The other fields, from queries of their own: always the same number of them."""
        return {}

    @classmethod
    def counts_by_campaign(cls, viewers: Sequence[Viewer]) -> dict[int, dict[str, Any]]:
        """``counts`` of several campaigns of one user by campaign ID, in a number of queries that
        does not depend on how many. An app with ``counts`` has to say how.
        """
        return {viewer.campaign.pk: cls.counts(viewer) for viewer in viewers}


SomeFacts = TypeVar("SomeFacts", bound=AppFacts)


@dataclass(frozen=True)
class Status(Viewer):
    """What all apps know of a campaign, for one user."""

    facts: Mapping[type[AppFacts], AppFacts]

    def get(self, kind: type[SomeFacts]) -> SomeFacts:
        facts = self.facts[kind]
        assert isinstance(facts, kind)  # noqa: S101  # for mypy
        return facts

    def has_begun(self, name: str) -> bool:
        return any(phase.begun(self) for phase in list_phases() if phase.name == name)

    def is_done(self, name: str) -> bool:
        return any(phase.done(self) for phase in list_phases() if phase.name == name)


Rule = Callable[[Status], bool]


def _never(_status: Status) -> bool:
    return False


@dataclass(frozen=True)
class Phase:
    """``note`` lists what is worth telling, empty strings aside.

    ``pages`` are URL names by role, the first of the user's own counts; "" is everybody.
    ``late``: past its deadline. ``in_progress``: at work whatever the phases beside it.
    """

    name: str
    label: Text
    begun: Rule
    done: Rule
    note: Callable[[Status], list[str]]
    pages: Mapping[str, str]
    late: Rule = _never
    in_progress: Rule = _never


@dataclass(frozen=True)
class Task:
    """A task or next step: whether it applies, a sentence, the page, a short label for a button.

    ``first``: before those of all other apps.
    """

    applies: bool
    label: str
    page: str
    action: str = ""
    first: bool = False


Tasks = Mapping[str, Callable[[Status], Iterable[Task]]]
"""By role, all possible tasks, most urgent first."""


@dataclass(frozen=True)
class Group:
    """A group of pages, by role. ``count_page``: the page whose number of things it bears."""

    name: str
    label: Text
    count_page: str = ""


GROUPS = (
    Group("overview", gettext_lazy("Overview")),
    Group("setup", gettext_lazy("Setup")),
    Group("data", gettext_lazy("Data")),
    Group("runs", gettext_lazy("Runs"), count_page="runs"),
    Group("pool", gettext_lazy("Pool")),
    Group("judging", pgettext_lazy("phase", "Judging")),
    Group("results", gettext_lazy("Results")),
    Group("people", gettext_lazy("People")),
    Group("team", gettext_lazy("Team")),
)
"""In the order of the head. To organizers the pages of *Data* are part of *Setup*."""


@dataclass(frozen=True)
class Tab:
    """A page that the second line of the head names.

    ``page`` is a URL name. ``paths`` are what follows the campaign in the addresses of the page
    and of all pages below it; of two tabs the longer path counts. Without ``roles`` all members
    see it. ``others``: its group for users who are not organizers. ``count``: how many things
    there are, never an alarm. ``arguments`` of its address besides the campaign; None: no such
    page yet. A page below the same address has the arguments of that page instead.
    """

    group: str
    position: int
    label: Text
    page: str
    paths: tuple[str, ...]
    roles: tuple[str, ...] = ()
    others: str = ""
    count: Callable[[Status], int | None] | None = None
    arguments: Callable[[Status], Mapping[str, Any] | None] | None = None


@dataclass(frozen=True)
class PageVerdict:
    """A line of *How good is it*: ``page`` is the URL name of the page that shows the verdict,
    ``computed_at`` as of when its figures are, which may be older than the page.
    """

    label: Text
    page: str
    verdict: Verdict
    computed_at: datetime | None = None


Verdicts = Callable[[Status], Iterable[PageVerdict]]
"""For organizers, on the overview only. It reads stored figures in a few queries and computes none;
where there are none yet it leaves its line out, or gives the verdict of state *unknown*.
"""


@dataclass(frozen=True)
class HomeAlarm:
    """Something that is wrong in a campaign; ``is_bad`` ones come first. ``sentence`` and
    ``evidence`` are of a core, in English.
    """

    campaign: Campaign
    is_bad: bool
    sentence: str
    evidence: str
    action: str
    url: str


@dataclass(frozen=True)
class HomeTask:
    """Work of the user that waits in a campaign; ``until`` its deadline."""

    campaign: Campaign
    label: str
    action: str
    url: str
    until: datetime | None = None


HomeAlarms = Callable[[Collection[Campaign]], Iterable[HomeAlarm]]
"""Of campaigns that the user organizes. Like ``Verdicts`` it reads what is stored, in a number of
queries that does not depend on how many campaigns there are.
"""
HomeTasks = Callable[[User, Collection[Viewer]], Iterable[HomeTask]]
"""The work of a user by their roles, likewise."""


@dataclass(frozen=True)
class CampaignDate:
    """A date of the campaign, with its name before and after it."""

    at: datetime
    ahead: Text
    past: Text


@dataclass(frozen=True)
class AudienceLine:
    """A line of *Who sees what*: the thing, who sees it today, and where that is decided or shown.

    ``page`` is a URL name, "" for readers who cannot open it.
    """

    label: Text
    readers: Text
    page: str = ""


Dates = Callable[[Status], Iterable[CampaignDate]]
Audiences = Callable[[Status], Iterable[AudienceLine]]
"""Both from what the status holds, without queries."""


@dataclass(frozen=True)
class RunNote:
    """What an app knows of a run, for its page; ``is_warning``: its scores are in doubt."""

    text: str
    is_warning: bool = False


RunNotes = Callable[[User, Run], Iterable[RunNote]]
"""For a reader who may open the page of the run."""


@dataclass(frozen=True)
class LifeCycle:
    """What one app adds. ``paths``: of its pages below the tabs of other apps, by URL name."""

    facts: type[AppFacts] | None = None
    phases: tuple[Phase, ...] = ()
    tasks: Tasks = field(default_factory=dict)
    steps: Tasks = field(default_factory=dict)
    tabs: tuple[Tab, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    verdicts: tuple[Verdicts, ...] = ()
    home_alarms: tuple[HomeAlarms, ...] = ()
    home_tasks: tuple[HomeTasks, ...] = ()
    dates: tuple[Dates, ...] = ()
    audiences: tuple[Audiences, ...] = ()
    run_notes: tuple[RunNotes, ...] = ()


LIFE_CYCLES: list[LifeCycle] = []
"""In the order of the apps, the bottom app first."""


def add_life_cycle(added: LifeCycle) -> None:
    LIFE_CYCLES.append(added)


def list_phases() -> list[Phase]:
    """In the order of a campaign."""
    return [phase for app in LIFE_CYCLES for phase in app.phases]


def list_tabs() -> list[Tab]:
    """By group, in the order of the head."""
    order = [group.name for group in GROUPS]
    tabs = (tab for app in LIFE_CYCLES for tab in app.tabs)
    return sorted(tabs, key=lambda tab: (order.index(tab.group), tab.position))


def list_tab_paths(tab: Tab) -> list[str]:
    """The paths that all apps put below ``tab``."""
    return [*tab.paths, *(path for app in LIFE_CYCLES for path in app.paths.get(tab.page, ()))]


def get_tab_for(path: str) -> Tab | None:
    """The tab of a page, by what follows the campaign in its URL pattern, the longest one."""
    matches = (
        (len(known), at, tab)
        for at, tab in enumerate(list_tabs())
        for known in list_tab_paths(tab)
        if path.rstrip("/") == known or (known and path.startswith(f"{known}/"))
    )
    longest = max(matches, key=lambda match: match[:2], default=None)
    return longest[2] if longest else None


def list_verdicts(status: Status) -> list[PageVerdict]:
    """Of all apps, in the order of a campaign."""
    return [row for app in LIFE_CYCLES for verdicts in app.verdicts for row in verdicts(status)]


def list_dates(status: Status) -> list[CampaignDate]:
    """Of all apps, the earliest first."""
    dates = (row for app in LIFE_CYCLES for dates in app.dates for row in dates(status))
    return sorted(dates, key=lambda date: date.at)


def list_audiences(status: Status) -> list[AudienceLine]:
    """Of all apps, in the order of a campaign."""
    return [row for app in LIFE_CYCLES for rows in app.audiences for row in rows(status)]


def list_run_notes(user: User, run: Run) -> list[RunNote]:
    """Of all apps, in the order of a campaign."""
    return [note for app in LIFE_CYCLES for notes in app.run_notes for note in notes(user, run)]
