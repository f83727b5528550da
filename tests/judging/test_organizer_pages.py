from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.services.campaigns import create_campaign
from judging.models import Plan, Qrels, Slot
from judging.queries.progress import IDLE, measure_pace
from judging.services.judgments import claim_ahead
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from judging.templatetags.judging import TopicTextBlock, text_blocks
from tests.confirming import confirm
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.world.files import make_pool
from tests.world.people import SCALE

GETS = {
    "work": ("assessor",),
    "judge": ("assessor",),
    "judge-change": ("assessor",),
    "my-judgments": ("assessor",),
    "judging": ("organizer",),
    "plan-new": ("organizer",),
    "plan-assign": ("organizer",),
    "plan-reassign": ("organizer",),
    "flagged-documents": ("organizer",),
    "judging-assessor": ("organizer",),
    "training-sets": ("organizer",),
    "agreement": ("organizer",),
    "agreement-download": ("organizer",),
    "qrels-list": ("organizer",),
    "qrels": ("organizer",),
    "qrels-download": ("organizer",),
    "judgments-download": ("organizer",),
    "assessor-qrels": ("organizer",),
}
POSTS = {
    "judge": ("assessor",),
    "judge-skip": ("assessor",),
    "judge-undo": ("assessor",),
    "plan-new": ("organizer",),
    "plan-assign": ("organizer",),
    "plan-pause": ("organizer",),
    "plan-close": ("organizer",),
    "plan-reassign": ("organizer",),
    "slots-return": ("organizer",),
    "training-sets": ("organizer",),
    "slot-reopen": ("organizer",),
    "qrels-list": ("organizer",),
}


@pytest.fixture
def address(plan, campaign, organizer, assessor, grade):
    """``address(name)``: the URL of a page, on a campaign that has one of everything."""
    grade(assessor, "d1", 2)
    freeze_qrels(actor=organizer, campaign=campaign, policy="single")
    more = {
        "judge": ["1"], "judge-skip": ["1"], "judge-change": ["1"],
        "plan-assign": [plan.pk], "plan-pause": [plan.pk],
        "plan-close": [plan.pk], "plan-reassign": [plan.pk],
        "judging-assessor": ["assessor"], "slots-return": ["assessor"],
        "slot-reopen": [Slot.objects.first().pk], "qrels": [1], "qrels-download": [1],
        "judgments-download": ["csv"], "agreement-download": ["json"],
        "assessor-qrels": ["assessor"],
    }  # fmt: skip

    def find(name: str) -> str:
        query = {"docno": "d1"} if name == "judge-change" else None
        return reverse(name, args=["small", *more.get(name, [])], query=query)

    return find


@pytest.fixture
def people(organizer, assessor, participant, viewer, stranger):
    return {
        "organizer": organizer, "assessor": assessor, "participant": participant,
        "viewer": viewer, "stranger": stranger, "nobody": None,
    }  # fmt: skip


def expected(role: str, allowed: tuple[str, ...]) -> set[int]:
    if role == "nobody":
        return {302}
    if role == "stranger":
        return {404}
    return {200, 302, 409, 422} if role in allowed else {403}


@pytest.mark.parametrize("name", GETS)
def test_pages_open_for_their_roles_only(name, address, people, as_user):
    for role, who in people.items():
        found = as_user(who).get(address(name))
        assert found.status_code in expected(role, GETS[name]), role
        if role == "nobody":
            assert found.url.startswith(reverse("login"))


@pytest.mark.parametrize("name", POSTS)
def test_posts_are_for_their_roles_only(name, address, people, as_user):
    for role, who in sorted(people.items(), key=lambda item: item[0] in POSTS[name]):
        found = as_user(who).post(address(name))
        assert found.status_code in expected(role, POSTS[name]), role


def test_objects_of_another_campaign_are_not_found(address, organizer, as_user):
    create_campaign(actor=organizer, title="Other", slug="other", scale=SCALE)
    client = as_user(organizer)
    for name in ("plan-assign", "qrels", "qrels-download", "assessor-qrels"):
        elsewhere = address(name).replace("/small/", "/other/")
        assert client.get(elsewhere).status_code == 404, name
    for name in ("plan-pause", "slot-reopen"):
        assert client.post(address(name).replace("/small/", "/other/")).status_code == 404, name


def test_a_plan_is_made_by_the_form(pool, campaign, organizer, assessor, assessor2, as_user):
    client, url = as_user(organizer), reverse("plan-new", args=["small"])
    topics = {f"topic-{t.pk}": [assessor.pk] for t in campaign.topics.all()}
    scheme = {"design": "overlap", "order": "random", "rationale": "no"}
    fields = {"pool": pool.pk, "n": 1, **scheme, **topics}
    filled = read_page(client.post(url, {**fields, "n": 2, "fill": "all"}))
    assert filled.count(" checked") == 6
    assert not Plan.objects.exists()
    refused = read_page(client.post(url, {**fields, "n": 2}))
    assert "Overlap 2 needs 2 assessors per topic; too few for 1, 2, 3." in refused
    assert client.post(url, fields).url == reverse("judging", args=["small"])
    assert Plan.objects.get().assignments.count() == 3


