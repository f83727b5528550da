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
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from judging.rules import SKIP_REASONS
from tests.world import ROLES, World, build_world, token

# A name may carry a variant after @: another object or another query.
TABLE = """
#                                  anon   strang viewer owner  rival  assess organ  foreign
# the site
login                       GET    200    200    200    200    200    200    200    200
login                       POST   200    200    200    200    200    200    200    200
logout                      POST   302    302    302    302    302    302    302    302
password_change             GET    302    200    200    200    200    200    200    200
password_change             POST   302    200    200    200    200    200    200    200
password_change_done        GET    302    200    200    200    200    200    200    200
home                        GET    200    200    200    200    200    200    200    200
theme                       POST   302    302    302    302    302    302    302    302
health                      GET    200    200    200    200    200    200    200    200
account                     GET    302    200    200    200    200    200    200    200
account                     POST   302    200    200    200    200    200    200    200
token-create                POST   302    302    302    302    302    302    302    302
token-revoke                POST   302    302    302    302    302    302    302    302
join                        GET    200    200    200    200    200    200    200    200
join                        POST   200    302    409    409    409    302    409    302
campaign-new                GET    302    403    403    403    403    403    200    200
campaign-new                POST   302    403    403    403    403    403    200    200
# campaigns
campaign                    GET    302    404    200    200    200    200    200    404
campaign-settings           GET    302    404    403    403    403    403    200    404
campaign-settings           POST   302    404    403    403    403    403    200    404
people                      GET    302    404    403    403    403    403    200    404
invite                      POST   302    404    403    403    403    403    302    404
member-add                  POST   302    404    403    403    403    403    200    404
invitation-revoke           POST   302    404    403    403    403    403    302    404
member-remove               POST   302    404    403    403    403    403    302    404
topics                      GET    302    404    200    200    200    200    200    404
topics-import               GET    302    404    403    403    403    403    200    404
topics-import               POST   302    404    403    403    403    403    200    404
topics-delete               GET    302    404    403    403    403    403    200    404
topics-delete               POST   302    404    403    403    403    403    409    404
topic                       GET    302    404    200    200    200    200    200    404
documents                   GET    302    404    200    200    200    200    200    404
documents-import            GET    302    404    403    403    403    403    200    404
documents-import            POST   302    404    403    403    403    403    200    404
documents-delete            GET    302    404    403    403    403    403    200    404
documents-delete            POST   302    404    403    403    403    403    409    404
document                    GET    302    404    200    200    200    200    200    404
runs                        GET    302    404    403    200    200    403    200    404
run-upload                  GET    302    404    403    200    200    403    200    404
run-upload                  POST   302    404    403    422    422    403    422    404
run                         GET    302    404    403    200    404    403    200    404
run-file                    GET    302    404    403    200    404    403    200    404
run-check                   POST   302    404    403    409    404    403    409    404
run-withdraw                GET    302    404    403    200    404    403    200    404
run-withdraw                POST   302    404    403    302    404    403    302    404
events                      GET    302    404    403    403    403    403    200    404
job                         GET    302    404    404    200    404    404    200    404
# pooling
pools                       GET    302    404    403    403    403    403    200    404
pools                       POST   302    404    403    403    403    403    302    404
pool                        GET    302    404    403    403    403    403    200    404
pool-download               GET    302    404    403    403    403    403    200    404
# judging
work                        GET    302    404    403    403    403    200    403    404
my-judgments                GET    302    404    403    403    403    200    403    404
judge-undo                  POST   302    404    403    403    403    409    403    404
judge-skip                  POST   302    404    403    403    403    302    403    404
judge-change                GET    302    404    403    403    403    200    403    404
judge                       GET    302    404    403    403    403    200    403    404
judge                       POST   302    404    403    403    403    302    403    404
judging                     GET    302    404    403    403    403    403    200    404
plan-new                    GET    302    404    403    403    403    403    200    404
plan-new                    POST   302    404    403    403    403    403    200    404
plan-assign                 GET    302    404    403    403    403    403    200    404
plan-assign                 POST   302    404    403    403    403    403    302    404
plan-pause                  POST   302    404    403    403    403    403    302    404
slot-reopen                 POST   302    404    403    403    403    403    302    404
judgments-download          GET    302    404    403    403    403    403    200    404
assessor-qrels              GET    302    404    403    403    403    403    200    404
agreement                   GET    302    404    403    403    403    403    200    404
agreement-download          GET    302    404    403    403    403    403    200    404
qrels-list                  GET    302    404    403    403    403    403    200    404
qrels-list                  POST   302    404    403    403    403    403    302    404
qrels                       GET    302    404    403    403    403    403    200    404
qrels-download              GET    302    404    403    403    403    403    200    404
# evaluation
scores                      GET    302    404    403    200    200    403    200    404
score-evaluate              POST   302    404    403    403    403    403    302    404
score-set                   GET    302    404    403    200    200    403    200    404
score-set@draft             GET    302    404    403    404    404    403    200    404
score-release               POST   302    404    403    403    403    403    302    404
compare                     GET    302    404    403    200    200    403    200    404
score-set-download          GET    302    404    403    200    200    403    200    404
score-set-download@draft    GET    302    404    403    404    404    403    200    404
run-scores                  GET    302    404    403    200    404    403    200    404
run-scores@draft            GET    302    404    403    404    404    403    200    404
run-scores-download         GET    302    404    403    200    404    403    200    404
# the API
api-campaign-list           GET    401    200    200    200    200    200    200    200
api-campaign-list           POST   401    403    403    403    403    403    201    201
api-campaign-detail         GET    401    404    200    200    200    200    200    404
api-campaign-detail         PATCH  401    404    403    403    403    403    200    404
api-topic-list              GET    401    200    200    200    200    200    200    200
api-topic-bring             POST   401    404    403    403    403    403    201    404
api-topic-detail            GET    401    404    200    200    200    200    200    404
api-document-list           GET    401    200    200    200    200    200    200    200
api-document-bring          POST   401    404    403    403    403    403    201    404
api-document-detail         GET    401    404    200    200    200    200    200    404
api-run-list                GET    401    200    200    200    200    200    200    200
api-run-list                POST   401    404    403    201    201    403    201    404
api-run-detail              GET    401    404    404    200    404    404    200    404
api-run-file                GET    401    404    404    200    404    404    200    404
api-run-withdraw            POST   401    404    404    200    404    404    200    404
api-pool-list               GET    401    200    200    200    200    200    200    200
api-pool-list               POST   401    404    403    403    403    403    201    404
api-pool-preview            POST   401    404    403    403    403    403    200    404
api-pool-detail             GET    401    404    404    404    404    404    200    404
api-pool-csv                GET    401    404    404    404    404    404    200    404
api-pool-json               GET    401    404    404    404    404    404    200    404
api-pool-txt                GET    401    404    404    404    404    404    200    404
api-plan-list               GET    401    200    200    200    200    200    200    200
api-plan-detail             GET    401    404    404    404    404    404    200    404
api-judgment-list           GET    401    200    200    200    200    200    200    200
api-judgment-list           POST   401    404    403    403    403    200    403    404
api-judgment-next           POST   401    404    403    403    403    200    403    404
api-judgment-pass-over      POST   401    404    403    403    403    200    403    404
api-judgment-take-back      POST   401    404    403    403    403    409    403    404
api-qrels-list              GET    401    200    200    200    200    200    200    200
api-qrels-list              POST   401    404    403    403    403    403    201    404
api-qrels-detail            GET    401    404    404    404    404    404    200    404
api-qrels-text              GET    401    404    404    404    404    404    200    404
api-score-set-list          GET    401    200    200    200    200    200    200    200
api-score-set-evaluate      POST   401    404    403    403    403    403    202    404
api-score-set-detail        GET    401    404    404    200    200    404    200    404
api-score-set-detail@draft  GET    401    404    404    404    404    404    200    404
api-score-set-csv           GET    401    404    404    200    200    404    200    404
api-score-set-leaderboard   GET    401    404    404    200    200    404    200    404
api-score-set-release       POST   401    404    404    403    403    404    409    404
api-run-scores-detail       GET    401    404    404    200    404    404    200    404
api-run-scores-csv          GET    401    404    404    200    404    404    200    404
api-run-scores-json         GET    401    404    404    200    404    404    200    404
api-run-scores-txt          GET    401    404    404    200    404    404    200    404
api-schema                  GET    200    200    200    200    200    200    200    200
api-schema-json             GET    200    200    200    200    200    200    200    200
api-docs                    GET    200    200    200    200    200    200    200    200
"""


