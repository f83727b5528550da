"""The address of each row of the access table, in the world of ``tests.world.site`` and in any
campaign.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from django.db.models import Model
from django.urls import reverse

from campaigns.models import Campaign, Role
from campaigns.services.mail import sign_reminder_token
from crowd.services.doorway import make_unit_token
from tests.access_table import rows
from tests.pages import list_url_patterns
from tests.world.site import ROLES, World, token

VALUES: dict[str, dict[str, str | int]] = {
    "version": {"": 1}, "position": {"": 1}, "which": {"": "log"}, "kind": {"": "approve"},
    "records": {"": "pairs"}, "number": {"": "1", "judge": "2", "judge-skip": "2"},
    "name": {
        "": "model", "measure": "bpref-10", "api-measure-detail": "bpref-10",
        "measure@spelt": "nDCG@10", "help-page": "formats", "help-image": "leaderboard.png",
        "preference-results-download": "shares", "data-file": "notes.txt",
        "data-file-edit": "notes.txt", "data-file-release": "notes.txt",
        "data-file-remove": "notes.txt", "data-file@open": "open.txt",
    },
    "table": {"": "panel", "disagreement-download": "pairs", "paper-download": "runs",
              "paper-download@all": "all"},
    "fmt": {"": "csv", "assessor-quality-download": "json", "stopping-download": "json",
            "reusability-report": "json", "compare-download": "tex", "paper-download": "tex",
            "paper-download@all": "zip", "measures-compared-download": "md",
            "run-scores-download": "txt"},
    "pk": {"review-done": 1, "token-revoke": 1, "api-task-detail": 1}, "uidb36": {"": "1"},
    "key": {"": "1-x"}, "task": {"": "none"}, "part": {"": "people"},
}  # fmt: skip
"""Of arguments: the value by row or URL name, "" for all others."""
QUERIES = {
    "help@search": "?q=E07", "home@all": "?all", "document": "?docno={docno}",
    "document-body": "?docno={docno}", "judge-change": "?docno={docno}",
    "judge-duplicate": "?docno={docno}&other={docno}", "judge-docnos": "?q={docno}",
    "duplicate-texts": "?docno={docno}&other={docno}",
    "consensus-pair": "?topic={topic}&docno={docno}", "api-verdict-list": "?campaign={slug}",
    "api-estimate-list": "?campaign={slug}",
    "api-witness-list": "?campaign={slug}",
    "measure@chart": "?chart=steps.svg", "agreement@chart": "?chart=coefficients.svg",
    "agreement@no-chart": "?chart=no.svg",
    "disagreement-effect@chart": "?chart=ranks.svg&treat=own",
    "stopping@chart": "?chart=found.svg", "compare@chart": "?chart=differences.svg",
    "pairs@chart": "?chart=intervals.svg", "run-scores@chart": "?chart=topics.svg",
    "paper@team": "?team={team}", "paper-download@team": "?team={team}",
    "study-batch-new": "?reward=1.50", "ownership-transfer@chosen": "?successor={viewer}",
    "paper@chart": "?team={team}&chart=topics.png", "api-score-set-paper@team": "?team={team}",
}  # fmt: skip
OF_SCORES = ("score-set", "compare", "pairs", "measures-compared", "run-scores")
SKIPPED = ("crowd-door", "api-")
"""Beginnings of names that are no pages of a campaign's members."""


@cache
def patterns() -> dict[str, list[str]]:
    """Every named URL of the site with the names of its arguments."""
    found = list_url_patterns()
    return {url.name: re.findall(r"<(?:\w+:)?(\w+)>", address) for url, address in found}