def test_fill_in_turn_gives_each_topic_the_next(
    plan, campaign, organizer, assessor, assessor2, as_user
):
    client, url = as_user(organizer), reverse("plan-assign", args=["small", plan.pk])
    page = read_page(client.post(url, {"fill": "turn"}))
    ticked = [f'value="{user.pk}" checked' in page for user in (assessor, assessor2)]
    assert ticked == [True, True]
    assert page.count(" checked") == 3
    assert plan.assignments.filter(assessor=assessor2).count() == 0


def test_the_organizer_sees_leases_and_takes_them_back(
    plan, campaign, organizer, assessor, topic, as_user
):
    slot, *_ = claim_ahead(actor=assessor, campaign=campaign, topic=topic, count=3)
    client, one = as_user(organizer), reverse("judging-assessor", args=["small", "assessor"])
    main = read_page(client.get(reverse("judging", args=["small"])))
    assert reverse("slots-return", args=["small", "assessor"]) in main
    assert reverse("slot-reopen", args=["small", slot.pk]) in read_page(client.get(one))
    client.post(reverse("slot-reopen", args=["small", slot.pk]))
    slot.refresh_from_db()
    assert (slot.state, slot.assessor) == ("open", None)
    client.post(reverse("slots-return", args=["small", "assessor"]))
    assert not Slot.objects.filter(state="leased").exists()
    assert "has no checked-out documents" in read_page(client.get(one))


def test_a_plan_is_foreseen_before_it_is_made(
    pool, campaign, organizer, assessor, assessor2, as_user
):
    client, url = as_user(organizer), reverse("plan-new", args=["small"])
    topics = {f"topic-{t.pk}": [assessor.pk, assessor2.pk] for t in campaign.topics.all()}
    scheme = {"design": "blocks", "n": 2, "shared": 3, "rest": 1, "order": "pool"}
    scheme["repeat_share"] = 0.25
    fields = {"pool": pool.pk, "rationale": "no", **scheme, **topics}
    page = read_page(client.post(url, {**fields, "preview": "1"}))
    assert "Balanced blocks: 12 judgments of 9 documents" in page
    assert "<dd>3 documents</dd>" in page
    assert "<dd>about 3 more</dd>" in page
    assert not Plan.objects.exists()
    refused = read_page(client.post(url, {**fields, "shared": 10, "preview": "1"}))
    assert "Set at most 9 shared documents" in refused
    assert client.post(url, fields).url == reverse("judging", args=["small"])
    assert Plan.objects.get().design == "blocks"
    assert Slot.objects.filter(reserved_for=assessor).count() == 6


def test_people_topics_and_plans_are_paused_and_closed(
    double_plan, campaign, organizer, assessor, topic, as_user
):
    client, url = as_user(organizer), reverse("plan-pause", args=["small", double_plan.pk])
    paused = double_plan.assignments.filter(paused=True)
    client.post(url, {"paused": "1", "assessor": "assessor"})
    assert paused.count() == 3
    main = read_page(client.get(reverse("judging", args=["small"])))
    assert 'assessor</a> <span class="tag waiting">paused</span>' in main
    client.post(url, {"paused": "0", "assessor": "assessor"})
    client.post(url, {"paused": "1", "topic": "1"})
    assert set(paused.values_list("topic__number", flat=True)) == {"1"}
    assert client.post(url, {"paused": "1", "topic": "none"}).status_code == 404
    assert "Close plan" not in main
    client.post(url, {"paused": "1"})
    assert "Close plan" in read_page(client.get(reverse("judging", args=["small"])))
    confirm(client, reverse("plan-close", args=["small", double_plan.pk]))
    assert not double_plan.slots.exists()
    closed = '<span class="tag done">closed</span>'
    assert closed in read_page(client.get(reverse("judging", args=["small"])))
    assert client.post(url, {"paused": "0"}).status_code == 409
    assert closed in read_page(client.get(reverse("judging", args=["small"])))


def test_work_is_handed_on_by_the_form(
    plan, campaign, organizer, assessor, assessor2, topic, as_user
):
    client, url = as_user(organizer), reverse("plan-reassign", args=["small", plan.pk])
    page = read_page(client.get(url, {"assessor": "assessor"}))
    assert 'name="topic" value="1"' in page
    refused = read_page(client.post(url, {"assessor": "assessor"}))
    assert "No assessor to reassign to." in refused
    refused = read_page(client.post(url, {"to": assessor2.pk}))
    assert "Choose the assessor whose documents" in refused
    fields = {"assessor": "assessor", "to": assessor2.pk, "topic": ["1"]}
    assert client.post(url, fields).status_code == 302
    assert [a.assessor for a in plan.assignments.filter(topic=topic)] == [assessor2]


