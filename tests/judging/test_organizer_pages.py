import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from judging.forms import plans as forms
from judging.models import Plan, Qrels, Slot
from judging.queries.progress import IDLE, measure_pace
from judging.services.judgments import claim_ahead
from judging.templatetags.judging import TopicTextBlock, text_blocks
from tests.confirming import confirm
from tests.pages import read_page


def test_a_plan_is_made_by_the_form(pool, campaign, organizer, assessor, assessor2, as_user):
    client, url = as_user(organizer), reverse("plan-new", args=["small"])
    topics = {f"topic-{t.pk}": [assessor.pk] for t in campaign.topics.all()}
    scheme = {"design": "overlap", "order": "random", "rationale": "no"}
    fields = {"pool": pool.pk, "n": 1, **scheme, **topics}
    filled = read_page(client.post(url, {**fields, "n": 2, "fill": "all"}))
    assert filled.count(" checked") == 6
    assert not Plan.objects.exists()
    refused = read_page(client.post(url, {**fields, "n": 2}))
    assert "2 judgments per document need 2 assessors per topic; too few for topics 1, 2, 3." in (
        refused
    )
    assert client.post(url, fields).url == reverse("judging", args=["small"])
    assert Plan.objects.get().assignments.count() == 3


def test_ticks_that_nobody_chose_follow_the_design(
    pool, campaign, organizer, assessor, assessor2, assessor3, as_user
):
    client, url = as_user(organizer), reverse("plan-new", args=["small"])
    numbers = {topic.pk: topic.number for topic in campaign.topics.all()}

    def ticked(page):
        boxes = re.findall(r'name="topic-(\d+)" value="(\d+)" checked', page)
        return {(numbers[int(topic)], int(user)) for topic, user in boxes}

    one, two, three = assessor.pk, assessor2.pk, assessor3.pk
    first = ticked(read_page(client.get(url)))
    assert first == {("1", one), ("2", two), ("3", three)}
    fields = {"pool": pool.pk, "design": "share", "n": 2, "share": 0.25, "order": "random"}
    fields |= {"rationale": "no", "preview": "1"}
    fields |= {
        f"topic-{pk}": [u for n, u in first if n == number] for pk, number in numbers.items()
    }
    page = read_page(client.post(url, fields))
    pairs = {("1", one), ("1", two), ("2", one), ("2", three), ("3", two), ("3", three)}
    assert ticked(page) == pairs
    assert len(ticked(read_page(client.post(url, fields | {"third_from": 1})))) == 9
    refused = read_page(client.post(url, fields | {f"topic-{min(numbers)}": [three]}))
    assert "2 judgments per document need 2 assessors per topic; too few for topics" in refused


def test_very_many_topics_and_assessors_are_assigned_by_username(
    pool, campaign, organizer, assessor, assessor2, as_user, monkeypatch
):
    monkeypatch.setattr(forms, "MOST_BOXES", 5)
    client, url = as_user(organizer), reverse("plan-new", args=["small"])

    def read_fields(page: str) -> dict[str, str]:
        return dict(re.findall(r'name="(topic-\d+)"\s+value="([^"]*)"', page))

    page = read_page(client.get(url))
    assert list(read_fields(page).values()) == ["assessor", "assessor2", "assessor"]
    assert 'type="checkbox" name="topic-' not in page
    fields = {"pool": pool.pk, "n": 1, "design": "overlap", "order": "random", "rationale": "no"}
    typed = dict.fromkeys(read_fields(page), "assessor2,  assessor stranger")
    refused = read_page(client.post(url, fields | typed))
    assert "No assessors of the campaign: stranger." in refused
    assert set(read_fields(refused).values()) == {"assessor2, assessor"}
    assert not Plan.objects.exists()
    client.post(url, fields | read_fields(refused))
    plan = Plan.objects.get()
    assert plan.assignments.count() == 6
    url = reverse("plan-assign", args=["small", plan.pk])
    again = read_fields(read_page(client.get(url)))
    assert set(again.values()) == {"assessor, assessor2"}
    assert "stranger" in read_page(client.post(url, dict.fromkeys(again, "stranger")))
    client.post(url, dict.fromkeys(again, "assessor"))
    assert {seat.assessor.username for seat in plan.assignments.all()} == {"assessor"}


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
    waiting = read_page(client.get(reverse("judging", args=["small"])))
    assert "Close plan" in waiting
    assert "Resume" in waiting
    confirm(client, reverse("plan-close", args=["small", double_plan.pk]))
    assert not double_plan.slots.exists()
    closed = '<span class="tag done">closed</span>'
    over = read_page(client.get(reverse("judging", args=["small"])))
    assert closed in over
    for act in ("Resume", "Pause</button>", "Close plan", "Assign topics"):
        assert act not in over
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
    assert client.get(url + "?policy=nobodys").status_code == 409
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
    found = json.loads(client.get(reverse("judgments-download", args=["small", "json"])).getvalue())
    assert [(row["revision"], row["grade"]) for row in found] == [(1, 2), (2, 3)]
    assert found[1]["comment"] == "=1+1"
    own = client.get(reverse("assessor-qrels", args=["small", "assessor"])).content
    assert own == b"1 0 d1 3\n"


def test_pace_counts_active_time_only(campaign):
    start = campaign.created_at
    seconds = [0, 10, 20, 30, 40, 50]
    moments = [start + timedelta(seconds=s) for s in seconds]
    later = [moment + 2 * IDLE for moment in moments]
    assert measure_pace(moments).per_hour == pytest.approx(360)
    assert measure_pace(moments + later).per_hour == pytest.approx(360)
    assert measure_pace(moments[:3]).per_hour is None
    script = [start + timedelta(seconds=s) for s in range(60)]
    assert measure_pace(script).per_hour is None


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
