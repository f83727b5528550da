"""Corrections of topics, grades and documents while runs and judgments exist."""

import json
import re
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from campaigns.models import Campaign, Document
from campaigns.services.campaigns import get_grade_scale
from campaigns.services.errata import correct_texts
from judging.models import Judgment, TrainingPair
from judging.queries.exchange import iter_log_rows
from judging.services.judgments import claim_next
from judging.services.training import answer_training_pair
from poolbench.texts.documents import DocumentText
from tests.confirming import api
from tests.pages import read_page
from tests.refusals import refusing

API = "/api/campaigns/small/errata/"


def correct(campaign: Campaign, kind: str = "topic", name: str = "1", **texts: str):
    texts = texts or {"title": "Corrected title"}
    return correct_texts(
        actor=campaign.created_by, campaign=campaign, kind=kind, name=name, texts=texts,
        reason="A word was missing.",
    )  # fmt: skip


@pytest.fixture
def judged(plan, grade, assessor, campaign) -> Campaign:
    grade(assessor, "d1", 1)
    return campaign


def test_a_topic_is_corrected_while_judgments_exist(judged, as_user, organizer, grade, assessor):
    client, former = as_user(organizer), judged.topics.get(number="1").title
    address = f"{reverse('erratum-new', args=['small'])}?kind=topic&name=1"
    assert "kind=topic" in read_page(client.get("/c/small/setup/topics/view/1/"))
    topic = judged.topics.get(number="1")
    texts = {"description": topic.description, "narrative": "One\r\ntwo", "reason": "Typo"}
    assert client.post(address, texts | {"title": ""}).status_code == 200
    assert client.post(address, texts | {"title": "Corrected"}).status_code == 302
    topic.refresh_from_db()
    assert (topic.title, topic.narrative) == ("Corrected", "One\ntwo")
    erratum = judged.errata.get()
    assert (erratum.number, erratum.before["title"]) == (1, former)
    with pytest.raises(TypeError):
        erratum.save()
    page = read_page(as_user(assessor).get("/c/small/setup/errata/"))
    assert f"<del>{former}</del>" in page
    assert "<ins>Corrected</ins>" in page
    assert judged.events.get(code="text.corrected").data == {"erratum": 1}


def test_members_are_told_and_organizers_are_not(judged, as_user, assessor, participant, organizer):
    correct(judged)
    for user, told in ((assessor, True), (participant, True), (organizer, False)):
        page = read_page(as_user(user).get("/c/small/"))
        assert ("Text corrected" in page) is told, user
    desk = read_page(as_user(assessor).get("/c/small/judge/1/"))
    assert 'data-shown="1"' in desk
    # The page has the corrected text: it says so, and asks for no reload.
    assert re.search(r'id="errata-news"\s+data-shown="1"\s*>', desk)
    assert re.search(r"<span hidden>– reload the page", desk)


def test_training_and_adjudication_tell_of_a_correction_too(
    judged, assessor, topic, restore, as_user, organizer
):
    pair = {"campaign": judged, "topic": topic, "grade": 1}
    first, _second = (
        TrainingPair.objects.create(**pair, docno=f"d{n}", position=n) for n in (3, 4)
    )
    answer_training_pair(actor=assessor, campaign=judged, pair=first, grade=1, client_uuid=uuid4())
    training = reverse("judge-training", args=["small"])
    told = r'id="errata-news"\s+data-shown="\d"\s*>'
    assert not re.search(told, read_page(as_user(assessor).get(training)))
    correct(judged)
    assert re.search(told, read_page(as_user(assessor).get(training)))
    page = read_page(as_user(restore("adjudicator")).get(reverse("adjudicate", args=["small"])))
    assert 'data-shown="1"' in page  # Its script hears of the next.


def test_judgments_name_the_version_that_was_shown(judged, grade, assessor, as_user):
    leased = claim_next(actor=assessor, campaign=judged, topic=judged.topics.get(number="1"))
    correct(judged)
    grade(assessor, leased.docno, 1, token=leased.token)
    grade(assessor, "d3", 1)
    act = {"act": "judge", "topic": "1", "docno": "d4", "grade": 1, "erratum": 0}
    acts = {"acts": [act | {"uuid": str(uuid4()), "client_uuid": str(uuid4())}]}
    answer = as_user(assessor).post(
        reverse("judge-sync", args=["small"]), json.dumps(acts), "application/json"
    )
    assert answer.json()["erratum"] == 1
    shown = dict(Judgment.objects.values_list("docno", "erratum"))
    assert shown == {"d1": 0, leased.docno: 0, "d3": 1, "d4": 0}
    assert {row["docno"]: row["erratum"] for row in iter_log_rows(judged)} == shown


def test_labels_and_titles_are_corrected_and_values_stay(judged):
    before = get_grade_scale(judged)
    correct(judged, "grade", "1", label="related", meaning="On the topic.")
    first = next(step for step in get_grade_scale(judged) if step.value == 1)
    assert (first.label, first.meaning) == ("related", "On the topic.")
    kept = [(step.value, step.key, step.gain) for step in before]
    assert [(step.value, step.key, step.gain) for step in get_grade_scale(judged)] == kept
    for field in ("gain", "value", "key"):
        with refusing("not-a-text"):
            correct(judged, "grade", "1", **{field: "2"})
    document = Document.objects.filter(campaign=judged).first()
    correct(judged, "document", document.docno, title="New title")
    document.refresh_from_db()
    same = DocumentText(document.docno, title="New title", body=document.body)
    assert (document.title, document.sha256) == ("New title", same.sha256)
    assert [erratum.number for erratum in judged.errata.all()] == [2, 1]


def test_what_is_no_correction_is_refused(judged, assessor):
    for name, texts, code in (
        ("99", {"title": "x"}, "nothing-to-correct"),
        ("1", {"title": judged.topics.get(number="1").title}, "nothing-corrected"),
        ("1", {"title": ""}, "bad-settings"),
    ):
        with refusing(code):
            correct(judged, name=name, **texts)
    with refusing("bad-settings"):
        correct(judged, "grade", "1", label="x" * 61)
    with refusing("nothing-to-correct"):
        correct(judged, "grade", "9" * 30, label="x")
    with pytest.raises(PermissionDenied):
        correct_texts(actor=assessor, campaign=judged, kind="topic", name="1", texts={"title": "x"})
    assert not judged.errata.exists()


def test_the_api_corrects(judged, organizer, participant):
    told = {"kind": "topic", "name": "1", "texts": {"title": "By API"}}
    answer = api(organizer).post(API, told, format="json")
    assert (answer.status_code, answer.data["number"]) == (201, 1)
    assert answer.data["after"] == {"title": "By API"}
    assert api(organizer).post(API, told, format="json").data["code"] == "nothing-corrected"
    again = told | {"texts": {"title": "Over it"}, "seen": 0}
    assert api(organizer).post(API, again, format="json").data["code"] == "corrected-since"
    assert api(organizer).post(API, again | {"seen": 1}, format="json").status_code == 201
    listed = api(participant).get(API, {"limit": 1}).data
    assert (listed["count"], [row["after"]["title"] for row in listed["results"]]) == (
        2, ["Over it"],
    )  # fmt: skip
    assert api(participant).post(API, told, format="json").status_code == 403
