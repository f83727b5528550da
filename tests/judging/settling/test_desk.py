"""What the script of the adjudicator's desk gets and sends: the endpoints of the assessors'."""

from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.models import User
from judging.models import Judgment, Purpose


@pytest.fixture
def post(client):
    """``post(user, "ahead", body)``: the answer to the script, None if it is not JSON."""

    def ask(user: User, name: str, body: dict, status: int = 200) -> dict | None:
        client.force_login(user)
        answer = client.post(reverse(f"judge-{name}", args=["small"]), body, "application/json")
        assert answer.status_code == status, answer.content
        return answer.json() if answer.headers["Content-Type"] == "application/json" else None

    return ask


@pytest.mark.parametrize("blind", [True, False])
def test_the_script_gets_pairs_of_all_topics_and_sends_decisions(begin, adjudicator, post, blind):
    begin(blind=blind)
    asked = {"purpose": "adjudicate", "topic": "", "count": 3}
    rows = post(adjudicator, "ahead", asked)["documents"]
    assert (rows[0]["docno"], {row["docno"] for row in rows}) == ("d1", {"d1", "d3", "d4"})
    assert ("Judgments by assessor" in rows[0]["parts"]) is not blind
    assert "assessor2" not in str(rows)
    act = {"act": "judge", "purpose": "adjudicate", "topic": "1", "docno": "d1", "grade": 2}
    acts = [act | {"uuid": str(uuid4()), "token": rows[0]["token"]}]
    acts.append({"act": "undo", "purpose": "adjudicate", "uuid": str(uuid4())})
    done = post(adjudicator, "sync", {"acts": acts})["results"]
    left = {"tokens": [row["token"] for row in rows[1:]]}
    assert post(adjudicator, "renew", left)["held"] == sorted(left["tokens"])
    again = asked | {"topic": "1", "again": "d1", "token": done[1]["token"]}
    (row,) = post(adjudicator, "ahead", again)["documents"]
    assert ("Undone:" in row["html"], row["parts"] == rows[0]["parts"]) == (True, True)
    log = Judgment.objects.filter(purpose=Purpose.ADJUDICATE).order_by("pk")
    assert list(log.values_list("kind", "grade")) == [("grade", 2), ("withdrawn", None)]


def test_the_script_of_a_desk_reaches_as_far_as_the_role(begin, adjudicator, assessor, post):
    begin()
    asked = {"topic": "1", "count": 3}
    assert post(assessor, "ahead", asked | {"purpose": "adjudicate"}, 403) is None
    assert post(adjudicator, "ahead", asked, 403) is None
    assert post(adjudicator, "ahead", asked | {"purpose": "gold"}, 400)["code"] == "unreadable"
    act = {"act": "judge", "topic": "1", "docno": "d1", "grade": 2, "uuid": str(uuid4())}
    for user, purpose in ((adjudicator, "judge"), (assessor, "adjudicate"), (assessor, "gold")):
        acts = [act | {"purpose": purpose}]
        (told,) = post(user, "sync", {"acts": acts})["results"]
        assert told["code"] == ("no-act" if purpose == "gold" else "forbidden")
    assert not Judgment.objects.filter(grade=2, docno="d1").exists()