def test_marked_documents_are_listed_while_they_stand(plan, organizer, assessor, grade, as_user):
    client, url = as_user(organizer), reverse("flagged-documents", args=["small"])
    assert "No flagged documents" in read_page(client.get(url))
    grade(assessor, "d1", 1, flags=["duplicate", "broken"], duplicate_of="d2", comment="cut off")
    grade(assessor, "d3", 1, flags=["language"])
    grade(assessor, "d3", 1)
    page = read_page(client.get(url))
    assert "duplicate of another document" in page
    assert ">d2<" in page
    assert ">d3<" not in page
    assert "1 document</a>: unreadable" in read_page(client.get(reverse("judging", args=["small"])))


def test_a_release_is_previewed_and_made_by_the_form(
    double_plan, organizer, assessor, assessor2, grade, as_user
):
    grade(assessor, "d1", 1)
    grade(assessor2, "d1", 3)
    client, url = as_user(organizer), reverse("qrels-list", args=["small"])
    assert 'value="majority" checked' in read_page(client.get(url))
    page = read_page(client.get(url + "?policy=single"))
    assert "1 pair undecided under this policy" in page
    refused = read_page(client.post(url, {"policy": "single"}))
    assert "single leaves 1 pair undecided" in refused
    client.post(url, {"policy": "maximum", "preview": "1"})
    assert not Qrels.objects.exists()
    made = confirm(
        client, reverse("qrels-freeze", args=["small"]), {"policy": "maximum", "note": "first"}
    )
    page = read_page(client.get(made.url + "?verify=1"))
    assert "identical SHA-256" in page
    assert Qrels.objects.get().sha256 in page


def test_the_log_downloads_with_every_revision(address, organizer, assessor, grade, as_user):
    grade(assessor, "d1", 3, comment="=1+1")
    client = as_user(organizer)
    text = client.get(reverse("judgments-download", args=["small", "csv"])).getvalue().decode()
    rows = csv_rows(text)
    assert [(r["revision"], r["grade"], r["current"]) for r in rows] == [
        ("1", "2", "False"),
        ("2", "3", "True"),
    ]
    assert rows[1]["comment"] == "'=1+1"
    found = json.loads(client.get(reverse("judgments-download", args=["small", "json"])).getvalue())
    assert found[1]["comment"] == "=1+1"
    own = client.get(reverse("assessor-qrels", args=["small", "assessor"])).content
    assert own == b"1 0 d1 3\n"


def test_agreement_is_shown_with_n_and_reason(
    double_plan, organizer, assessor, assessor2, grade, as_user
):
    client, url = as_user(organizer), reverse("agreement", args=["small"])
    assert "No agreement yet" in read_page(client.get(url))
    for user, values in ((assessor, (0, 1, 2)), (assessor2, (0, 1, 0))):
        for docno, value in zip(("d1", "d2", "d3"), values, strict=True):
            grade(user, docno, value)
    assert "0.6667" in read_page(client.get(url))
    told = read_page(client.get(reverse("agreement-download", args=["small", "csv"])))
    row = next(r for r in csv_rows(told) if r["between"] == "pair")
    assert (row["coefficient"], row["value"], row["n"]) == ("percent", "0.666667", "3")


@pytest.mark.parametrize("name", ["judging", "work", "my-judgments"])
def test_lists_cost_the_same_for_more_rows(
    name, plan, campaign, organizer, assessor, grade, as_user, django_assert_num_queries
):
    client = as_user(organizer if name == "judging" else assessor)
    url = reverse(name, args=["small"])
    grade(assessor, "d1", 1)
    client.get(url)
    with CaptureQueriesContext(connection) as few:
        client.get(url)
    count = len(few)
    grade(assessor, "d2", 1)
    grade(assessor, "d3", 1)
    wider = make_pool(campaign, {"2": ["e1", "e2"], "3": ["e3"]}, version=2)
    people = {"2": [assessor], "3": [assessor]}
    create_plan(actor=organizer, pool=wider, overlap=1, assessors=people)
    client.get(url)  # reads the new rows of the log
    with django_assert_num_queries(count):
        client.get(url)


def test_pace_counts_active_time_only(campaign):
    start = campaign.created_at
    seconds = [0, 10, 20, 30, 40, 50]
    moments = [start + timedelta(seconds=s) for s in seconds]
    later = [moment + 2 * IDLE for moment in moments]
    assert measure_pace(moments).per_hour == pytest.approx(360)
    assert measure_pace(moments + later).per_hour == pytest.approx(360)
    assert measure_pace(moments[:3]).per_hour is None


def test_blocks_join_wrapped_lines_and_keep_code():
    text = (
        "A paragraph whose lines were broken\nbecause of their width alone.\n"
        "  And an indented one that follows it\nand goes on.\n\n"
        "    >>> code(1)\n    2\n\n"
        "- one item of a list of items here\n- another item of that list\n"
    )
    assert list(text_blocks(text)) == [
        TopicTextBlock("A paragraph whose lines were broken because of their width alone."),
        TopicTextBlock("And an indented one that follows it and goes on."),
        TopicTextBlock(">>> code(1)\n2", verbatim=True),
        TopicTextBlock("- one item of a list of items here\n- another item of that list"),
    ]
    assert list(text_blocks("")) == []
