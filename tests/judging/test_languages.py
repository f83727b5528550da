"""Which of original and translation was shown: stated by the page, kept with the judgment."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Translation
from judging.forms.plans import PlanForm
from judging.models import Audience, Judgment, Plan
from judging.queries.exchange import iter_log_rows, iter_own_rows
from judging.services.judgment_log import JudgmentSubmission, append_judgment
from judging.services.judgments import claim_next, undo_judgment
from judging.services.plans import PlanOptions, create_plan
from judging.services.training import add_training, answer_training_pair
from poolbench.judging.training_file import TrainingRow
from tests.pages import read_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def translated(plan, campaign) -> Plan:
    """d1 and d2 of topic 1 have translations."""
    for document in campaign.documents.filter(docno__in=("d1", "d2")):
        Translation.objects.create(
            document=document, language="en", by="MT 3", body="In English", sha256="0" * 64
        )
    return plan


@pytest.fixture
def send(as_user, assessor, campaign, topic, next_of):
    """``send(docno, language, grade)``: what the desk sends, and the result."""

    def act(docno: str, language: object, grade: int = 1) -> dict[str, object]:
        slot = next_of(assessor)
        row = {"act": "judge", "uuid": str(uuid4()), "topic": "1", "docno": docno, "grade": grade}
        row |= {"token": str(slot.token), "language_shown": language}
        sent = json.dumps({"user": assessor.pk, "acts": [row]})
        url = reverse("judge-sync", args=[campaign.slug])
        answer = as_user(assessor).post(url, sent, content_type="application/json")
        [result] = answer.json()["results"]
        return result

    return act


def shown() -> list[tuple[str, str, str]]:
    rows = Judgment.objects.order_by("pk")
    return list(rows.values_list("docno", "kind", "language_shown"))


def test_the_log_has_what_was_shown(translated, send, campaign, assessor):
    assert send("d1", "translation")["ok"]
    assert send("d2", "both")["ok"]
    assert send("d3", "both")["ok"]  # It has no translation.
    wrong = send("d4", "english")
    assert (wrong["ok"], wrong["code"]) == (False, "incomplete")
    assert "language_shown" in wrong["fix"]
    expected = [("d1", "translation"), ("d2", "both"), ("d3", "")]
    assert [(docno, language) for docno, _, language in shown()] == expected
    for rows in (iter_log_rows(campaign), iter_own_rows(campaign, assessor)):
        assert [(row["docno"], row["language_shown"]) for row in rows] == expected


def test_an_undone_change_brings_back_what_was_shown(translated, send, campaign, assessor):
    send("d1", "original", 1)
    send("d1", "both", 2)
    undo_judgment(actor=assessor, campaign=campaign)
    assert shown() == [
        ("d1", "grade", "original"), ("d1", "grade", "both"), ("d1", "withdrawn", ""),
        ("d1", "grade", "original"),
    ]  # fmt: skip


def test_a_judgment_that_fills_a_later_slot_keeps_it(pool, campaign, organizer, assessor, topic):
    document = campaign.documents.get(docno="d1")
    Translation.objects.create(document=document, language="en", body="x", sha256="0" * 64)
    extra = JudgmentSubmission(
        assessor, campaign, topic, "d1", Judgment.Kind.GRADE, uuid4(), grade=1,
        language_shown="translation",
    )  # fmt: skip
    append_judgment(extra, None)
    create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})
    assert shown() == [("d1", "grade", "translation")] * 2
    assert Judgment.objects.latest("pk").slot is not None


def test_the_desk_shows_what_the_plan_says(translated, as_user, assessor, campaign):
    url = reverse("judge", args=[campaign.slug, "1"])
    page = read_page(as_user(assessor).get(url))
    assert 'data-first="both"' in page
    assert "Machine translation by MT 3" in page
    # Without a script both are seen, and the form says so.
    assert '<input type="hidden" name="language_shown" value="both">' in page
    Plan.objects.update(first_language=Plan.Language.TRANSLATION)
    assert 'data-first="translation"' in read_page(as_user(assessor).get(url))
    ahead = as_user(assessor).post(
        reverse("judge-ahead", args=[campaign.slug]),
        json.dumps({"user": assessor.pk, "topic": "1", "count": 3}),
        content_type="application/json",
    )
    htmls = [row["html"].count('data-first="translation"') for row in ahead.json()["documents"]]
    assert htmls == [1, 1, 0]
    slot = claim_next(actor=assessor, campaign=campaign, topic=campaign.topics.get(number="1"))
    form = {"docno": slot.docno, "token": slot.token, "client_uuid": uuid4(), "grade": 1}
    as_user(assessor).post(url, form | {"language_shown": "both"})
    assert shown() == [("d1", "grade", "both")]
    change = reverse("judge-change", args=[campaign.slug, "1"], query={"docno": "d1"})
    assert 'data-first="translation"' in read_page(as_user(assessor).get(change))


def test_the_query_for_plans_is_only_made_for_translations(
    translated, as_user, assessor, campaign, django_assert_max_num_queries
):
    url = reverse("judge-ahead", args=[campaign.slug])
    sent = json.dumps({"user": assessor.pk, "topic": "1", "count": 3})
    client = as_user(assessor)
    client.post(url, sent, content_type="application/json")  # Checks the documents out.
    with django_assert_max_num_queries(99) as with_translations:
        client.post(url, sent, content_type="application/json")
    Translation.objects.all().delete()
    with django_assert_max_num_queries(len(with_translations) - 1):
        client.post(url, sent, content_type="application/json")


def test_training_answers_say_it_too(translated, campaign, organizer, assessor):
    rows = [TrainingRow("1", "d1", 2)]
    add_training(actor=organizer, campaign=campaign, rows=rows)
    pair = campaign.training.get()
    answer = answer_training_pair(
        actor=assessor, campaign=campaign, pair=pair, grade=1, client_uuid=uuid4(),
        language_shown="original",
    )  # fmt: skip
    assert answer.language_shown == "original"


def test_programs_get_and_state_it(translated, as_user, assessor, campaign):
    client = as_user(assessor)
    place = {"campaign": campaign.slug, "topic": "1"}
    document = client.post("/api/judgments/next/", place, content_type="application/json").json()
    assert document["translation"] == {
        "language": "en", "by": "MT 3", "title": "", "body": "In English",
    }  # fmt: skip
    act = place | {"docno": "d1", "grade": 1, "client_uuid": str(uuid4())}
    act |= {"token": document["token"], "language_shown": "original"}
    answer = client.post("/api/judgments/", act, content_type="application/json")
    assert answer.json()["language_shown"] == "original"
    wrong = client.post(
        "/api/judgments/", act | {"language_shown": "latin"}, content_type="application/json"
    )
    assert wrong.status_code == 400
    document = client.post("/api/judgments/next/", place, content_type="application/json").json()
    client.post(
        "/api/judgments/skip/",
        place | {"docno": "d2", "reason": "language", "client_uuid": str(uuid4()),
                 "token": document["token"], "language_shown": "original"},
        content_type="application/json",
    )  # fmt: skip
    document = client.post("/api/judgments/next/", place, content_type="application/json").json()
    assert (document["docno"], document["translation"]) == ("d3", None)
    assert shown() == [("d1", "grade", "original"), ("d2", "skip", "original")]


def test_a_plan_says_what_is_shown_first(pool, campaign, organizer, as_user):
    url = reverse("plan-new", args=[campaign.slug])
    assert "Translated documents" not in read_page(as_user(organizer).get(url))
    document = campaign.documents.get(docno="d1")
    Translation.objects.create(document=document, language="en", body="x", sha256="0" * 64)
    assert "Translated documents" in read_page(as_user(organizer).get(url))
    data = {"pool": pool.pk, "design": "overlap", "n": 1, "order": "random", "rationale": "no"}
    form = PlanForm(campaign, data | {"first_language": "original"})
    assert form.is_valid()
    plan = create_plan(actor=organizer, pool=pool, scheme=form.scheme())
    assert plan.first_language == Plan.Language.ORIGINAL
    assert PlanForm(campaign, data).is_valid()


def test_options_that_fit_no_plan_are_refused(pool, organizer):
    with pytest.raises(ActionRefused) as refused:
        create_plan(actor=organizer, pool=pool, scheme=PlanOptions(first_language="latin"))
    assert refused.value.code == "no-first_language"
    scheme = PlanOptions(parameters={"n": 1}, first_language=Plan.Language.ORIGINAL)
    with pytest.raises(ActionRefused) as refused:
        create_plan(actor=organizer, pool=pool, scheme=scheme, audience=Audience.CROWD)
    assert refused.value.code == "no-translations"
