"""What the judging screen's script sends: acts, documents ahead, leases."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Judgment, Slot

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
    """``send("sync", {...})``: the answer's JSON; ``status`` is what is expected."""
    client = as_user(assessor)

    def post(name: str, body: object, status: int = 200):
        url = reverse(f"judge-{name}", args=["small"])
        text = body if isinstance(body, str) else json.dumps(body)
        answer = client.post(url, text, content_type="application/json")
        assert answer.status_code == status, answer.content
        return answer.json()

    return post


def act(docno: str, **more: object) -> dict[str, object]:
    return {"act": "judge", "uuid": str(uuid4()), "topic": "1", "docno": docno, "grade": 2} | more


def ahead(send, *, status: int = 200, **more: object) -> dict:
    return send("ahead", {"topic": "1", "have": [], "count": 3} | more, status)


def docnos(answer: dict) -> list[str]:
    return [found["docno"] for found in answer["documents"]]


def test_acts_are_done_in_order_each_by_itself(send):
    first, second = act("d1", grade=1), act("d2", grade=9)
    undo = {"act": "undo", "uuid": str(uuid4()), "of": first["uuid"]}
    results = send("sync", {"acts": [first, second, undo, act("d1", grade=3)]})["results"]
    assert [result["ok"] for result in results] == [True, False, True, True]
    assert results[1]["code"] == "off-scale"
    assert results[1]["fix"]
    said = Judgment.objects.order_by("pk").values_list("docno", "kind", "grade")
    assert list(said) == [("d1", "grade", 1), ("d1", "withdrawn", None), ("d1", "grade", 3)]


def test_a_number_of_thirty_digits_is_on_no_scale(send):
    acts = [act("d1", grade=grade) for grade in (10**30, -(10**30), 2**31, -1)]
    codes = [result["code"] for result in send("sync", {"acts": acts})["results"]]
    assert codes == ["off-scale"] * 4


def test_the_same_acts_again_change_nothing(send):
    acts = [act("d1"), act("d2", act="skip", reason="broken"), act("d3")]
    acts.append({"act": "undo", "uuid": str(uuid4()), "of": acts[2]["uuid"]})
    once = send("sync", {"acts": acts})
    before = list(Judgment.objects.order_by("pk").values())
    again = send("sync", {"acts": acts})
    assert [result["ok"] for result in once["results"]] == [True] * 4
    assert [result["ok"] for result in again["results"]] == [True] * 4
    assert list(Judgment.objects.order_by("pk").values()) == before


def test_an_act_carries_all_that_is_said_of_a_document(send):
    got = ahead(send, count=1)["documents"][0]
    more = {
        "token": got["token"], "comment": "see end", "flags": ["duplicate"], "duplicate_of": "d2",
        "passages": [[4, 8, "text"], [None, None, "quoted"]], "active_seconds": 4.2,
        "served_at": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    send("sync", {"acts": [act("d1", **more)]})
    given = Judgment.objects.get()
    assert (given.comment, given.flags, given.duplicate_of) == ("see end", ["duplicate"], "d2")
    assert given.passages == [[4, 8, "text"], [None, None, "quoted"]]
    assert (given.active_seconds, str(given.lease)) == (4.2, got["token"])
    # The browser's clock is heard within what the lease allows.
    assert given.served_at.year != 2026 or given.served_at.month != 1


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"act": "fly"}, "no-act"),
        ({"uuid": "7"}, "incomplete"),
        ({"uuid": None}, "incomplete"),
        ({"grade": None}, "incomplete"),
        ({"grade": "1e9999"}, "incomplete"),
        ({"docno": ""}, "incomplete"),
        ({"docno": "d1\0"}, "incomplete"),
        ({"topic": "no"}, "no-topic"),
        ({"topic": {"a": 1}}, "no-topic"),
        ({"flags": ["odd"]}, "incomplete"),
        ({"flags": "broken"}, "incomplete"),
        ({"flags": ["duplicate"], "duplicate_of": "d1"}, "no-original"),
        ({"passages": [[1, 2]]}, "incomplete"),
        ({"passages": [[5, 2, "x"]]}, "bad-passages"),
        ({"passages": "[[1, 2, 3]]"}, "incomplete"),
        ({"active_seconds": "NaN"}, "incomplete"),
        ({"served_at": 7}, "incomplete"),
        ({"comment": "x" * 10_001}, "incomplete"),
        ({"docno": "elsewhere"}, "not-yours"),
    ],
)
def test_a_wrong_act_is_refused_by_itself(send, wrong, code):
    results = send("sync", {"acts": [act("d1") | wrong, act("d2")]})["results"]
    assert (results[0]["ok"], results[0]["code"]) == (False, code)
    assert results[1]["ok"]
    assert Judgment.objects.get().docno == "d2"


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_an_odd_act_does_not_stop_the_next(odd, send):
    assert send("sync", {"acts": [act("d1") | odd, act("d2")]})["results"][1]["ok"]


