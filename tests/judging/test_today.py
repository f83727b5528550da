"""Judging today: the page, alarms put aside, documents to look at again, the same sentence."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Event
from campaigns.models.history import name_snapshot
from campaigns.services.heartbeats import run_tick
from campaigns.services.snapshots import compute_report, get_report
from judging.models import AlarmDismissal, Judgment, Plan, Purpose, ReviewRequest, Slot
from judging.queries.today import load_situation
from judging.services.today import (
    finish_review,
    put_alarm_aside,
    request_review,
    undo_alarm_dismissal,
)
from tests.pages import read_page, run_command
from tests.world.judgments import submit_judgment


def move_back(days: int) -> None:
    """Everything that was judged and planned so far happened so many days earlier."""
    for row in Judgment.objects.all():
        Judgment.objects.filter(pk=row.pk).update(judged_at=row.judged_at - timedelta(days))
    for plan in Plan.objects.all():
        Plan.objects.filter(pk=plan.pk).update(created_at=plan.created_at - timedelta(days))
    Event.objects.update(at=timezone.now() - timedelta(days))


@pytest.fixture
def skipped(plan, assessor, next_of):
    """A document that was skipped ten days ago, and that no one is to judge."""
    slot = next_of(assessor)
    submit_judgment(actor=assessor, slot=slot, reason="broken")
    move_back(10)
    return slot


@pytest.fixture
def today_url(campaign) -> str:
    return reverse("judging-today", args=[campaign.slug])


def names(campaign) -> list[str]:
    return [alarm.name for alarm in compute_report(campaign, "today").report.alarms]


def test_the_page_without_a_plan(as_user, organizer, today_url):
    page = read_page(as_user(organizer).get(today_url))
    assert "No judging plan yet" in page


def test_the_page_on_the_first_day(plan, campaign, as_user, organizer, grade, assessor, today_url):
    grade(assessor, "d1", 1)
    compute_report(campaign, "today")
    page = read_page(as_user(organizer).get(today_url))
    assert "Cannot be determined" in page
    assert "on 1 day of work" in page
    assert "What is watched, and how it is computed" in page


def test_alarms_with_evidence_and_act(skipped, campaign, as_user, organizer, today_url):
    page = read_page(as_user(organizer).get(today_url))
    assert "being computed" in page
    compute_report(campaign, "today")
    page = read_page(as_user(organizer).get(today_url))
    assert "Judging stands still" in page
    assert "1 skipped document waits for no one" in page
    assert reverse("judging", args=[campaign.slug]) in page
    assert "state-bad" in page


def test_page_api_and_command_say_the_same(skipped, campaign, as_user, organizer, today_url):
    client = as_user(organizer)
    sentence = compute_report(campaign, "today").verdict.sentence
    assert sentence in read_page(client.get(today_url))
    answer = client.get(f"/api/verdicts/?campaign={campaign.slug}").content.decode()
    assert sentence in json.loads(json.dumps(answer))
    told = run_command("verdicts", campaign=campaign.slug)
    assert sentence in " ".join(told.split())


def test_an_alarm_put_aside_is_logged_and_comes_back_if_it_gets_worse(
    skipped, campaign, as_user, organizer, today_url
):
    client, url = as_user(organizer), reverse("alarm-aside", args=[campaign.slug])
    assert "skips-waiting" in names(campaign)
    client.post(url, {"name": "skips-waiting", "subject": "", "reason": "<b>known</b>"})
    assert "skips-waiting" not in names(campaign)
    event = Event.objects.get(code="alarm.put_aside")
    assert (event.data["alarm"], event.data["reason"]) == ("skips-waiting", "<b>known</b>")
    page = read_page(client.get(today_url))
    assert "&lt;b&gt;known&lt;/b&gt;" in page
    assert "<b>known</b>" not in page
    # Five more documents are worse.
    slot = Slot.objects.get(pk=skipped.pk)
    others = Slot.objects.filter(plan=slot.plan, purpose=Purpose.JUDGE).exclude(pk=slot.pk)[:5]
    for other in others:
        Slot.objects.filter(pk=other.pk).update(state="skipped", assessor=slot.assessor)
        skip = Judgment.objects.get(slot=slot)
        Judgment.objects.create(
            campaign=campaign, topic=other.topic, docno=other.item.docno, slot=other,
            assessor=slot.assessor, revision=1, kind="skip", source="screen",
        )  # fmt: skip
        Judgment.objects.filter(slot=other).update(judged_at=skip.judged_at)
    assert "skips-waiting" in names(campaign)


def test_an_alarm_is_brought_back(skipped, campaign, as_user, organizer, today_url):
    who = {"actor": organizer, "campaign": campaign}
    assert "standstill" in names(campaign)
    put_alarm_aside(**who, name="standstill", subject="", reason="holidays")
    assert "standstill" not in names(campaign)
    undo_alarm_dismissal(**who, name="standstill", subject="")
    assert "standstill" in names(campaign)
    assert list(AlarmDismissal.objects.values_list("aside", flat=True)) == [True, False]


def test_refused_dismissals(skipped, campaign, organizer, assessor):
    from django.core.exceptions import PermissionDenied

    who = {"campaign": campaign, "name": "standstill", "subject": ""}
    compute_report(campaign, "today")
    with pytest.raises(ActionRefused, match="reason"):
        put_alarm_aside(actor=organizer, **who, reason="  ")
    with pytest.raises(ActionRefused, match="over"):
        put_alarm_aside(actor=organizer, **{**who, "subject": "7"}, reason="so")
    with pytest.raises(PermissionDenied):
        put_alarm_aside(actor=assessor, **who, reason="so")


def test_dismissing_computes_nothing_anew(skipped, campaign, organizer):
    compute_report(campaign, "today")
    jobs = campaign.jobs.count()
    put_alarm_aside(
        actor=organizer, campaign=campaign, name="standstill", subject="", reason="holidays"
    )
    assert get_report(campaign, "today").is_current
    assert campaign.jobs.count() == jobs


def test_the_tick_computes_the_first_figures(skipped, campaign, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run_tick()
    assert campaign.snapshots.filter(name=name_snapshot("today")).exists()


# ---------- from the log ----------


def test_the_situation_from_the_log(double_plan, campaign, assessor, assessor2, grade):
    """Changes count, imports and withdrawn judgments do not."""
    grade(assessor, "d1", 1)
    grade(assessor2, "d1", 2)
    grade(assessor, "d1", 2)
    grade(assessor, "d2", 0)
    Judgment.objects.filter(docno="d2").update(source="import")
    situation = load_situation(campaign, timezone.now().date())
    log = situation.log
    assert [log.assessors[at] for at in log.assessor] == ["assessor", "assessor2"]
    assert log.grade.tolist() == [2, 2]
    assert len(set(log.pair.tolist())) == 1
    assert (situation.judged, situation.total) == (3, 18)
    assert sum(situation.counts.values()) == 2
    assert [(each.number, each.people) for each in situation.topics] == [
        (number, ("assessor", "assessor2")) for number in ("1", "2", "3")
    ]


def test_guidelines_shown_since_their_change(plan, campaign, organizer, assessor, grade):
    from campaigns.services.campaigns import update_campaign

    def change(text: str) -> None:
        fresh = Campaign.objects.get(pk=campaign.pk)
        update_campaign(actor=organizer, campaign=fresh, guidelines=text)
        campaign.refresh_from_db()

    change("A")
    grade(assessor, "d1", 1)
    change("B")
    today = timezone.now().date()
    assert load_situation(campaign, today).guidelines.unread == ()
    grade(assessor, "d2", 1, guideline_version=1)
    assert load_situation(campaign, today).guidelines.unread == (("assessor", 1),)
    grade(assessor, "d3", 1, guideline_version=2)
    assert load_situation(campaign, today).guidelines.unread == ()


def test_paused_topics_are_no_topics_without_work(plan, campaign):
    today = timezone.now().date()
    assert len(load_situation(campaign, today).topics) == 3
    plan.assignments.update(paused=True)
    assert load_situation(campaign, today).topics == ()
    Plan.objects.update(state="paused")
    assert load_situation(campaign, today).is_paused


# ---------- look at again ----------


def test_documents_to_look_at_again(
    plan, campaign, as_user, organizer, assessor, assessor2, grade, today_url
):
    grade(assessor, "d1", 1)
    grade(assessor, "d2", 0)
    url = reverse("review-new", args=[campaign.slug, "assessor"])
    form = {"count": 1, "topic": "1", "message": "Is <i>partly</i> meant?"}
    client = as_user(organizer)
    assert client.post(url, form).status_code == 302
    review = ReviewRequest.objects.get()
    assert review.documents == [["1", "d2"]]
    work = reverse("work", args=[campaign.slug])
    page = read_page(as_user(assessor).get(work))
    assert "asks you to look at 1 document again" in page
    assert "Is &lt;i&gt;partly&lt;/i&gt; meant?" in page
    assert f"{reverse('judge-change', args=[campaign.slug, '1'])}?docno=d2" in page
    # It is of no other assessor.
    assert "look at 1 document" not in read_page(as_user(assessor2).get(work))
    assert finish_review(actor=assessor2, campaign=campaign, pk=review.pk) is None
    as_user(assessor).post(reverse("review-done", args=[campaign.slug, review.pk]))
    assert "look at 1 document" not in read_page(as_user(assessor).get(work))
    assert Event.objects.filter(code="review.done").count() == 1


def test_nothing_is_not_sent(plan, campaign, organizer, assessor):
    with pytest.raises(ActionRefused, match="nothing to send"):
        request_review(actor=organizer, campaign=campaign, assessor=assessor)
