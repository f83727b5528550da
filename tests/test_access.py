"""Who may open what: every URL of the site × every role → the status of the answer.

302 for the anonymous is the way to the sign-in page; 404 is told to who may not even know
that the thing is there; 403 to members whose role does not reach so far; 400, 405, 409
and 422 are answers to a request that was let in and found wanting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from crowd.services.doorway import make_unit_token
from judging.rules import SKIP_REASONS
from preferences.services.comparisons import sign_display
from tests.access_table import TABLE
from tests.world.site import ROLES, World, token

CLICKS = '{"session": "s", "topic": "1", "shown": ["d1", "d2"], "clicks": ["d2"]}\n'


def rows() -> list[tuple[str, str, list[int]]]:
    lines = [line.split() for line in TABLE.splitlines() if line.strip() and line[0] != "#"]
    return [(name, method, [int(status) for status in told]) for name, method, *told in lines]


def urls(world: World) -> dict[str, str]:
    """The address of every row of the table."""
    slug, one, set_ = world.campaign.slug, world.run.pk, world.score_set.pk
    team = world.run.team.name
    member = world.campaign.members.get(user=world.people["viewer"]).pk
    study = world.study.pk
    payment = world.study.payments.get()
    worker = payment.unit.worker
    unit = make_unit_token(payment.unit)
    args: dict[str, list[object]] = {
        **{name: [unit] for name in patterns() if name and name.startswith("crowd-")},
        "crowd-door": [slug, study],
        "crowd-fake-return": [slug, study],
        "crowd-file": [unit, 1],
        "crowd-webhook": [slug, study],
        "study-keys": [slug, study],
        "study-try": [slug, study],
        "study-try-download": [slug, study, "csv"],
        "study": [slug, study],
        "study-edit": [slug, study],
        "study-start": [slug, study],
        "study-pause": [slug, study],
        "study-stop": [slug, study],
        "study-extend": [slug, study],
        "api-study-detail": [study],
        "api-study-payments-csv": [study],
        "api-study-payments-json": [study],
        "api-study-workers-csv": [study],
        "api-study-workers-json": [study],
        "study-bonus": [slug, study, payment.pk],
        "study-more-labels": [slug, study],
        "study-payments": [slug, study],
        "study-payments-download": [slug, study, "csv"],
        "study-provider-list": [slug, study, "approve"],
        "study-reconcile": [slug, study],
        "study-worker": [slug, study, worker.pk],
        "study-worker-aside": [slug, study],
        "study-worker-undo": [slug, study, worker.exclusions.get().pk],
        "study-workers": [slug, study],
        "study-workers-download": [slug, study, "csv"],
        "join": [token(world)],
        "help-page": ["formats"],
        "help-image": ["leaderboard.png"],
        "measure": ["bpref-10"],
        "measure@spelt": ["nDCG@10"],
        "api-measure-detail": ["bpref-10"],
        "invitation-revoke": [slug, world.invitation.pk],
        "member-remove": [slug, member],
        "api-member-detail": [member],
        "api-member-remove": [member],
        "topic": [slug, "1"],
        "old-address": [slug, "qrels", "/1/"],
        "preference-results-download": [slug, "shares", "csv"],
        "api-preferences-detail": [slug],
        "api-preferences-import": [slug],
        "run": [slug, one],
        "run-file": [slug, one],
        "run-check": [slug, one],
        "run-withdraw": [slug, one],
        "job": [slug, world.job.pk],
        "reusability-report": [slug, world.report.pk, "json"],
        "simulation-report": [slug, world.simulation.pk, "csv"],
        "pool": [slug, 1],
        "pool-download": [slug, 1, "csv"],
        "judge": [slug, "2"],
        "judge-skip": [slug, "2"],
        "judge-change": [slug, "1"],
        "plan-assign": [slug, world.plan.pk],
        "plan-pause": [slug, world.plan.pk],
        "plan-close": [slug, world.plan.pk],
        "plan-reassign": [slug, world.plan.pk],
        "judging-assessor": [slug, "assessor"],
        "review-new": [slug, "assessor"],
        "review-done": [slug, 1],
        "slots-return": [slug, "assessor"],
        "slot-reopen": [slug, world.slot.pk],
        "judgments-download": [slug, "csv"],
        "assessor-qrels": [slug, "assessor"],
        "my-judgments-file": [slug, "csv"],
        "judgments-export": [slug, "log", "csv"],
        "pairs-export": [slug, "judged", "doccano"],
        "automatic": [slug, "model"],
        "automatic-download": [slug, "model", "csv"],
        "agreement-download": [slug, "csv"],
        "assessor-quality-download": [slug, "json"],
        "disagreement-download": [slug, "pairs", "csv"],
        "stopping-download": [slug, "panel", "json"],
        "qrels": [slug, 1],
        "qrels-download": [slug, 1],
        "qrels-aggregation": [slug, 1, "pairs"],
        "qrels-policies-download": [slug, "csv"],
        "round-end": [slug, world.plan.pk],
        "score-set": [slug, set_],
        "score-set@draft": [slug, world.draft.pk],
        "score-release": [slug, world.draft.pk],
        "compare": [slug, set_],
        "score-set-download": [slug, set_, "csv"],
        "score-set-download@draft": [slug, world.draft.pk, "csv"],
        "pairs": [slug, set_],
        "measures-compared": [slug, set_],
        "pairs@draft": [slug, world.draft.pk],
        "pairs-download": [slug, set_, "csv"],
        "compare-download": [slug, set_, "tex"],
        "measures-compared-download": [slug, set_, "md"],
        "interim-scores-download": [slug, "csv"],
        "paper": [slug],
        "paper-download": [slug, "runs", "tex"],
        "paper-download@all": [slug, "all", "zip"],
        "api-score-set-paper": [set_],
        "api-score-set-paper@team": [set_],
        "api-score-set-paper-zip": [set_],
        "measures-compared@draft": [slug, world.draft.pk],
        "run-scores": [slug, set_, one],
        "run-scores@draft": [slug, world.draft.pk, one],
        "run-scores-download": [slug, set_, one, "txt"],
        "comparison-plan": [slug, world.comparisons.pk],
        "comparison-plan-pause": [slug, world.comparisons.pk],
        "comparison-plan-reopen": [slug, world.comparisons.pk],
        "comparison-plan-close": [slug, world.comparisons.pk],
        "comparison-desk": [slug, world.comparisons.pk],
        "comparison-skip": [slug, world.comparisons.pk],
        "comparison-undo": [slug, world.comparisons.pk],
        "api-score-set-detail@draft": [world.draft.pk],
    }
    ids = {
        "campaign": slug, "topic": world.campaign.topics.first().pk,
        "document": world.campaign.documents.first().pk, "run": one, "pool": world.pool.pk,
        "plan": world.plan.pk, "progress": slug, "qrels": world.qrels.pk, "score-set": set_,
        "stopping-rule": world.campaign.stopping_rules.get().pk,
        "run-scores": world.scores.pk, "automatic": world.automatic.pk, "study": study,
    }  # fmt: skip
    queries = {"api-verdict-list": f"?campaign={slug}", "document": "?docno=d1",
               "help@search": "?q=E07", "home@all": "?all",
               "document-body": "?docno=d1", "judge-change": "?docno=d1",
               "consensus-pair": "?topic=1&docno=d1", "measure@chart": "?chart=steps.svg",
               "agreement@chart": "?chart=coefficients.svg", "agreement@no-chart": "?chart=no.svg",
               "disagreement-effect@chart": "?chart=ranks.svg",
               "stopping@chart": "?chart=found.svg",
               "compare@chart": "?chart=differences.svg", "pairs@chart": "?chart=intervals.svg",
               "run-scores@chart": "?chart=topics.svg",
               "paper@team": f"?team={team}", "paper-download@team": f"?team={team}",
               "paper@chart": f"?team={team}&chart=topics.png",
               "api-score-set-paper@team": f"?team={team}"}  # fmt: skip
    found = {}
    for row in {name for name, _, _ in rows()}:
        name = row.partition("@")[0]
        given = args.get(row, args.get(name, [slug] if patterns()[name] else []))
        if name.startswith("api-") and row not in args and patterns()[name]:
            given = [next(ids[it] for it in sorted(ids, key=len)[::-1] if f"api-{it}-" in name)]
        found[row] = reverse(name, args=given) + queries.get(row, queries.get(name, ""))
    return found


def patterns() -> dict[str, list[str]]:
    """Every named URL of the site with the names of its arguments."""

    def walk(entries) -> Iterator[tuple[str, list[str]]]:
        for entry in entries:
            if isinstance(entry, URLPattern):
                yield entry.name, re.findall(r"<(?:\w+:)?(\w+)>", str(entry.pattern))
            else:
                yield from walk(entry.url_patterns)

    return dict(walk(get_resolver().url_patterns))


def bodies(world: World) -> dict[str, dict[str, object]]:
    """What is posted, where a bare post would tell little."""
    runs = [run.pk for run in world.campaign.runs.accepted()]
    api = {"campaign": world.campaign.slug}
    scale = [{"value": n, "label": f"{n}", "key": f"{n}", "gain": n} for n in (0, 1)]
    place = api | {"topic": "2"}
    page = {"docno": world.slot.item.docno, "client_uuid": str(world.slot.token)}
    said = place | page
    seen = {"client_uuid": str(world.slot.token)} | see_comparison(world)
    return {
        "language": {"language": "de"},
        "theme": {"theme": "dark"},
        "pools": {"run": runs, "depth": "1", "seconds": "30", "after": "1"},
        "invite": {"role": "assessor", "uses": "1", "days": "1"},
        "qrels-list": {"policy": "majority"},
        "consensus-undo": {"topic": "1", "docno": "d1"},
        "simulation": {"depths": "2", "qrels": "1", "fed_by": "pool", "seeds": "1"},
        "simulation@filled": {"fill": "1"},
        "score-evaluate": {"qrels": world.qrels.pk},
        "judge-ahead": {"topic": "2"},
        "judge": page | {"grade": "1", "token": str(world.slot.token)},
        "judge-skip": page | {"reason": next(iter(SKIP_REASONS))},
        "api-pool-list": api | {"depth": 1, "runs": runs, "confirm": ["submission-open"]},
        "api-pool-preview": api | {"depth": 1, "runs": runs},
        "api-plan-list": api | {"pool": 1},
        "api-plan-preview": api | {"pool": 1},
        "api-stopping-rule-list": api | {"no_relevant_in": 30},
        "api-verdict-thresholds": api | {"name": "stopping-tau", "value": 0.9},
        "api-judgment-list": said | {"grade": 1},
        "api-judgment-next": place,
        "api-judgment-skip": said | {"reason": next(iter(SKIP_REASONS))},
        "api-judgment-undo": api,
        "api-qrels-list": api | {"policy": "majority", "confirm": ["judging-open"]},
        "qrels-freeze": {"policy": "majority"},
        "api-plan-close": {"confirm": ["work-ends", "documents-out"]},
        "api-run-withdraw": {"confirm": ["stays-in-scores"]},
        "api-campaign-visibility": {"board": "names"},
        "api-member-list": api | {"username": "stranger", "role": "viewer"},
        "automatic-list": {"name": "another"},
        "api-automatic-list": api | {"name": "another"},
        "api-automatic-judgments": {"judgments": [page | {"topic": "2", "grade": 1}]},
        "api-score-set-evaluate": api | {"qrels": 1},
        "api-campaign-list": {"title": "New", "grades": scale},
        "api-interleaving-list": {"a": ["x"], "b": ["y"]},
        "api-click-preferences-list": {"documents": ["x"], "clicked": ["x"], "ranking": ["x"]},
        "api-preferences-import": {"file": CLICKS},
        "api-topic-import": api | {"file": '{"_id": "4", "text": "new"}\n', "format": "jsonl"},
        "api-document-import": api | {"file": '{"_id": "d10", "text": "new"}\n'},
        "api-comparison-list": api | seen | {"side": "left"},
        "api-comparison-next": api,
        "api-comparison-skip": api | seen | {"reason": next(iter(SKIP_REASONS))},
        "api-comparison-undo": api,
        "api-run-list": api | {"file": "1 Q0 d9 1 2.5 new\n"},
    }


def see_comparison(world: World) -> dict[str, str]:
    """What the assessor was shown to compare."""
    comparison = world.comparisons.comparisons.first()
    return {"display": sign_display(world.people["assessor"], comparison, swapped=False)}


SCRIPT = ("/judge-acts/", "/judge-ahead/", "/judge-renew/")
"""What the judging screen's script posts to, as JSON."""


