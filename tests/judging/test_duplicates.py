"""Duplicates on the desk: told before the judgment, their grades only after it."""

import json
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Duplicate
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from judging.models import Judgment, Purpose, ReviewRequest, Slot
from judging.queries.duplicate_grades import DocumentGrades, find_difference, list_duplicate_grades
from judging.queries.duplicates import find_contradiction, list_own_duplicates
from judging.services.adjudication import record_meeting_decision
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from poolbench.cache import clear_caches
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

pytestmark = pytest.mark.django_db
WORDS = [f"word{number}" for number in range(100)]


@pytest.fixture
def slots(campaign, organizer, assessor, assessor2):
    """Of topic 1 in this order: x, y with the same text, z with nearly that text, and other."""
    texts = {
        "x": " ".join(WORDS), "y": " ".join(WORDS).upper(),
        "z": " ".join([*WORDS[:50], "else", *WORDS[51:]]), "other": "Nothing of the kind.",
    }  # fmt: skip
    for docno, body in texts.items():
        campaign.documents.create(docno=docno, body=body, sha256=docno)
    group_campaign_duplicates(request_duplicates(campaign))
    pool = make_pool(campaign, {"1": list(texts)})
    people = {"1": [assessor, assessor2]}
    plan = create_plan(actor=organizer, pool=pool, overlap=1, assessors=people)
    for position, docno in enumerate(texts):
        plan.slots.filter(item__docno=docno).update(position=position)
    return {slot.docno: slot for slot in plan.slots.select_related("item", "topic")}


def judge(assessor, slot, grade):
    """Without a lease, as an import does."""
    fields = {"campaign": slot.plan.campaign, "topic": slot.topic, "docno": slot.docno}
    return submit_judgment(actor=assessor, grade=grade, **fields)


def list_told(assessor, campaign, slots):
    told = list_own_duplicates(assessor, campaign, slots.values())
    return {docno: told[slot.pk].judged for docno, slot in slots.items() if slot.pk in told}


def test_only_duplicates_that_the_assessor_has_judged_are_told(campaign, assessor, slots):
    assert list_told(assessor, campaign, slots) == {"x": [], "y": [], "z": []}
    judge(assessor, slots["z"], 0)
    judge(assessor, slots["x"], 2)
    assert list_told(assessor, campaign, slots) == {
        "x": [("z", False)], "y": [("x", True), ("z", False)], "z": [("x", False)],
    }  # fmt: skip
    Slot.objects.filter(pk=slots["y"].pk).update(purpose=Purpose.REPEAT)
    slots["y"].refresh_from_db()
    assert list_own_duplicates(assessor, campaign, [slots["y"]]) == {}


def test_another_grade_of_a_duplicate_is_told_after_the_judgment(assessor, slots):
    first = judge(assessor, slots["x"], 2)
    assert find_contradiction(first) is None
    assert find_contradiction(judge(assessor, slots["other"], 0)) is None
    near = judge(assessor, slots["z"], 1)
    other, same = find_contradiction(near)
    assert (other.docno, other.grade, same) == ("x", 2, False)
    other, same = find_contradiction(judge(assessor, slots["y"], 1))
    assert (other.docno, other.grade, same) == ("x", 2, True)
    blind = Judgment(
        campaign=first.campaign, topic=first.topic, docno="y", assessor=assessor,
        purpose=Purpose.REPEAT, kind="grade", grade=0,
    )  # fmt: skip
    assert find_contradiction(blind) is None


def test_of_others_nothing_is_told(campaign, assessor, assessor2, slots):
    judge(assessor2, slots["x"], 2)
    assert find_contradiction(judge(assessor, slots["y"], 0)) is None
    assert list_told(assessor, campaign, slots)["z"] == [("y", False)]


def test_the_desk_says_the_duplicate_and_not_its_grade(as_user, campaign, assessor, slots):
    judge(assessor, slots["x"], 2)
    page = read_page(as_user(assessor).get(reverse("judge", args=[campaign.slug, "1"])))
    line = page.split('class="notice duplicates"')[1].split("</p>")[0]
    assert "Same text as" in line
    assert "docno=y&amp;other=x" in line
    assert "data-grade" not in line