def rows() -> list[tuple[str, str, list[int]]]:
    lines = [line.split() for line in TABLE.splitlines() if line.strip() and line[0] != "#"]
    return [(name, method, [int(status) for status in told]) for name, method, *told in lines]


def urls(world: World) -> dict[str, str]:
    """The address of every row of the table."""
    slug, one, set_ = world.campaign.slug, world.run.pk, world.score_set.pk
    member = world.campaign.members.get(user=world.people["viewer"]).pk
    args: dict[str, list[object]] = {
        "join": [token(world)],
        "invitation-revoke": [slug, world.invitation.pk],
        "member-remove": [slug, member],
        "topic": [slug, "1"],
        "run": [slug, one],
        "run-file": [slug, one],
        "run-check": [slug, one],
        "run-withdraw": [slug, one],
        "job": [slug, world.job.pk],
        "pool": [slug, 1],
        "pool-download": [slug, 1, "csv"],
        "judge": [slug, "2"],
        "judge-skip": [slug, "2"],
        "judge-change": [slug, "1"],
        "plan-assign": [slug, world.plan.pk],
        "plan-pause": [slug, world.plan.pk],
        "slot-reopen": [slug, world.slot.pk],
        "judgments-download": [slug, "csv"],
        "assessor-qrels": [slug, "assessor"],
        "agreement-download": [slug, "csv"],
        "qrels": [slug, 1],
        "qrels-download": [slug, 1],
        "score-set": [slug, set_],
        "score-set@draft": [slug, world.draft.pk],
        "score-release": [slug, world.draft.pk],
        "compare": [slug, set_],
        "score-set-download": [slug, set_, "csv"],
        "score-set-download@draft": [slug, world.draft.pk, "csv"],
        "run-scores": [slug, set_, one],
        "run-scores@draft": [slug, world.draft.pk, one],
        "run-scores-download": [slug, set_, one, "txt"],
        "api-score-set-detail@draft": [world.draft.pk],
    }
    ids = {
        "campaign": slug, "topic": world.campaign.topics.first().pk,
        "document": world.campaign.documents.first().pk, "run": one, "pool": world.pool.pk,
        "plan": world.plan.pk, "qrels": world.qrels.pk, "score-set": set_,
        "run-scores": world.scores.pk,
    }  # fmt: skip
    queries = {"document": "?docno=d1", "judge-change": "?docno=d1"}
    found = {}
    for row in {name for name, _, _ in rows()}:
        name = row.partition("@")[0]
        given = args.get(row, [slug] if patterns()[name] else [])
        if name.startswith("api-") and row not in args and patterns()[name]:
            given = [next(ids[it] for it in sorted(ids, key=len)[::-1] if f"api-{it}-" in name)]
        found[row] = reverse(name, args=given) + queries.get(name, "")
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
    return {
        "theme": {"theme": "dark"},
        "pools": {"run": runs, "depth": "1", "seconds": "30", "after": "1"},
        "invite": {"role": "assessor", "uses": "1", "days": "1"},
        "qrels-list": {"policy": "majority"},
        "score-evaluate": {"qrels": world.qrels.pk},
        "judge": page | {"grade": "1", "token": str(world.slot.token)},
        "judge-skip": page | {"reason": next(iter(SKIP_REASONS))},
        "api-pool-list": api | {"depth": 1, "runs": runs},
        "api-pool-preview": api | {"depth": 1, "runs": runs},
        "api-judgment-list": said | {"grade": 1},
        "api-judgment-next": place,
        "api-judgment-pass-over": said | {"reason": next(iter(SKIP_REASONS))},
        "api-judgment-take-back": api,
        "api-qrels-list": api | {"policy": "majority"},
        "api-score-set-evaluate": api | {"qrels": 1},
        "api-campaign-list": {"title": "New", "grades": scale},
        "api-topic-bring": api | {"file": '{"_id": "4", "text": "new"}\n', "format": "jsonl"},
        "api-document-bring": api | {"file": '{"_id": "d10", "text": "new"}\n'},
        "api-run-list": api | {"file": "1 Q0 d9 1 2.5 new\n"},
    }