def ask(client: Client, method: str, url: str, body: dict[str, object]) -> HttpResponse:
    """The answer; whatever the request changed is undone."""
    kept = deepcopy(client.cookies)
    with transaction.atomic():
        if method == "GET":
            answer = client.get(url)
        elif "file" in body:
            file = SimpleUploadedFile("new.jsonl", str(body["file"]).encode())
            answer = client.post(url, body | {"file": file})
        elif url.startswith("/api/") or url.endswith(SCRIPT):
            answer = client.generic(method, url, json.dumps(body), content_type="application/json")
        else:
            answer = client.post(url, body)
        answer.body = answer.getvalue()  # a stream is read within the transaction
        transaction.set_rollback(True)
    client.cookies = kept
    return answer


def test_every_url_is_in_the_table():
    told = {name.partition("@")[0] for name, _, _ in rows()}
    assert set(patterns()) - told == set()
    assert told - set(patterns()) == set()


@pytest.mark.parametrize("role", ROLES)
def test_every_url_answers_every_role_as_the_table_says(world, client_for, role):
    """Besides, every page that is shown keeps to the policy, unstored, and keeps secrets."""
    address, body, client = urls(world), bodies(world), client_for(role)
    secrets = [run.tag for run in world.campaign.runs.all()] if role == "assessor" else []
    wrong = []
    for name, method, statuses in rows():
        answer = ask(client, method, address[name], body.get(name, {}))
        asked, wanted = f"{method} {address[name]} ({name})", statuses[ROLES.index(role)]
        if answer.status_code != wanted:
            wrong.append(f"{asked}: {answer.status_code}, not {wanted}")
        elif method == "GET" and answer.status_code == 200:
            wrong += [f"{asked}: {fault}" for fault in list_loose_headers(answer)]
            if role != "anonymous" and name not in STORED:
                wrong += [f"{asked}: may be stored"] * ("no-store" not in cache_control(answer))
            if "/c/" in address[name]:
                wrong += [f"{asked}: shows {tag}" for tag in secrets if tag.encode() in answer.body]
    assert wrong == []


STORED = {"document-body", "health", "api-schema", "api-schema-json"}
"""The others are not about anybody: they never look at who asks."""
STRICT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
FORBIDDEN = re.compile(
    r"<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=|javascript:"
    r"|<(?:script|link|img)[^>]*(?:src|href)=\"https?:[^>]*"
)
"""Inline script and style, event handlers, and addresses of other hosts that would load."""


def cache_control(answer: HttpResponse) -> str:
    return answer.headers.get("Cache-Control", "")


def list_loose_headers(answer: HttpResponse) -> list[str]:
    """What an answer lacks of the strict policy, and what the policy forbids but the page has."""
    parts = answer.headers["Content-Security-Policy"].split(";")
    policy = dict(part.strip().partition(" ")[::2] for part in parts)
    loose = [name for name, value in STRICT.items() if policy.get(name) != value]
    if answer.headers["X-Frame-Options"] != "DENY":
        loose.append("X-Frame-Options")
    if answer.headers.get("X-Content-Type-Options") != "nosniff":
        loose.append("nosniff")
    if answer.headers["Content-Type"].startswith("text/html"):
        loose += FORBIDDEN.findall(answer.content.decode())
    return loose
