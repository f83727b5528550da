"""Judging today: the page, alarms put aside, documents to look at again, the same sentence."""

import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Event
from campaigns.models.history import name_snapshot
from campaigns.services.heartbeats import run_tick
from campaigns.services.snapshots import compute_report, get_report
from judging.models import AlarmDismissal, Judgment, Plan, ReviewRequest
from judging.queries.today import load_situation
from judging.services.judgments import undo_judgment
from judging.services.reviews import finish_review, request_review
from judging.services.today import put_alarm_aside, undo_alarm_dismissal
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
    assert page.count("annot be determined") == 2  # the state, and the rule below
    assert "1 of 9 judged now" in page
    grade(assessor, "d2", 1)
    assert "2 of 9 judged now" in read_page(as_user(organizer).get(today_url))
    assert "on 1 day of work" in page
    assert "What is watched, and how it is computed" in page
    # As of the figures' own time: one document, not the lowest grade, no second assessor.
    assert "Assessors so far" in page
    (row,) = compute_report(campaign, "today").report.assessors
    assert (row.name, row.judged, row.lowest, row.shared) == ("assessor", 2, 0, 0)


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


def test_an_alarm_put_aside_is_logged(skipped, campaign, as_user, organizer, today_url):
    client, url = as_user(organizer), reverse("alarm-aside", args=[campaign.slug])
    assert "skips-waiting" in names(campaign)
    client.post(url, {"name": "skips-waiting", "subject": "", "reason": "<b>known</b>"})
    assert "skips-waiting" not in names(campaign)
    event = Event.objects.get(code="alarm.put_aside")
    assert (event.data["alarm"], event.data["reason"]) == ("skips-waiting", "<b>known</b>")
    page = read_page(client.get(today_url))
    assert "&lt;b&gt;known&lt;/b&gt;" in page
    assert "<b>known</b>" not in page


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
    done = {"answer": "<b>Yes</b>,\0 both"}
    as_user(assessor).post(reverse("review-done", args=[campaign.slug, review.pk]), done)
    assert "look at 1 document" not in read_page(as_user(assessor).get(work))
    assert Event.objects.filter(code="review.done").count() == 1
    told = as_user(organizer).get(reverse("judging-today", args=[campaign.slug]))
    assert "&lt;b&gt;Yes&lt;/b&gt;, both</blockquote>" in read_page(told)


def test_chosen_documents_lead_from_one_to_the_next_and_back_to_the_list(
    plan, campaign, organizer, assessor, as_user, grade
):
    grade(assessor, "d1", 1)
    grade(assessor, "d2", 0)
    url = reverse("review-new", args=[campaign.slug, "assessor"])
    sent = {"count": 20, "documents": "1 d1\n1 d9\n"}
    assert "has not judged document d9" in as_user(organizer).post(url, sent).content.decode()
    as_user(organizer).post(url, {"count": 20, "documents": "1 d1\n\n1 d2"})
    review = ReviewRequest.objects.get()
    assert review.documents == [["1", "d1"], ["1", "d2"]]
    client, work = as_user(assessor), reverse("work", args=[campaign.slug])
    first, second = re.findall(r'<a href="([^"]+review=[^"]+)"', client.get(work).content.decode())
    page = client.get(unescape(first)).content.decode()
    assert (f'data-review="{review.pk}"' in page, f'data-judge="{work}"' in page) == (True, True)
    assert "0 of 2" in page

    def ahead(*seen: str) -> tuple[list[str], bool, int]:
        asked = {"review": str(review.pk), "seen": [["1", docno] for docno in seen]}
        address = reverse("judge-ahead", args=[campaign.slug])
        told = client.post(address, asked, "application/json").json()
        docnos = [row["docno"] for row in told["documents"] if "Your judgment" in row["html"]]
        return docnos, "Back to the list" in told.get("over", ""), told["progress"]["done"]

    assert ahead("d1") == (["d2"], False, 0)
    assert ahead() == (["d1", "d2"], False, 0)
    grade(assessor, "d1", 2)
    assert ahead("d1") == (["d2"], False, 1)
    assert ahead("d1", "d2") == ([], True, 1)
    assert client.get(work).content.decode().count("looked at</span>") == 1
    undo_judgment(actor=assessor, campaign=campaign)
    assert ahead() == (["d1", "d2"], False, 0)
    finish_review(actor=assessor, campaign=campaign, pk=review.pk)
    assert "data-review" not in client.get(unescape(second)).content.decode()
    assert ahead("d1") == ([], True, 0)


def test_nothing_is_not_sent(plan, campaign, organizer, assessor):
    with pytest.raises(ActionRefused, match="nothing to send"):
        request_review(actor=organizer, campaign=campaign, assessor=assessor)
