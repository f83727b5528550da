"""The registered life cycle as a whole: every page of a campaign has one tab."""

import re
from typing import Any

from django.apps import apps

from campaigns.lifecycle import registry
from campaigns.lifecycle.head import CAMPAIGN, Place, build_groups
from campaigns.lifecycle.registry import (
    GROUPS,
    LIFE_CYCLES,
    LifeCycle,
    PageVerdict,
    Status,
    get_tab_for,
    list_phases,
    list_tab_paths,
    list_tabs,
    list_verdicts,
)
from campaigns.models import Campaign, Role, User
from poolbench.verdicts import Verdict, VerdictState
from tests.pages import list_url_patterns

OUTSIDE = {
    "jobs": "reached from the page that started the job",
    "adjudicate": "the judging screen has no tabs",
    "judge-training": "the judging screen",
    "judge-undo": "posts of the judging screen",
    "judge-acts": "posts of the judging screen",
    "judge-ahead": "posts of the judging screen",
    "judge-renew": "posts of the judging screen",
    "judge-release": "posts of the judging screen",
    "judge-review": "posts of the judging screen",
    "my-judgments.<str:fmt>": "a download",
    "register": "strangers register their teams",
}
DESKS = ("judge", "my-judgments", "comparisons")
"""Pages of the group Judging whose addresses assessors have in their bookmarks."""
GROUP_NAMES = [group.name for group in GROUPS]

VIEWER: dict[str, Any] = {
    "user": User(username="o"), "roles": frozenset([Role.ORGANIZER, Role.PARTICIPANT]),
    "team": None, "team_deadline": None,
}  # fmt: skip


def routes() -> dict[str, str]:
    """The URL patterns of the pages of a campaign, by URL name."""
    found = list_url_patterns()
    return {str(url.name): address for url, address in found if address.startswith(CAMPAIGN)}


def below(route: str) -> str:
    return route.removeprefix(CAMPAIGN)


def is_outside(route: str) -> bool:
    return below(route).split("/")[0] in OUTSIDE


def test_every_page_of_a_campaign_has_one_tab():
    homes = {
        name: tab.page if (tab := get_tab_for(below(route))) else None
        for name, route in routes().items()
        if not is_outside(route)
    }
    assert len(homes) > 80
    assert None not in homes.values()
    assert homes["score-release"] == homes["score-set"] == "scores"
    assert homes["pairs"] == "pairs"
    assert homes["simulation"] == "simulation"
    assert homes["disagreement-effect"] == homes["agreement-pair"] == "agreement"
    assert homes["visibility-change"] == "campaign-settings"
    assert homes["study-payments"] == "studies"


def test_the_first_word_of_an_address_is_its_group():
    """That of organizers or, as of *Data*, of the others."""
    for name, route in routes().items():
        tab = get_tab_for(below(route))
        if tab is None or below(route).split("/")[0] in ("", *DESKS):
            continue
        assert below(route).split("/")[0] in (tab.group, tab.others), name


def test_every_path_of_a_tab_leads_somewhere():
    paths = [path for tab in list_tabs() for path in list_tab_paths(tab)]
    assert len(paths) == len(set(paths))
    pages = {tab.page for tab in list_tabs()}
    assert len(pages) == len(list_tabs())
    assert {page for app in LIFE_CYCLES for page in app.paths} <= pages <= set(routes())
    for tab in list_tabs():
        assert below(routes()[tab.page]).rstrip("/") in tab.paths
        assert tab.group in GROUP_NAMES
        assert tab.others in ("", *GROUP_NAMES)
    assert {group.count_page for group in GROUPS} - {""} <= pages


def test_every_path_outside_the_groups_is_in_use():
    assert set(OUTSIDE) <= {below(route).split("/")[0] for route in routes().values()}


def test_the_tab_of_a_page_is_current():
    status = Status(Campaign(slug="small"), **VIEWER, facts=Counted())
    for name, route in routes().items():
        arguments = dict.fromkeys(re.findall(r"<(?:\w+:)?(\w+)>", route), 7)
        place = Place(route=route, arguments=arguments)
        groups = build_groups(status, place)
        current = [tab.label for group in groups for tab in group.tabs if tab.current]
        expected = not is_outside(route) and below(route).split("/")[0] not in DESKS
        assert len(current) == expected, name
        assert sum(group.current for group in groups) == expected, name
    outside = build_groups(status, Place(route="account/token/"))
    assert not any(group.current for group in outside)


def test_the_pages_of_a_score_set_lead_to_each_other():
    status = Status(Campaign(slug="small"), **VIEWER, facts=Counted())

    def address(place: Place) -> str:
        groups = build_groups(status, place)
        return next(t.url for group in groups for t in group.tabs if t.label == "All pairs")

    assert address(Place()) == "/c/small/results/scores/1/pairs/"
    older = Place(route=routes()["run-scores"], arguments={"slug": "small", "pk": 5, "run": 3})
    assert address(older) == "/c/small/results/scores/5/pairs/"


def test_verdicts_of_all_apps_are_listed(monkeypatch):
    verdict = Verdict("agreement", VerdictState.GOOD, "Whoever judges, the ranking stays.")
    rows = [PageVerdict("Agreement", "agreement", verdict)]
    added = LifeCycle(verdicts=(lambda status: rows if status.is_organizer else [],))
    monkeypatch.setattr(registry, "LIFE_CYCLES", [added])
    assert list_verdicts(Status(Campaign(slug="small"), **VIEWER, facts={})) == rows


class Counted(dict):
    """Whatever an app counts is 1."""

    def __missing__(self, kind):
        return kind(**dict.fromkeys(kind.__dataclass_fields__, 1))


def test_apps_register_in_the_order_of_a_campaign():
    assert [phase.name for phase in list_phases()] == [
        "setup", "runs", "pool", "judging", "qrels", "scores",
    ]  # fmt: skip
    order = [app.name for app in apps.get_app_configs() if hasattr(app.module, "lifecycle")]
    apps_by_use = "campaigns pooling judging crowd preferences evaluation reliability replay"
    assert order == apps_by_use.split()
    assert len(LIFE_CYCLES) == len(order)
