"""Automatic assessors: each thing that their judgments must never do, and what they may."""

import json
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from rest_framework.test import APIClient

from campaigns.errors import ActionRefused
from campaigns.models import Event, Member, Role, User
from campaigns.services.people import add_member
from campaigns.services.tokens import create_token
from judging.models import Judgment, Slot
from judging.queries.agreement import load_labels
from judging.queries.automatic import get_automatic_overview
from judging.queries.judgments import current_judgments
from judging.queries.progress import assessor_progress, plan_progress
from judging.services.automatic import (
    SubmittedJudgment,
    create_automatic_assessor,
    submit_automatic_judgments,
)
from judging.services.imports import ImportOptions, import_file, import_judgments
from judging.services.qrels import freeze_qrels, verify_qrels
from poolbench.files.faults import InvalidFile

SECRET = "SECRETWORDS"
EVERYTHING = "".join(
    f"{topic},{docno},3,{SECRET}\n"
    for topic, docnos in {"1": "d1 d2 d3 d4", "2": "d5 d6", "3": "d7 d8 d9"}.items()
    for docno in docnos.split()
)


@pytest.fixture
def model(campaign, organizer):
    return create_automatic_assessor(
        actor=organizer, campaign=campaign, name="llama3", description="8B, prompt 4"
    )


@pytest.fixture
def bring(campaign, organizer, model):
    def act(text: str = EVERYTHING):
        text = f"topic,docno,grade,comment\n{text}"
        given = {"actor": organizer, "campaign": campaign, "data": text.encode(), "file": "m.csv"}
        return import_file(**given, options=ImportOptions(automatic=model))

    return act


def slots() -> list[dict[str, object]]:
    return list(Slot.objects.order_by("pk").values())


def test_its_account_can_do_nothing(model, client):
    user = model.user
    assert user.username == "small.llama3"
    assert not user.is_active
    assert not user.has_usable_password()
    assert not Member.objects.filter(user=user).exists()
    api = APIClient(headers={"Authorization": f"Token {create_token(user)}"})
    assert api.get("/api/campaigns/").status_code == 401
    client.force_login(user)
    assert client.get(reverse("campaign", args=["small"])).status_code in (302, 404)
    assert Event.objects.filter(code="automatic.created").count() == 1


@pytest.mark.parametrize("name", ["", "Llama", "a b", "-a", "x" * 61, "a.b"])
def test_odd_names_are_refused(campaign, organizer, name):
    with pytest.raises(ActionRefused, match="Invalid name"):
        create_automatic_assessor(actor=organizer, campaign=campaign, name=name)


def test_a_name_is_given_once(model, campaign, organizer):
    with pytest.raises(ActionRefused, match="is taken"):
        create_automatic_assessor(actor=organizer, campaign=campaign, name="llama3")
    User.objects.create(username="small.person")
    with pytest.raises(ActionRefused, match="is taken"):
        create_automatic_assessor(actor=organizer, campaign=campaign, name="person")


def test_only_organizers_add_and_send(model, campaign, assessor, stranger):
    for who in (assessor, stranger):
        with pytest.raises(PermissionDenied):
            create_automatic_assessor(actor=who, campaign=campaign, name="other")
        with pytest.raises(PermissionDenied):
            submit_automatic_judgments(actor=who, campaign=campaign, automatic=model, judgments=[])


def test_it_never_fills_a_slot(double_plan, bring):
    before = slots()
    assert bring().new == 9
    assert slots() == before
    assert set(Judgment.objects.values_list("purpose", "slot")) == {("automatic", None)}


def test_it_never_counts_in_progress_pace_or_agreement(
    double_plan, campaign, assessor, assessor2, grade, bring, model, organizer
):
    grade(assessor, "d1", 1)
    grade(assessor2, "d1", 0)

    def told():
        plans = plan_progress(campaign)
        people = assessor_progress(campaign, plans)
        return [(p.tally, [(t.topic, t.tally) for t in p.topics]) for p in plans], [
            (row.user, row.judged, row.pace.judgments) for row in people
        ]

    before, labels = told(), load_labels(campaign)
    bring()
    sent = [SubmittedJudgment("1", "d1", 2, uuid4())]
    submit_automatic_judgments(actor=organizer, campaign=campaign, automatic=model, judgments=sent)
    assert told() == before
    assert load_labels(campaign).assessors == labels.assessors == ("assessor", "assessor2")


