"""The page on which organizers play the fake platform."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from crowd.models import CrowdWorker, Payment, ProviderEvent, Study, WorkUnit
from crowd.queries.payment_sheet import reconcile_study
from judging.models import Judgment
from judging.queries.exclusions import counting_judgments
from poolbench.crowd.provider_lists import read_submissions
from tests.crowd.visiting import begin, enter, read_hidden, work
from tests.crowd.worker_study import make_study
from tests.csv_reading import csv_rows
from tests.pages import read_page


@pytest.fixture
def study(campaign):
    return make_study(
        campaign, state=Study.State.DRAFT, provider="prolific", unit_size=1, gold_per_unit=1
    )


@pytest.fixture
def browser(as_user, organizer):
    return as_user(organizer)


@pytest.fixture
def url(study):
    return f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/try/"


def accept(browser, url, **fields):
    page = read_page(browser.post(url, {"act": "accept", "count": "1", **fields}))
    return re.findall(r"http://testserver(/w/[^\s\"<]*)", page.replace("&amp;", "&"))


def play(browser, url, act, uid):
    response = browser.post(url, {"act": act, "unit": uid})
    found = re.search(r"<code>([a-z-]+)</code>\)?: ([^<]*)", read_page(response))
    return (response.status_code, found[1], " ".join(found[2].split()))


def test_a_trial_goes_all_the_way_and_counts_for_nothing(browser, url, study):
    link = accept(browser, url)[0]
    visitor = Client()
    path = work(visitor, link)
    page = read_page(visitor.get(path + "end/"))
    action = re.search(r'action="([^"]*/return/)"', page)[1]
    first = visitor.post(action, read_hidden(page))
    assert "Your submission is recorded" in read_page(first)
    assert "Nothing was recorded" in read_page(visitor.post(action, read_hidden(page)))
    unit = WorkUnit.objects.get()
    assert (unit.trial, unit.state, unit.worker.provider) == (True, "complete", "fake")
    assert not Payment.objects.exists()
    assert not Judgment.objects.filter(counting_judgments()).exists()
    assert not study.plan.slots.filter(purpose="judge").exclude(state="open").exists()
    rows = csv_rows(browser.get(url + "submissions.csv").text)
    assert [(row["status"], row["code"]) for row in rows] == [("approved", "FAKE-DONE")]
    assert rows[0]["receipt"] == unit.receipt


def test_previews_and_forgeries_are_played_through_the_door(browser, url, study):
    page = read_page(browser.post(url, {"act": "preview"}))
    assert "nothing is claimed" in page
    link = accept(browser, url, worker="w1")[0]
    uid = re.search(r"uid=([^&]*)", link)[1]
    assert play(browser, url, "expired", uid)[:2] == (200, "expired-link")
    assert play(browser, url, "signature", uid)[:2] == (200, "bad-signature")
    assert play(browser, url, "worker", uid)[:2] == (200, "bad-signature")
    assert not CrowdWorker.objects.exists()
    assert play(browser, url, "replay", uid)[:2] == (200, "admitted")
    assert play(browser, url, "moved", uid)[:2] == (200, "unit-moved")
    assert play(browser, url, "replay", uid)[:2] == (200, "admitted")
    assert WorkUnit.objects.count() == 1


def test_leaving_returning_and_completing_twice(browser, url, study):
    uids = []
    for worker in ("w1", "w2", "w3"):
        link = accept(browser, url, worker=worker)[0]
        uids.append(re.search(r"uid=([^&]*)", link)[1])
        visitor = Client()
        begin(visitor, enter(visitor, link))
    code, message = play(browser, url, "twice", uids[0])[1:]
    assert code == "completed-twice"
    assert message == "First: refused (not-finished). Second: refused (not-finished). Payments: 0."
    assert play(browser, url, "return", uids[1])[1] == "abandoned"
    assert play(browser, url, "abandon", uids[2])[1] == "abandoned"
    states = WorkUnit.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["started", "abandoned", "abandoned"]


@pytest.mark.full
def test_a_study_of_the_fake_provider_runs_for_real(browser, url, study):
    Study.objects.update(provider="fake", state=Study.State.RUNNING)
    links = accept(browser, url, count="3")
    assert len({*links}) == 3
    work(Client(), links[0])
    unit = WorkUnit.objects.get()
    assert not unit.trial
    assert Payment.objects.get().unit == unit
    uid = re.search(r"uid=([^&]*)", links[0])[1]
    message = play(browser, url, "twice", uid)[2]
    assert message == "First: complete. Second: complete. Payments: 1."


def test_the_export_of_the_platform_agrees_with_the_payment_sheet(browser, url, study):
    Study.objects.update(provider="fake", state=Study.State.RUNNING)
    for link in accept(browser, url, count="2"):
        visitor = Client()
        page = read_page(visitor.get(work(visitor, link) + "end/"))
        visitor.post(re.search(r'action="([^"]*/return/)"', page)[1], read_hidden(page))
    submissions = read_submissions(browser.get(url + "submissions.csv").content)
    assert [each.code for each in submissions] == ["FAKE-DONE"] * 2
    study.refresh_from_db()
    answer = reconcile_study(study, submissions)
    assert {kind: count for kind, count in answer.counts.items() if count} == {"matched": 2}
    wrong = [replace(each, code="FAKE-FAILED") for each in submissions]
    assert reconcile_study(study, wrong).counts["code-differs"] == 2


def test_the_platform_is_closed_for_a_running_study_of_another_provider(browser, url, study):
    Study.objects.update(state=Study.State.RUNNING)
    assert "The fake platform works with drafts" in read_page(browser.get(url))
    assert browser.post(url, {"act": "accept", "count": "1"}).status_code == 409
    assert not ProviderEvent.objects.exists()


@pytest.mark.parametrize(
    "form",
    [{"act": "accept", "count": "0"}, {"act": "accept", "count": "501"},
     {"act": "accept", "count": "x"}, {"act": "fly"}, {"act": "replay", "unit": "no"}, {}],
)  # fmt: skip
def test_bad_forms_are_refused(browser, url, form):
    assert browser.post(url, form).status_code == 409


def test_what_the_platform_recorded_is_sealed(browser, url, study):
    accept(browser, url, worker="Jane-Doe")
    assert "Jane-Doe" not in str(list(ProviderEvent.objects.values()))
    assert "Jane-Doe" in read_page(browser.get(url))


@pytest.mark.parametrize("uid", ["", "x", "\0", "task-000000000000", "é" * 300])
def test_strangers_record_nothing(url, study, uid):
    answer = Client().post(f"/w/{study.campaign.slug}/{study.pk}/return/", {"uid": uid})
    assert answer.status_code == 200
    assert not answer.cookies
    assert not ProviderEvent.objects.exists()
