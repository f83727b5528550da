"""The life cycle of a campaign as data: each app registers its phases, tasks, steps and tabs.

An app has a module ``lifecycle`` that its ``AppConfig.ready`` imports. A rule of one app may ask
whether the phase of another has begun or is done, by its name, but knows nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.utils.functional import Promise

from campaigns.models import Campaign, Role, User

Text = str | Promise


@dataclass(frozen=True)
class Viewer:
    """Who looks at which campaign; ``team`` is the ID of their team in it."""

    campaign: Campaign
    user: User
    roles: frozenset[str]
    team: int | None

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


class AppFacts:
    """What one app knows of a campaign, as a frozen dataclass with these two sources."""

    @classmethod
    def columns(cls, viewer: Viewer) -> dict[str, Any]:  # noqa: ARG003
        """Columns of the one query that all apps share, by field."""
        return {}

    @classmethod
    def counts(cls, viewer: Viewer) -> dict[str, Any]:  # noqa: ARG003
        """The other fields, from queries of their own: always the same number of them."""
        return {}


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
class Tab:
    """``page`` is a URL name; the tab is also that of all pages below ``paths``, which are what
    follows the campaign in their URLs. Without ``roles`` all members see it.
    """

    position: int
    label: Text
    page: str
    paths: tuple[str, ...]
    roles: tuple[str, ...] = ()
    count: Callable[[Status], int | None] | None = None


@dataclass(frozen=True)
class LifeCycle:
    """What one app adds. ``paths``: of its pages below the tabs of other apps, by URL name."""

    facts: type[AppFacts] | None = None
    phases: tuple[Phase, ...] = ()
    tasks: Tasks = field(default_factory=dict)
    steps: Tasks = field(default_factory=dict)
    tabs: tuple[Tab, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


LIFE_CYCLES: list[LifeCycle] = []
"""In the order of the apps, the bottom app first."""


def add_life_cycle(added: LifeCycle) -> None:
    LIFE_CYCLES.append(added)


def list_phases() -> list[Phase]:
    """In the order of a campaign."""
    return [phase for app in LIFE_CYCLES for phase in app.phases]


def list_tabs() -> list[Tab]:
    return sorted((tab for app in LIFE_CYCLES for tab in app.tabs), key=lambda tab: tab.position)


def list_tab_paths(tab: Tab) -> list[str]:
    """The paths that all apps put below ``tab``."""
    return [*tab.paths, *(path for app in LIFE_CYCLES for path in app.paths.get(tab.page, ()))]