def test_the_answer_to_a_judgment_tells_the_other_grade(as_user, campaign, assessor, slots):
    judge(assessor, slots["x"], 2)
    client = as_user(assessor)
    read_page(client.get(reverse("judge", args=[campaign.slug, "1"])))
    act = {"act": "judge", "uuid": str(uuid4()), "topic": "1", "docno": "y", "grade": 0}
    act["token"] = str(Slot.objects.get(pk=slots["y"].pk).token)
    sent = json.dumps({"user": assessor.pk, "acts": [act]})
    url = reverse("judge-sync", args=[campaign.slug])
    [result] = client.post(url, sent, content_type="application/json").json()["results"]
    told = result["contradiction"]
    assert (result["ok"], told["docno"], told["grade"], told["same"]) == (True, "x", 2, True)
    both = read_page(client.get(told["both"]))
    assert "The same text." not in both  # The capital letters of y.
    assert both.count("<mark>") == 2


def test_two_documents_are_compared_by_sentences(as_user, campaign, assessor, slots):
    campaign.documents.filter(docno="x").update(body="One. Two is here. Three.")
    campaign.documents.filter(docno="z").update(body="One. Two was there. Three.")
    judge(assessor, slots["x"], 2)
    judge(assessor, slots["z"], 2)
    url = reverse("judge-duplicate", args=[campaign.slug, "1"])
    page = read_page(as_user(assessor).get(url, {"docno": "x", "other": "z"}))
    assert "<mark>Two is here.</mark>" in page
    assert "<mark>Two was there.</mark>" in page
    assert page.count("<span>Three.</span>") == 2
    assert "grade" not in page
    unseen = as_user(assessor).get(url, {"docno": "x", "other": "other"})
    assert unseen.status_code == 404


def list_differing(campaign):
    return [
        (row.kind, row.difference, [each.docno for each in row.documents])
        for row in list_duplicate_grades(campaign)
    ]


def test_the_organizer_sees_duplicates_with_differing_grades(
    as_user, campaign, organizer, assessor, assessor2, slots
):
    client, url = as_user(organizer), reverse("duplicate-grades", args=[campaign.slug])
    assert "No duplicates with different grades" in read_page(client.get(url))
    for docno, grade in {"x": 2, "z": 1, "other": 0}.items():
        judge(assessor, slots[docno], grade)
    assert list_differing(campaign) == [("near", 1, ["x", "z"])]
    judge(assessor2, slots["y"], 0)
    assert list_differing(campaign) == [("same", 2, ["x", "y", "z"])]
    page = read_page(client.get(url))
    assert "same text" in page
    assert f"{reverse('review-new', args=[campaign.slug, 'assessor'])}?duplicates=1" in page
    decided = {"topic": slots["y"].topic, "docno": "y", "grade": 2, "client_uuid": uuid4()}
    record_meeting_decision(actor=organizer, campaign=campaign, **decided)
    assert list_differing(campaign) == [("near", 1, ["x", "y", "z"])]
    judge(assessor, slots["z"], 2)
    assert list_differing(campaign) == []


def test_the_table_of_the_organizer_as_csv(as_user, campaign, organizer, assessor, slots):
    judge(assessor, slots["x"], 2)
    judge(assessor, slots["y"], 1)
    judge(assessor, slots["z"], 1)
    answer = as_user(organizer).get(reverse("duplicate-grades-download", args=[campaign.slug]))
    texts = dict(Duplicate.objects.values_list("document__docno", "text"))
    assert texts["x"] == texts["y"] != texts["z"]
    common = {"topic": "1", "first": "x", "kind": "same", "difference": "1", "adjudicated": ""}
    assert csv_rows(read_page(answer)) == [
        {**common, "docno": docno, "text": texts[docno], "assessor": grade}
        for docno, grade in (("x", "2"), ("y", "1"), ("z", "1"))
    ]