def test_a_comment_cut_within_an_emoji_is_kept(send):
    send("sync", {"acts": [act("d1", comment="so \ud83d\ude00 and \ud83d")]})
    assert Judgment.objects.get().comment == "so \U0001f600 and ?"


@pytest.mark.parametrize("odd", ["\ud83d", "d1\0"], ids=json.dumps)
def test_odd_wishes_for_documents_are_answered(odd, send):
    ahead(send, status=400, topic=odd)
    for token in ({}, {"token": []}):
        assert ahead(send, again=odd, **token)["documents"] == []


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_that_cannot_be_is_left_out(moment, send):
    acts = [act("d1", served_at=moment), act("d2")]
    assert [result["ok"] for result in send("sync", {"acts": acts})["results"]] == [True, True]
    assert set(Judgment.objects.values_list("served_at", flat=True)) == {None}


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", "7", '{"acts": 7}', '{"acts": [7]}', "[" * 100_000, "x" * 2_000_001,
     json.dumps({"acts": [{}] * 51})],
)  # fmt: skip
def test_what_cannot_be_read_is_said_so(send, body):
    assert send("sync", body, status=400)["code"] == "unreadable"
    assert not Judgment.objects.exists()


def test_acts_of_one_account_are_never_another_accounts(send, assessor, assessor2):
    body = {"user": assessor2.pk, "acts": [act("d1")]}
    assert send("sync", body, status=409) == {"code": "other-account"}
    assert not Judgment.objects.exists()
    assert send("sync", body | {"user": assessor.pk})["results"][0]["ok"]


def test_who_is_signed_out_is_told_so_without_a_redirect(client, plan):
    for name in ("sync", "ahead", "renew"):
        url = reverse(f"judge-{name}", args=["small"])
        answer = client.post(url, "{}", content_type="application/json")
        assert (answer.status_code, answer.json()) == (401, {"code": "signed-out"})


def test_three_documents_come_ahead_and_no_more(send):
    answer = ahead(send, count=50)
    assert docnos(answer) == ["d1", "d2", "d3"]
    assert Slot.objects.filter(state="leased").count() == 3
    have = [found["token"] for found in answer["documents"]]
    assert docnos(ahead(send, have=have)) == ["d4"]
    assert docnos(ahead(send)) == ["d1", "d2", "d3"]
    assert "progress" not in answer
    assert ahead(send, progress=True)["progress"]["of"] == 4


def test_a_document_ahead_is_rendered_and_tells_nothing_more(send):
    found = ahead(send, count=1)["documents"][0]
    assert "The text of document 1." in found["html"]
    assert found["html"].lstrip().startswith("<article")
    for leak in ("SECRETRUN", "SECRETTEAM", "98765432"):
        assert leak not in found["html"]


def test_when_nothing_is_left_the_page_says_so(send):
    send("sync", {"acts": [act(f"d{n}") for n in (1, 2, 3, 4)]})
    answer = ahead(send)
    assert answer["documents"] == []
    assert "Topic 1 completed" in answer["over"]


def test_a_document_comes_again_with_what_was_said_of_it(send):
    ahead(send)
    sent = act("d1", comment="mine")
    send("sync", {"acts": [sent]})
    found = ahead(send, again="d1")["documents"][0]
    assert "Your judgment:" in found["html"]
    assert "&quot;comment&quot;: &quot;mine&quot;" in found["html"]
    undo = {"act": "undo", "uuid": str(uuid4()), "of": sent["uuid"]}
    token = send("sync", {"acts": [undo]})["results"][0]["token"]
    found = ahead(send, again="d1", token=token)["documents"][0]
    assert "Undone:" in found["html"]
    assert found["token"] == token
    assert ahead(send, again="d9")["documents"] == []


def test_nothing_of_another_comes_up_under_a_slot_that_was_theirs(send, campaign, assessor2, grade):
    """A slot that was given back and handed on shows nothing of who had it before."""
    slot = Slot.objects.get(item__docno="d1")
    Judgment.objects.create(
        campaign=campaign, topic=slot.topic, docno="d1", assessor=assessor2, revision=1,
        kind="grade", grade=3, comment="theirs-only", slot=slot, source="screen",
    )  # fmt: skip
    assert "theirs-only" not in ahead(send, count=1)["documents"][0]["html"]
    assert ahead(send, again="d1", token=str(uuid4()))["documents"] == []


def test_leases_are_renewed_and_given_back(send, as_user, assessor):
    tokens = [found["token"] for found in ahead(send)["documents"]]
    before = Slot.objects.get(token=tokens[0]).expires_at
    answer = send("renew", {"tokens": [*tokens, str(uuid4()), "odd"]})
    assert answer == {"held": sorted(tokens), "guidelines": 0, "erratum": 0}
    assert Slot.objects.get(token=tokens[0]).expires_at > before
    url = reverse("judge-return", args=["small"])
    assert as_user(assessor).post(url, {"token": [*tokens[1:], "odd"]}).status_code == 204
    assert Slot.objects.get(state="leased").item.docno == "d1"
