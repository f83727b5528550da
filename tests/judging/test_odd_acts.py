"""One odd act in the browser's queue is answered for itself: those after it are written."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Judgment

ODD = (
    {"comment": "half of an emoji \ud83d"},
    {"docno": "d1\ud83d"},
    {"topic": "1\ud83d"},
    {"topic": "1\0"},
    {"duplicate_of": "\ud83d", "flags": ["duplicate"]},
    {"passages": [[0, 4, "cut \ud83d"]]},
    {"served_at": [1]},
    {"grade": [1]},
    {"flags": [[1], {}]},
    {"uuid": [1]},
    {"act": {}},
)


@pytest.fixture
def send(as_user, assessor, plan):
    client = as_user(assessor)
    client.raise_request_exception = False

    def post(name: str, body: object):
        url = reverse(f"judge-{name}", args=["small"])
        return client.post(url, json.dumps(body), content_type="application/json")

    return post


def act(docno: str, **more: object) -> dict[str, object]:
    return {"act": "judge", "uuid": str(uuid4()), "topic": "1", "docno": docno, "grade": 2} | more


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_an_odd_act_does_not_stop_the_next(odd, send):
    told = send("sync", {"acts": [act("d1") | odd, act("d2")]})
    assert told.status_code == 200
    assert told.json()["results"][1]["ok"]


def test_a_comment_cut_within_an_emoji_is_kept(send):
    send("sync", {"acts": [act("d1", comment="so \ud83d\ude00 and \ud83d")]})
    assert Judgment.objects.get().comment == "so \U0001f600 and ?"


@pytest.mark.parametrize(
    "odd",
    [{"topic": "\ud83d"}, {"again": "\ud83d"}, {"again": "d1\0"}, {"again": "x", "token": []}],
    ids=json.dumps,
)
def test_odd_wishes_for_documents_are_answered(odd, send):
    assert send("ahead", {"topic": "1"} | odd).status_code < 500


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_that_cannot_be_is_left_out(moment, send):
    told = send("sync", {"acts": [act("d1", served_at=moment), act("d2")]})
    assert [result["ok"] for result in told.json()["results"]] == [True, True]
    assert set(Judgment.objects.values_list("served_at", flat=True)) == {None}
