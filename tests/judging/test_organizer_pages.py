from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse

from campaigns.services.campaigns import create_campaign
from judging.models import Plan, Qrels, Slot
from judging.queries.progress import IDLE, measure_pace
from judging.services.judgments import claim_ahead
from judging.services.qrels import freeze_qrels
from judging.templatetags.judging import TopicTextBlock, text_blocks
from tests.confirming import confirm
from tests.csv_reading import csv_rows
from tests.pages import read_page
from tests.world.people import SCALE


def test_objects_of_another_campaign_are_not_found(plan, organizer, assessor, grade, as_user):
    grade(assessor, "d1", 2)
    freeze_qrels(actor=organizer, campaign=plan.campaign, policy="single")
    create_campaign(actor=organizer, title="Other", slug="other", scale=SCALE)
    client, slot = as_user(organizer), Slot.objects.first()
    for ask, name, of in (
        (client.get, "plan-assign", plan.pk), (client.get, "qrels", 1),
        (client.get, "qrels-download", 1), (client.get, "assessor-qrels", "assessor"),
        (client.post, "plan-pause", plan.pk), (client.post, "slot-reopen", slot.pk),
    ):  # fmt: skip
        assert ask(reverse(name, args=["other", of])).status_code == 404, name


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


def test_fill_in_turn_gives_each_topic_the_next(plan, organizer, assessor, assessor2, as_user):
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


def test_people_topics_and_plans_are_paused_and_closed(double_plan, organizer, topic, as_user):
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


def test_work_is_handed_on_by_the_form(plan, organizer, assessor2, topic, as_user):
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


def test_the_log_downloads_with_every_revision(plan, organizer, assessor, grade, as_user):
    grade(assessor, "d1", 2)
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