def test_it_is_never_in_an_assessors_answer(double_plan, assessor, grade, bring, as_user):
    grade(assessor, "d1", 1)
    bring()
    client = as_user(assessor)
    pages = [
        reverse("work", args=["small"]), reverse("my-judgments", args=["small"]),
        reverse("judge", args=["small", "1"]), reverse("campaign", args=["small"]),
        reverse("judge-change", args=["small", "1"]) + "?docno=d1",
        reverse("my-judgments-file", args=["small", "csv"]),
        "/api/judgments/?campaign=small", "/api/plans/", "/api/qrels/", "/api/automatic/",
    ]  # fmt: skip
    for page in pages:
        answer = client.get(page)
        found = answer.getvalue() if answer.streaming else answer.content
        assert answer.status_code == 200, page
        for word in (SECRET, "llama3"):
            assert word.encode() not in found, page
    told = {"campaign": "small", "topic": "1"}
    answer = client.post("/api/judgments/next/", told, content_type="application/json")
    assert answer.status_code == 200
    assert SECRET not in answer.content.decode()


def test_qrels_of_people_never_hear_it(plan, campaign, organizer, assessor, grade, bring):
    grade(assessor, "d1", 1)
    first = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    bring()
    second = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    assert (second.pairs, second.sha256) == (1, first.sha256)
    assert current_judgments(campaign).count() == 1


def test_qrels_hear_it_by_a_policy_that_names_it(plan, campaign, organizer, assessor, grade, bring):
    grade(assessor, "d1", 1)
    bring()
    given = {"actor": organizer, "campaign": campaign}
    alone = freeze_qrels(**given, policy="automatic:llama3")
    assert alone.manifest["grades"] == {"3": 9}
    filled = freeze_qrels(**given, policy="majority+automatic:llama3")
    assert filled.manifest["grades"] == {"1": 1, "3": 8}
    assert verify_qrels(alone)
    assert verify_qrels(filled)
    with pytest.raises(ActionRefused):
        freeze_qrels(**given, policy="automatic:another")


def test_it_never_shows_before_a_person_has_judged(
    plan, organizer, assessor, grade, bring, as_user
):
    bring()
    client = as_user(organizer)
    page = client.get(reverse("automatic", args=["small", "llama3"]))
    html = page.content.decode()
    overview = page.context["overview"]
    counts = [overview[name] for name in ("pairs", "topics", "pooled", "shared")]
    assert counts == [9, 3, 9, 0]
    assert overview["grades"][3] == (3, "perfect", 9, 100)
    assert "No assessor has judged" in html
    files = [
        reverse("automatic-download", args=["small", "llama3", fmt]) for fmt in ("csv", "json")
    ]
    for docno in ("d1", "d4", "d9"):
        assert f">{docno}<" not in html
    assert json.loads(client.get(files[1]).getvalue()) == []
    grade(assessor, "d4", 1)
    html = client.get(reverse("automatic", args=["small", "llama3"])).content.decode()
    assert ">d4<" in html
    assert ">d1<" not in html
    assert json.loads(client.get(files[1]).getvalue()) == [
        {
            "topic": "1", "docno": "d4", "automatic": "small.llama3", "grade": 3,
            "assessor": "assessor", "assessor_grade": 1,
        }
    ]  # fmt: skip
    assert b"d1" not in client.get(files[0]).getvalue()
    for page in ("judging", "import-export", "agreement", "events", "qrels-list"):
        assert SECRET not in client.get(reverse(page, args=["small"])).content.decode()
    answer = client.get("/api/judgments/?campaign=small").json()
    assert [row["docno"] for row in answer["results"]] == ["d4"]


def test_shares_of_grades_are_rounded(model, plan, bring):
    bring("1,d1,0,\n1,d2,0,\n1,d3,1,\n")
    assert [share for _, _, _, share in get_automatic_overview(model)["grades"]][:2] == [67, 33]


def test_a_judgment_taken_back_hides_the_pair_again(
    plan, campaign, organizer, assessor, grade, bring, as_user
):
    from judging.services.judgments import undo_judgment

    bring()
    grade(assessor, "d4", 1)
    undo_judgment(actor=assessor, campaign=campaign)
    page = as_user(organizer).get(reverse("automatic", args=["small", "llama3"]))
    assert page.context["overview"]["shared"] == 0


def test_an_automatic_assessor_cannot_be_imported_for_as_a_person(plan, campaign, organizer, model):
    with pytest.raises(ActionRefused, match="Not an assessor"):
        import_judgments(actor=organizer, campaign=campaign, assessor=model.user, rows=[])


def test_it_never_becomes_a_member(model, campaign, organizer, as_user):
    for role in (Role.ASSESSOR, Role.ADJUDICATOR, Role.ORGANIZER, Role.VIEWER):
        with pytest.raises(ActionRefused, match="cannot sign in"):
            add_member(actor=organizer, campaign=campaign, user=model.user, role=role)
    fields = {"username": model.user.username, "role": "assessor"}
    as_user(organizer).post(reverse("member-add", args=["small"]), fields)
    assert not Member.objects.filter(user=model.user).exists()