def urls(world: World) -> dict[str, str]:
    """The address of every row of the table."""
    campaign, study = world.campaign, world.study
    payment, score_set = study.payments.get(), world.score_set
    worker = payment.unit.worker
    objects: dict[str, Model | None] = {
        "study": study, "crowd": study, "comparison": world.comparisons, "plan": world.plan,
        "round": world.plan, **dict.fromkeys(OF_SCORES, score_set), "draft": world.draft,
        "api-run-scores": world.scores, "run": world.run, "job": world.job, "pool": world.pool,
        "member": campaign.members.get(user=world.people["viewer"]), "qrels": world.qrels,
        "people-team": campaign.teams.first(), "team-request": world.team_request,
        "invitation": world.invitation, "reusability": world.report, "slot": world.slot,
        "simulation": world.simulation, "topic": campaign.topics.first(),
        "document": campaign.documents.first(), "automatic": world.automatic,
        "stopping-rule": campaign.stopping_rules.get(), "data-file": world.data_file,
        "score-publish": score_set, "estimate-file": score_set,
        "archive": world.archive,
        **dict.fromkeys(("mail", "outbox"), world.people["owner"].mails.last()),
    }  # fmt: skip
    known: dict[str, Any] = {
        "slug": campaign.slug, "username": "assessor", "run": world.run.pk, "worker": worker.pk,
        "payment": payment.pk, "exclusion": worker.exclusions.get().pk,
        "token": make_unit_token(payment.unit),
    }  # fmt: skip
    team = quote(campaign.teams.get(pk=world.run.team_id).name)
    viewer = world.people["viewer"].pk
    asked = {
        "slug": campaign.slug, "docno": "d1", "topic": "1", "team": team, "viewer": viewer,
    }  # fmt: skip
    others = {
        "join": known | {"token": token(world)},
        "reminders-stop": known | {"token": sign_reminder_token(world.people["owner"])},
        "public-campaign@published": known | {"slug": "elsewhere"},
    }
    return {
        row: locate_row(row, objects, others.get(row, known), asked) or ""
        for row in {name for name, _, _ in rows()}
    }


def locate_row(
    row: str,
    objects: Mapping[str, Model | None],
    known: Mapping[str, Any],
    asked: Mapping[str, str],
) -> str | None:
    """The address with values of ``known`` and ``VALUES``, the ID of one of ``objects`` by the
    beginning of its name, and the row's query; None where a value is missing.
    """
    name = row.partition("@")[0]

    def find_value(argument: str) -> Any:
        own = VALUES.get(argument, {})
        if argument == "pk" and name not in own:
            is_draft = row.endswith("@draft") or name == "score-release"
            kinds = [it for it in objects if name.startswith((it, f"api-{it}"))]
            found = objects.get("draft" if is_draft else max(kinds, key=len, default=""))
            return found.pk if found else None
        return known.get(argument, own.get(row, own.get(name, own.get(""))))

    values = [find_value(argument) for argument in patterns()[name]]
    if None in values:
        return None
    query = QUERIES.get(row, QUERIES.get(name, ""))
    return reverse(name, args=values) + query.format(**asked)


def list_pages(campaign: Campaign, roles: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Name, role and address of each page of the access table that the campaign has."""
    judged = campaign.judgments.filter(purpose="judge").first()
    run, sets = campaign.runs.accepted().order_by("pk").first(), campaign.score_sets.order_by("pk")
    released = sets.exclude(released_at=None).first()
    objects: dict[str, Model | None] = {
        **dict.fromkeys(OF_SCORES, released), "draft": sets.filter(released_at=None).first(),
        "run": run, "plan": campaign.plans.filter(kind="judge").order_by("pk").first(),
        "member": campaign.members.filter(role=Role.VIEWER).first(),
        "people-team": campaign.teams.first(),
        "job": campaign.jobs.order_by("pk").first(), "outbox": campaign.mails.first(),
    }  # fmt: skip
    known = {
        "slug": campaign.slug, "number": judged.topic.number, "run": run and run.pk,
        "username": judged.assessor.username, "name": None,
    }  # fmt: skip
    asked = {"docno": judged.docno, "topic": judged.topic.number,
             "team": quote(run.team.name) if run else "", "viewer": 0}  # fmt: skip
    arguments = patterns()
    for row, method, statuses in rows():
        if method != "GET" or row.startswith(SKIPPED):
            continue
        if arguments[row.partition("@")[0]][:1] != ["slug"]:
            continue
        address = locate_row(row, objects, known, asked)
        if address is None:
            continue
        address += name_two_assessors(campaign) if row == "agreement-pair" else ""
        for role in roles:
            if statuses[ROLES.index(role)] == 200:
                yield row, role, address


def name_two_assessors(campaign: Campaign) -> str:
    people = campaign.judgments.filter(purpose="judge").values("assessor__username").distinct()
    names = sorted(row["assessor__username"] for row in people)[:2]
    return "?a={}&b={}".format(*names) if len(names) == 2 else ""