def ask(client: Client, method: str, url: str, body: dict[str, object]) -> int:
    """The status of the answer; whatever the request changed is undone."""
    kept = deepcopy(client.cookies)
    with transaction.atomic():
        if method == "GET":
            answer = client.get(url)
        elif "file" in body:
            file = SimpleUploadedFile("new.jsonl", str(body["file"]).encode())
            answer = client.post(url, body | {"file": file})
        elif url.startswith("/api/"):
            answer = client.generic(method, url, json.dumps(body), content_type="application/json")
        else:
            answer = client.post(url, body)
        transaction.set_rollback(True)
    client.cookies = kept
    return answer.status_code


def clients(world: World) -> dict[str, Client]:
    made = {}
    for role in ROLES:
        made[role] = Client(raise_request_exception=True)
        if world.people[role] is not None:
            made[role].force_login(world.people[role])
    return made


def test_every_url_is_in_the_table():
    told = {name.partition("@")[0] for name, _, _ in rows()}
    assert set(patterns()) - told == set()
    assert told - set(patterns()) == set()


@pytest.mark.parametrize("part", ["pages", "api"])
def test_every_url_answers_every_role_as_the_table_says(db, part):
    world = build_world()
    address, body, client = urls(world), bodies(world), clients(world)
    wrong = []
    for name, method, statuses in rows():
        if name.startswith("api-") != (part == "api"):
            continue
        for role, status in zip(ROLES, statuses, strict=True):
            found = ask(client[role], method, address[name], body.get(name, {}))
            if found != status:
                wrong.append(f"{method} {address[name]} ({name}) as {role}: {found}, not {status}")
    assert wrong == []
