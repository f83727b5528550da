"""The address of each page of the access table that a campaign has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from django.urls import reverse

from campaigns.models import Campaign, Role
from tests.access_table import TABLE
from tests.test_access import patterns

QUERIES = {
    "measure@chart": "?chart=steps.svg",
    "agreement@chart": "?chart=coefficients.svg",
    "disagreement-effect@chart": "?chart=ranks.svg",
    "stopping@chart": "?chart=found.svg",
    "compare@chart": "?chart=differences.svg",
    "pairs@chart": "?chart=intervals.svg",
    "run-scores@chart": "?chart=topics.svg",
}
SKIPPED = ("crowd-door", "api-")
"""Beginnings of names that are no pages of a campaign's members."""


def list_pages(campaign: Campaign, roles: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Name, role and address of each page of the access table that the campaign has."""
    arguments = patterns()
    columns = ("anonymous", "stranger", "viewer", "owner", "rival", "assessor", "organizer")
    for line in TABLE.splitlines():
        row = line.split()
        if len(row) < 3 or row[0] == "#" or row[1] != "GET" or row[0].startswith(SKIPPED):
            continue
        name, statuses = row[0].partition("@")[0], dict(zip(columns, row[2:], strict=False))
        if arguments[name][:1] != ["slug"]:
            continue
        values = [fill_argument(campaign, row[0], each) for each in arguments[name]]
        if None in values:
            continue
        address = reverse(name, args=values) + find_query(campaign, row[0])
        for role in roles:
            if statuses[role] == "200":
                yield row[0], role, address


def fill_argument(campaign: Campaign, row: str, argument: str) -> Any:
    """A value of the campaign for an argument of an address; None if it has nothing of that."""
    name = row.partition("@")[0]
    if argument == "pk":
        return find_object(campaign, row)
    judged = campaign.judgments.filter(purpose="judge").first()
    run = campaign.runs.accepted().order_by("pk").first()
    table: dict[str, Callable[[], Any]] = {
        "slug": lambda: campaign.slug,
        "number": lambda: judged.topic.number,
        "version": lambda: 1,
        "username": lambda: judged.assessor.username,
        "run": lambda: run.pk,
        "fmt": lambda: "json" if name in ("stopping-download", "assessor-quality-download")
        else "txt" if name == "run-scores-download" else "csv",
        "which": lambda: "judged" if name == "pairs-export" else "log",
        "program": lambda: "doccano",
        "table": lambda: "pairs" if name == "disagreement-download" else "panel",
        "kind": lambda: "approve",
    }  # fmt: skip
    return table[argument]() if argument in table else None


def find_object(campaign: Campaign, row: str) -> int | None:
    """The ID of the object that a page is about."""
    score_sets = campaign.score_sets.order_by("pk")
    name = row.partition("@")[0]
    if row.endswith("@draft") or name == "score-release":
        found = score_sets.filter(released_at=None).first()
    elif name.startswith(("score-", "run-scores", "compare", "pairs", "measures-compared")):
        found = score_sets.exclude(released_at=None).first() if "plan" not in name else None
    elif name.startswith("run"):
        found = campaign.runs.accepted().order_by("pk").first()
    elif name.startswith("plan-"):
        found = campaign.plans.filter(kind="judge").order_by("pk").first()
    elif name == "member-remove":
        found = campaign.members.filter(role=Role.VIEWER).first()
    elif name == "job":
        found = campaign.jobs.order_by("pk").first()
    else:
        found = None
    return found.pk if found else None


def find_query(campaign: Campaign, row: str) -> str:
    judged = campaign.judgments.filter(purpose="judge").first()
    if row in ("document", "document-body", "judge-change"):
        return f"?docno={judged.docno}"
    if row == "consensus-pair":
        return f"?topic={judged.topic.number}&docno={judged.docno}"
    if row == "agreement-pair":
        people = campaign.judgments.filter(purpose="judge").values("assessor__username").distinct()
        names = sorted(row["assessor__username"] for row in people)[:2]
        return "?a={}&b={}".format(*names) if len(names) == 2 else ""
    return QUERIES.get(row, "")