def test_the_organizer_sees_two_texts_side_by_side(as_user, campaign, organizer, slots):
    client, url = as_user(organizer), reverse("duplicate-texts", args=[campaign.slug])
    campaign.documents.filter(docno="x").update(body="One. Two is here. Three.")
    campaign.documents.filter(docno="z").update(body="One. Two is here. Three. And four.")
    page = read_page(client.get(url, {"docno": "x", "other": "z"}))
    # All that x has z has too; they are not the same.
    assert re.findall("<mark>(.*?)</mark>", page) == ["And four."]
    assert "The same text." not in page
    assert "The same text." in read_page(client.get(url, {"docno": "x", "other": "x"}))
    assert client.get(url, {"docno": "x", "other": "none"}).status_code == 404


def test_two_assessors_who_differ_alike_on_both_are_a_disagreement():
    def rows(x, y):
        return [DocumentGrades("x", "t", x, None), DocumentGrades("y", "t", y, None)]

    assert find_difference(rows({"a": 2, "b": 1}, {"a": 2, "b": 1})) == ""
    assert find_difference(rows({"a": 2, "b": 1}, {"a": 1, "b": 2})) == "same"
    near = [DocumentGrades("x", "t", {"a": 2}, None), DocumentGrades("y", "u", {"a": 1}, None)]
    assert find_difference(near) == "near"


def test_an_assessor_is_asked_for_the_duplicates_alone(
    as_user, campaign, organizer, assessor, slots
):
    for docno, grade in {"x": 2, "y": 1, "other": 0}.items():
        judge(assessor, slots[docno], grade)
    client = as_user(organizer)
    url = reverse("review-new", args=[campaign.slug, "assessor"])
    page = read_page(client.get(url, {"duplicates": "1"}))
    assert "1 x\n1 y</textarea>" in page
    assert "1 x" not in read_page(client.get(url))
    group = {"duplicates": "1", "topic": "1", "docno": "x"}
    assert "1 x\n1 y</textarea>" in read_page(client.get(url, group))
    assert "1 x" not in read_page(client.get(url, group | {"docno": "other"}))
    client.post(url, {"count": 20, "documents": "1 x\n1 y"})
    assert ReviewRequest.objects.get().documents == [["1", "x"], ["1", "y"]]


def test_queries_of_the_table_do_not_grow_with_the_groups(
    as_user, campaign, organizer, assessor, slots
):
    client, url = as_user(organizer), reverse("duplicate-grades", args=[campaign.slug])
    judge(assessor, slots["x"], 2)
    judge(assessor, slots["y"], 1)
    counts = []
    for more in (range(12), ()):
        clear_caches()
        with CaptureQueriesContext(connection) as queries:
            page = read_page(client.get(url))
        counts.append((len(queries), page.count('scope="rowgroup"')))
        for number in more:
            pair = [
                campaign.documents.create(docno=f"{number}{half}", body=f"Text {number}.")
                for half in "ab"
            ]
            for document, grade in zip(pair, (0, 2), strict=True):
                Duplicate.objects.create(
                    campaign=campaign, document=document, group=pair[0].pk, text=str(number)
                )
                rows = [("1", document.docno, grade)]
                import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    assert counts == [(counts[0][0], 1), (counts[0][0], 13)]


def test_an_original_is_found_by_docno_and_title(as_user, campaign, assessor, slots, assessor3):
    campaign.documents.filter(docno="other").update(title="On apples & pears")
    campaign.documents.create(docno="other2", title="Not pooled")
    url = reverse("judge-docnos", args=[campaign.slug, "1"])

    def search(user, text):
        return read_page(as_user(user).get(url, {"q": text})).strip()

    found = '<option value="other" data-found>On apples &amp; pears</option>'
    assert search(assessor, "OTH") == search(assessor, "on app") == found
    assert search(assessor, "x") == search(assessor, "pears") == ""
    # Topic 1 is not theirs.
    assert search(assessor3, "oth") == ""
