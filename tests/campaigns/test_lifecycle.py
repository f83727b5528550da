"""The registered life cycle as a whole: every page of a campaign has one tab."""

from __future__ import annotations

from django.apps import apps
from django.urls import URLPattern, get_resolver

from campaigns.lifecycle.head import CAMPAIGN, build_tabs
from campaigns.lifecycle.registry import (
    LIFE_CYCLES,
    Status,
    list_phases,
    list_tab_paths,
    list_tabs,
)
from campaigns.models import Campaign, Role, User

OUTSIDE = {
    "guidelines": "reached from the overview and the judging screen",
    "jobs": "reached from the page that started the job",
    "adjudicate": "the judging screen has no tabs",
    "judge-training": "the judging screen",
    "judge-undo": "posts of the judging screen",
    "judge-acts": "posts of the judging screen",
    "judge-ahead": "posts of the judging screen",
    "judge-renew": "posts of the judging screen",
    "judge-release": "posts of the judging screen",
    "my-judgments.<str:fmt>": "a download",
}


def routes() -> dict[str, str]:
    """The URL patterns of the pages of a campaign, by URL name."""
    return {
        str(pattern.name): str(pattern.pattern)
        for item in get_resolver().url_patterns
        for pattern in getattr(item, "url_patterns", [item])
        if isinstance(pattern, URLPattern) and str(pattern.pattern).startswith(CAMPAIGN)
    }


def path(route: str) -> str:
    return route.removeprefix(CAMPAIGN).split("/")[0]


def test_every_page_of_a_campaign_has_one_tab():
    homes = {
        name: [tab.page for tab in list_tabs() if path(route) in list_tab_paths(tab)]
        for name, route in routes().items()
        if path(route) not in OUTSIDE
    }
    assert len(homes) > 80
    assert {name: tabs for name, tabs in homes.items() if len(tabs) != 1} == {}
    assert homes["score-release"] == ["scores"]
    assert homes["simulation"] == ["pools"]


def test_every_path_of_a_tab_leads_somewhere():
    paths = [path for tab in list_tabs() for path in list_tab_paths(tab)]
    assert set(paths) | set(OUTSIDE) == {path(route) for route in routes().values()}
    assert len(paths) == len(set(paths))
    pages = {tab.page for tab in list_tabs()}
    assert {page for app in LIFE_CYCLES for page in app.paths} <= pages <= set(routes())
    for tab in list_tabs():
        assert path(routes()[tab.page]) in tab.paths


def test_the_tab_of_a_page_is_current():
    viewer = {"user": User(username="o"), "roles": frozenset([Role.ORGANIZER]), "team": None}
    status = Status(Campaign(slug="small"), **viewer, facts=Counted())
    for name, route in routes().items():
        current = [tab.label for tab in build_tabs(status, route) if tab.current]
        judge = path(route) in ("judge", "my-judgments", "comparisons")
        assert len(current) == (path(route) not in OUTSIDE and not judge), name
    assert not any(tab.current for tab in build_tabs(status, "account/token/"))


class Counted(dict):
    """Whatever an app counts is 1."""

    def __missing__(self, kind):
        return kind(**dict.fromkeys(kind.__dataclass_fields__, 1))


def test_apps_register_in_the_order_of_a_campaign():
    assert [phase.name for phase in list_phases()] == [
        "setup", "runs", "pool", "judging", "qrels", "scores",
    ]  # fmt: skip
    order = [app.name for app in apps.get_app_configs() if hasattr(app.module, "lifecycle")]
    assert order == [
        "campaigns",
        "pooling",
        "judging",
        "crowd",
        "preferences",
        "evaluation",
        "reliability",
    ]
    assert len(LIFE_CYCLES) == len(order)