def test_new_revisions_are_appended_and_the_same_file_changes_nothing(plan, bring):
    bring()
    assert bring().unchanged == 9
    counts = bring(EVERYTHING.replace("1,d1,3", "1,d1,0"))
    assert (counts.revised, counts.unchanged) == (1, 8)
    own = Judgment.objects.filter(docno="d1").order_by("pk")
    assert list(own.values_list("revision", "grade")) == [(1, 3), (2, 0)]


# By a program


@pytest.fixture
def post(organizer):
    api = APIClient(headers={"Authorization": f"Token {create_token(organizer)}"})

    def act(url: str, data: dict[str, object]):
        answer = api.post(url, data, format="json")
        return answer.status_code, answer.json()

    return act


def one(docno: str = "d1", grade: int = 2, **more: object) -> dict[str, object]:
    given = {"topic": "1", "docno": docno, "grade": grade, "client_uuid": str(uuid4())}
    return {**given, **more}


def test_a_program_adds_one_and_sends_its_judgments_once(plan, post):
    made = post("/api/automatic/", {"campaign": "small", "name": "gpt", "description": "v1"})
    assert (made[0], made[1]["policy"]) == (201, "automatic:gpt")
    url = f"/api/automatic/{made[1]['id']}/judgments/"
    batch = {"judgments": [one("d1"), one("d2", 0, comment="why")]}
    assert post(url, batch) == (200, {"new": 2, "revised": 0, "unchanged": 0})
    assert post(url, batch) == (200, {"new": 0, "revised": 0, "unchanged": 2})
    again = {"judgments": [one("d1", 3), one("d2", 0)]}
    assert post(url, again) == (200, {"new": 0, "revised": 1, "unchanged": 1})
    assert post(url, batch)[1]["unchanged"] == 2
    assert Judgment.objects.filter(source="api", purpose="automatic").count() == 3
    assert slots() and not Slot.objects.exclude(state="open").exists()  # noqa: PT018


def test_a_program_is_told_every_fault_at_once_and_nothing_is_written(
    plan, model, campaign, assessor, grade, post
):
    known = grade(assessor, "d9", 1, topic=campaign.topics.get(number="3"))
    url = f"/api/automatic/{model.pk}/judgments/"
    same = str(uuid4())
    batch = [
        one("d1"), one("d1"), one("d77"), one("d2", 9), one("d3", topic="8"), one("d 4"),
        one("d5", client_uuid=str(known.client_uuid)), one("d6", client_uuid=same),
        one("d7", client_uuid=same),
    ]  # fmt: skip
    status, told = post(url, {"judgments": batch})
    assert status == 422
    assert told["counts"] == {
        "EJ01": 1, "EJ02": 1, "EJ03": 1, "EJ12": 1, "EJ13": 1, "EJ15": 2,
    }  # fmt: skip
    assert {f["code"]: f["line"] for f in told["faults"] if f["code"] != "EJ15"} == {
        "EJ03": 2, "EJ12": 3, "EJ02": 4, "EJ01": 5, "EJ13": 6,
    }  # fmt: skip
    assert Judgment.objects.count() == 1
    assert post(url, {"judgments": []})[0] == 400
    assert post(url, {"judgments": [{"topic": "1"}]})[0] == 400


def test_the_service_bounds_a_batch(model, campaign, organizer):
    many = [SubmittedJudgment("1", "d1", 1, uuid4())] * 10_001
    with pytest.raises(ActionRefused, match="10,000"):
        submit_automatic_judgments(
            actor=organizer, campaign=campaign, automatic=model, judgments=many
        )


def test_the_page_adds_one_and_says_why_not(campaign, organizer, as_user):
    client, url = as_user(organizer), reverse("automatic-list", args=["small"])
    assert client.get(url).status_code == 200
    assert client.post(url, {"name": "gpt"}).url == reverse("automatic", args=["small", "gpt"])
    assert client.get(reverse("automatic", args=["small", "gpt"])).status_code == 200
    answer = client.post(url, {"name": "gpt"})
    assert answer.status_code == 409
    assert b"The username small.gpt is taken." in answer.content


def test_the_import_page_offers_it(plan, model, organizer, as_user):
    client, url = as_user(organizer), reverse("judgments-import", args=["small"])
    who = f"automatic-{model.pk}"
    assert f'value="{who}" selected' in client.get(f"{url}?who={who}").content.decode()


def test_faults_of_its_file_are_those_of_any_file(plan, bring):
    with pytest.raises(InvalidFile) as caught:
        bring("9,d1,3,x\n1,d1,3,x\n1,d1,2,x\n")
    assert caught.value.report.counts == {"EJ01": 1, "EJ03": 1}
