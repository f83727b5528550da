"""The API as a whole: its schema, its page, its guide, and a campaign's life through it."""

import base64
import hashlib
import json
import re
from uuid import uuid4

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import resolve, reverse

from campaigns.models import Role, User
from campaigns.services.people import add_member, get_or_create_team
from campaigns.services.tokens import create_token
from judging.services.plans import create_plan
from tests.conftest import REPOSITORY
from tests.world.people import user
from workbench.api_docs import WHO, WHO_ELSE

GUIDE = (REPOSITORY / "docs/api.md").read_text()


class Caller:
    """A program with somebody's token."""

    def __init__(self, who: User) -> None:
        self.client = Client(headers={"authorization": f"Token {create_token(who)}"})

    def get(self, path: str):
        return self.client.get(f"/api/{path}")

    def post(self, path: str, **body: object):
        return self.client.post(f"/api/{path}", json.dumps(body), content_type="application/json")

    def send(self, path: str, name: str, text: str, **fields: str):
        file = SimpleUploadedFile(name, text.encode())
        return self.client.post(f"/api/{path}", {"file": file, **fields})


def test_the_schema_is_made_without_a_warning(tmp_path):
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "schema"))
    assert yaml.safe_load((tmp_path / "schema").read_text())["info"]["title"] == "Poolbench"


def test_the_schema_is_served_as_yaml_and_json(client):
    served = yaml.safe_load(client.get(reverse("api-schema")).content)
    assert client.get(reverse("api-schema-json")).json() == served


def test_the_schema_tells_what_every_operation_does_and_who_may(client):
    schema = client.get(reverse("api-schema-json")).json()
    told = {
        f"{method.upper()} {path}": operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if not path.startswith("/api/schema")
    }
    assert set(WHO_ELSE) <= set(told)
    assert {name.split("/")[2] for name in told} == set(WHO)
    assert [tag["name"] for tag in schema["tags"]] == list(WHO)
    assert [name for name, it in told.items() if not it["summary"]] == []
    assert [name for name, it in told.items() if "\n\nFor " not in it["description"]] == []
    assert told["GET /api/runs/"]["description"].endswith(
        "For organizers; participants for their team."
    )


def test_the_page_lets_the_browser_load_the_schema_and_an_empty_style_only(client):
    answer = client.get(reverse("api-docs"))
    assert 'spec-url="/api/schema.json"' in answer.content.decode()
    policy = answer.headers["Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(b"").digest()).decode()
    # The directives come in an order of their own in each process.
    assert f"style-src 'self' 'sha256-{digest}'" in policy.split("; ")
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\$HOST(/api/[^\s\"?]*)", GUIDE))))
def test_every_address_of_the_guide_exists(path):
    assert resolve(path).url_name.startswith("api-")


def test_lists_come_in_pages(client, organizer, campaign):
    caller = Caller(organizer)
    page = caller.get("documents/?campaign=small&limit=4").json()
    assert (page["count"], len(page["results"]), page["previous"]) == (9, 4, None)
    assert "offset=4" in page["next"]


def test_a_refusal_tells_code_and_cure(organizer, campaign):
    answer = Caller(organizer).post("pools/preview/", campaign="small", depth=0, runs=[])
    assert answer.status_code == 409
    assert answer.json()["code"] == "bad-depth"
    assert set(answer.json()) == {"code", "detail", "fix"}


def test_the_life_of_a_campaign_through_the_api(db):
    boss, judge, player = (user(name) for name in ("boss", "judge", "player"))
    boss.can_create_campaigns = True
    boss.save()
    organizer, assessor, participant = Caller(boss), Caller(judge), Caller(player)
    grades = [{"value": n, "label": f"grade {n}", "key": f"{n}", "gain": n} for n in (0, 1)]
    made = organizer.post(
        "campaigns/", title="By API", slug="by-api", grades=grades, relevance_level=1
    )
    assert made.status_code == 201, made.json()
    topics = "\n".join(json.dumps({"_id": n, "text": f"topic {n}"}) for n in ("1", "2"))
    brought = organizer.send("topics/import/", "topics.jsonl", topics, campaign="by-api")
    assert brought.json() == {"new": 2}
    documents = "\n".join(json.dumps({"_id": f"d{n}", "text": "text"}) for n in range(4))
    brought = organizer.send("documents/import/", "docs.jsonl", documents, campaign="by-api")
    assert brought.json() == {"new": 4}

    campaign = boss.memberships.get().campaign
    team = get_or_create_team(actor=boss, campaign=campaign, name="Players")
    joins = {"actor": boss, "campaign": campaign}
    add_member(**joins, user=player, role=Role.PARTICIPANT, team=team)
    add_member(**joins, user=judge, role=Role.ASSESSOR)

    wrong = participant.send("runs/", "bad.txt", "1 Q0 d1 1 nan x\n", campaign="by-api")
    assert wrong.json()["state"] == "rejected"
    assert wrong.json()["report"]["faults"][0]["code"] == "E14"
    text = "1 Q0 d1 1 3 mine\n1 Q0 d2 2 2 mine\n2 Q0 d3 1 1 mine\n"
    run = participant.send("runs/", "mine.txt", text, campaign="by-api").json()
    assert (run["state"], run["tag"], run["team"]) == ("accepted", "mine", "Players")
    listed = participant.get("runs/?campaign=by-api").json()["results"]
    assert {found["state"] for found in listed} == {"accepted", "rejected"}

    asked = {"campaign": "by-api", "depth": 2, "runs": [run["id"]]}
    assert organizer.post("pools/preview/", **asked).json()["size"] == 3
    pool = organizer.post("pools/", **asked, after=0, confirm=["close-submissions"]).json()
    assert (pool["version"], pool["size"]) == (1, 3)
    assert organizer.get(f"pools/{pool['id']}/pool.txt/").getvalue().decode() == (
        "1 0 d1 -1\n1 0 d2 -1\n2 0 d3 -1\n"
    )
    plan = create_plan(
        actor=boss, pool=campaign.pools.get(), overlap=1, assessors={"1": [judge], "2": [judge]}
    )
    assert organizer.get(f"plans/{plan.pk}/").json()["overlap"] == 1

    given = judged_by_api(assessor)
    assert set(given) == {("1", "d1"), ("1", "d2"), ("2", "d3")}
    assert assessor.get("judgments/?campaign=by-api&current=1").json()["count"] == 3

    qrels = organizer.post("qrels/", campaign="by-api", policy="majority").json()
    assert qrels["pairs"] == 3
    assert organizer.get(f"qrels/{qrels['id']}/text/").content == b"1 0 d1 1\n1 0 d2 1\n2 0 d3 1\n"
    job = organizer.post("score-sets/evaluate/", campaign="by-api", qrels=1)
    assert job.status_code == 202
    assert participant.get("score-sets/?campaign=by-api").json()["count"] == 0


def judged_by_api(assessor: Caller) -> list[tuple[str, str]]:
    """Everything that is left for the assessor, with grade 1."""
    given = []
    for topic in ("1", "2"):
        place = {"campaign": "by-api", "topic": topic}
        while (served := assessor.post("judgments/next/", **place).json())["docno"] is not None:
            said = {**place, "docno": served["docno"], "grade": 1, "token": served["token"]}
            uuid = str(uuid4())
            for _ in range(2):  # sent twice, it counts once
                answer = assessor.post("judgments/", **said, client_uuid=uuid)
                assert answer.status_code == 200, answer.json()
            given.append((topic, served["docno"]))
    return given
