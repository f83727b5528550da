"""No request, however odd, is answered with a stack trace: addresses, queries, forms, JSON.

The values are what a database or ``int`` chokes on: NUL, numbers of any size, digits of
other scripts, half of a surrogate pair, words without end. Every value goes to one of ``EVERY``
fields; POOLBENCH_TEST_EXAMPLES=all sends all to all.
"""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.db import transaction

from tests.examples import take
from tests.test_access import bodies, rows, urls

LONG = "9" * 5000
ODD = ("a\0b", "-1", "1e999", "nan", "9" * 30, LONG, "²", "--1", "w " * 400)
ODD_JSON = ("\0", 2**31, 10**30, [], {}, "\ud800", [10**30], [2**63 - 1])
NO_JSON = ("", "[]", "null", "{", "\0", "[" * 100_000)
ODD_PLACES = ("9" * 20, "2147483648", "a\0b")
QUERIES = {
    "topics": "q page", "documents": "q", "document": "docno", "judge-change": "docno",
    "my-judgments": "topic grade kind since page", "agreement": "level by cut topic",
    "agreement-download": "level topic", "agreement-pair": "a b level by topic",
    "measures": "q", "measure": "ranking missed form rel list",
    "pools": "depth run seconds priority per_team", "qrels-list": "policy",
    "events": "page action user", "events-download": "action user",
    "scores": "m sort job as",
    "paper": "team m decimals chart", "paper-download": "team m decimals",
    "api-score-set-paper": "team m", "compare-download": "measure a b",
    "interim-scores-download": "policy by", "compare": "measure a b", "run-scores": "measure",
    "score-set-changes@draft": "since measure",
    "run-upload": "replaces", "runs": "state kind column page", "runs-submitted": "run",
    "score-set-download": "shape", "api-pool-list": "campaign",
    "api-run-list": "campaign limit offset", "api-judgment-list": "campaign topic current",
    "api-document-list": "docno", "api-score-set-list": "campaign",
}  # fmt: skip
SCALE = {f"scale-{n}-{name}": n for n in (0, 1) for name in ("value", "label", "key", "gain")}
CAMPAIGN = {
    "title": "T", "slug": "t", "relevance_level": "1", "runs_deadline": "2030-01-01T00:00",
    "max_runs_per_team": "5", "max_docs_per_topic": "9", "board": "own",
    "test": "t", "correction": "holm", "alpha": "0.05",
    "scale-TOTAL_FORMS": 2, "scale-INITIAL_FORMS": 0, **SCALE,
}  # fmt: skip
FORMS = {
    "campaign-new": CAMPAIGN,
    "campaign-settings": CAMPAIGN,
    "login": {"username": "x", "password": "y", "next": "/"},
    "theme": {"theme": "dark", "next": "/"},
    "account": {"first_name": "x"},
    "invite": {"role": "participant", "team": "x", "uses": 1, "days": 1},
    "member-add": {"username": "stranger", "role": "participant", "team": "x"},
    "plan-new": {"pool": 1, "overlap": 1, "fill": "turn"},
    "plan-assign": {"fill": "turn"},
    "pools": {"run": 1, "depth": 1, "seconds": 30, "after": 1},
    "qrels-list": {"policy": "majority", "note": "x"},
    "judge": {"docno": "d4", "client_uuid": "x", "token": "x", "grade": 1, "comment": "x"},
    "judge-skip": {"docno": "d4", "client_uuid": "x", "reason": "other"},
    "judge-undo": {"client_uuid": "x"},
    "my-review": {"topic": "1", "grade": "x", "kind": "x", "since": "x"},
    "score-evaluate": {"qrels": 1, "measures": "ndcg"},
    "run-upload": {"tag": "x", "team": 1, "priority": 1, "replaces": 1},
    "run-form": {
        "fields-TOTAL_FORMS": 1,
        "fields-INITIAL_FORMS": 0,
        "fields-0-label": "Q",
        "fields-0-name": "q",
        "fields-0-kind": "choice",
        "fields-0-choices": "a; b",
    },
}
ASSESSORS = ("judge", "judge-skip", "judge-undo", "judge-change", "my-judgments", "my-review")


PARTS, EVERY = 4, 16
in_parts = pytest.mark.parametrize("part", range(PARTS))
"""Short tests, so that several workers share the addresses."""


def part_of(items: Iterable[Any], part: int) -> list[Any]:
    return list(items)[part::PARTS]


@pytest.fixture
def ask(client_for):
    """``ask(name, method, address, …)`` → what was asked, if the answer was our fault."""
    clients = {
        role: client_for(role, raise_request_exception=False) for role in ("organizer", "assessor")
    }

    def asked(name: str, method: str, address: str, *args: Any, **options: Any) -> list[str]:
        judges = name in ASSESSORS or name.startswith("api-judgment")
        client = clients["assessor" if judges else "organizer"]
        with transaction.atomic():
            answer = client.generic(method, address, *args, **options)
            transaction.set_rollback(True)
        told = f"{method} {address[:90]} {str(args)[:150]}: {answer.status_code}"
        return [told] if answer.status_code >= 500 else []

    return asked


@in_parts
def test_no_odd_query_breaks_a_page(world, ask, part):
    found, address = [], urls(world)
    for name, parameters in part_of(QUERIES.items(), part):
        for turn, query in enumerate(parameters.split(), len(name)):
            for value in take(ODD, EVERY, turn):
                path = address[name].partition("?")[0]
                found += ask(name, "GET", f"{path}?{query}={quote(value)}")
    assert found == []


@in_parts
def test_no_odd_form_breaks_a_page(world, ask, part):
    found, address = [], urls(world)
    for name, form in part_of(FORMS.items(), part):
        for turn, field in enumerate(form, len(name)):
            for value in take(ODD[:1] + ODD[4:7], EVERY, turn):
                body = urlencode(form | {field: value})
                found += ask(
                    name, "POST", address[name], body,
                    content_type="application/x-www-form-urlencoded",
                )  # fmt: skip
    assert found == []


@in_parts
def test_no_odd_json_breaks_the_api(world, ask, part):
    more = {"measures": [], "note": "x", "as_of": "2020-01-01T00:00:00Z", "after": 1, "slug": "x"}
    more |= {"comment": "x", "client_uuid": "x", "max_runs_per_team": 1}
    found, address = [], urls(world)
    for name, body in part_of(bodies(world).items(), part):
        if not name.startswith("api-") or "file" in body:
            continue
        for turn, field in enumerate({**body, **more}, len(name)):
            for value in take(ODD_JSON, EVERY, turn):
                text = json.dumps(body | {field: value})
                found += ask(name, "POST", address[name], text, content_type="application/json")
        for text in take(NO_JSON, EVERY, len(name)):
            found += ask(name, "POST", address[name], text, content_type="application/json")
    assert found == []


@in_parts
def test_no_odd_place_breaks_a_page(world, ask, part):
    found = []
    for name, address in part_of(sorted(urls(world).items()), part):
        parts = address.partition("?")[0].strip("/").split("/")
        for at in range(len(parts)):
            for value in take(ODD_PLACES, EVERY, len(name) + at):
                odd = [*parts[:at], quote(value), *parts[at + 1 :]]
                found += ask(name, "GET", f"/{'/'.join(odd)}/")
    assert found == []


def test_the_table_of_odd_requests_names_urls_that_are_there():
    known = {name for name, _, _ in rows()}
    assert {*QUERIES, *FORMS, *ASSESSORS} - known == set()
