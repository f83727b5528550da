"""What workers, platforms and strangers may try. Each test names the attack in its docstring.

All go over HTTP through the real door, without cookies, as a browser would.
"""

import re
import time
from datetime import timedelta
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.models import Document, User
from crowd.models import CrowdWorker, Payment, Study, WorkUnit
from judging.models import Judgment, Slot
from poolbench.crowd.providers.base import SKEW_SECONDS
from tests.crowd.visiting import answer, at_once, begin, enter, make_task, read_hidden, work
from tests.pages import read_page
from tests.world.at_once import run_at_once

State = WorkUnit.State


@pytest.fixture
def visitor():
    return Client(enforce_csrf_checks=True)


def list_counts():
    models = (User, CrowdWorker, WorkUnit, Judgment, Payment)
    taken = Slot.objects.exclude(state=Slot.State.OPEN).count()
    return [model.objects.count() for model in models] + [taken]


def test_preview_claims_nothing(visitor, study):
    """Preview claims nothing."""
    link = make_task(study, preview=True)
    visitor.get(link)  # the fake platform's key exists from now on
    before = list_counts()
    response = visitor.get(link)
    assert response.status_code == 200
    assert "<form" not in read_page(response)
    assert list_counts() == before
    assert not CrowdWorker.objects.exists()


def test_same_assignment_in_two_browsers_is_one_unit(study):
    """Same assignment, two browsers: one unit, the same document, each answer once."""
    link = make_task(study)
    first, second = Client(), Client()
    path = enter(first, link)
    begin(first, path)
    other = enter(second, link)
    pages = [read_hidden(read_page(client.get(at))) for client, at in
             ((first, path), (second, other))]  # fmt: skip
    assert pages[0]["token"] == pages[1]["token"]
    assert pages[0]["uuid"] != pages[1]["uuid"]
    for client, at, fields in ((first, path, pages[0]), (second, other, pages[1])):
        client.post(at + "answer/", {**fields, "grade": "1"})
    assert (WorkUnit.objects.count(), CrowdWorker.objects.count()) == (1, 1)
    # The same document answered in both windows is one document, not two.
    assert Judgment.objects.values("topic", "docno").distinct().count() == 1
    assert Slot.objects.filter(state=Slot.State.JUDGED).count() == 1
    assert enter(first, link).startswith("/w/unit/")


def test_an_assignment_moved_to_another_worker_is_refused(visitor, study):
    """Assignment ID moved to another worker: bound to the first worker that was seen with it."""
    path = enter(visitor, make_task(study, worker="p1"))
    begin(visitor, path)
    before = list_counts()
    refused = visitor.get(make_task(study, worker="p2"))
    assert refused.status_code == 409
    assert "belongs to another worker" in read_page(refused)
    assert list_counts() == before


def test_an_expired_token_opens_nothing(visitor, study, monkeypatch):
    """Expired token: neither the platform's link nor the address of a unit."""
    before = list_counts()
    late = visitor.get(make_task(study, minutes=-SKEW_SECONDS / 60 - 0.1))
    assert late.status_code == 403
    assert "expired" in read_page(late)
    assert list_counts()[1:] == before[1:]
    path = enter(visitor, make_task(study))
    monkeypatch.setattr("crowd.services.doorway.TOKEN_DAYS", -1)
    for step in ("", "consent/", "end/"):
        assert visitor.get(path + step).status_code == 404
    assert visitor.post(path + "begin/").status_code == 404
    # Clocks may differ by a minute.
    soon = make_task(study, worker="p2", uid="s2", minutes=-1)
    assert visitor.get(soon).status_code == 303


@pytest.mark.parametrize("more", ["&wid=p2", "&wid=p1", "&mode=preview", "&x=1", "&sig=0", "&%ff"])
def test_an_added_parameter_is_refused(visitor, study, more):
    """Tampered parameter: added, or twice."""
    assert visitor.get(make_task(study) + more).status_code == 403
    assert not CrowdWorker.objects.exists()


def test_the_fake_platform_opens_no_running_study_of_another_provider(visitor, study):
    """A trial link on a study that runs for real."""
    link = make_task(study)
    Study.objects.update(provider="prolific")
    assert visitor.get(link).status_code == 403
    Study.objects.update(state=Study.State.DRAFT)
    assert visitor.get(link).status_code == 303
    assert WorkUnit.objects.get().trial


def test_completion_before_the_quota_is_refused(visitor, study):
    """Completion before the quota: refused, nothing is paid, no code is shown."""
    path = enter(visitor, make_task(study))
    assert visitor.post(path + "finish/").status_code == 409
    begin(visitor, path)
    for _ in range(5):
        answer(visitor, path)
        early = visitor.post(path + "finish/")
        assert early.status_code in ((409,) if Judgment.objects.count() < 6 else (303,))
        assert "FAKE-DONE" not in read_page(visitor.get(path))
    assert visitor.get(path + "end/")["Location"] == path
    assert not Payment.objects.exists()


def test_back_button_after_completion_changes_nothing(visitor, study):
    """Back button after completion: old pages are posted again."""
    Study.objects.update(unit_size=2, gold_per_unit=1)
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    pages = []
    while "uuid" in (fields := read_hidden(read_page(visitor.get(path)))):
        pages.append(fields)
        answer(visitor, path)
    visitor.post(path + "finish/")
    receipt = WorkUnit.objects.get().receipt
    log = list(Judgment.objects.order_by("pk").values())
    for fields in pages:
        for uuid in (fields["uuid"], str(uuid4())):
            again = visitor.post(path + "answer/", {**fields, "uuid": uuid, "grade": "0"})
            assert again["Location"] == path + "end/"
    assert visitor.get(path + "?back=1")["Location"] == path + "end/"
    for step in ("begin/", "consent/", "leave/", "finish/"):
        visitor.post(path + step, {"version": "1", "agree": "1"})
    assert list(Judgment.objects.order_by("pk").values()) == log
    unit = WorkUnit.objects.get()
    assert (unit.state, unit.receipt) == (State.COMPLETE, receipt)
    assert Payment.objects.count() == 1
    # The platform's link again: the same unit, its end, no new work.
    assert visitor.get(enter(visitor, make_task(study)))["Location"].endswith("/end/")
    assert WorkUnit.objects.count() == 1


def test_a_double_click_is_one_judgment(visitor, study):
    """Double-click: the same form twice is one judgment, the next document is not skipped."""
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    fields = read_hidden(read_page(visitor.get(path)))
    for _ in range(2):
        assert visitor.post(path + "answer/", {**fields, "grade": "1"}).status_code == 303
    assert Judgment.objects.count() == 1
    assert "Document 2 of 6" in read_page(visitor.get(path))


@at_once
def test_clicks_20_ms_apart_are_one_judgment_and_one_payment(study):
    """Double-click 20 ms: link, start, each answer and completion, from threads at once."""

    def twice(*requests):
        def send(delay, request):
            time.sleep(delay)
            return request().status_code

        delays = [delay for delay in (0.0, 0.02) for _ in requests]
        return run_at_once(send, delays, requests * 2)

    link = make_task(study)
    assert twice(lambda: Client().get(link), lambda: Client().get(link)) == [303] * 4
    assert (WorkUnit.objects.count(), CrowdWorker.objects.count()) == (1, 1)
    visitor = Client()
    path = enter(visitor, link)
    visitor.post(path + "consent/", {"version": "1", "agree": "1"})
    assert twice(lambda: Client().post(path + "begin/")) == [303] * 2
    assert Slot.objects.filter(state=Slot.State.LEASED).count() == 6
    while "uuid" in (fields := read_hidden(read_page(visitor.get(path)))):
        form = {**fields, "grade": "2"}
        assert twice(lambda form=form: Client().post(path + "answer/", form)) == [303] * 2
    assert Judgment.objects.count() == 6
    assert twice(*[lambda: Client().post(path + "finish/")] * 2) == [303] * 4
    assert Payment.objects.count() == 1


@at_once
def test_workers_who_arrive_at_once_do_not_exceed_the_limits(study):
    """Many arrivals at once: the study's limit holds; each worker is one worker."""
    Study.objects.update(max_units=3)
    links = [make_task(study, worker=f"p{n % 6}", uid=f"s{n % 6}") for n in range(12)]

    codes = run_at_once(lambda link: Client().get(link).status_code, links)
    assert WorkUnit.objects.count() == 3
    assert CrowdWorker.objects.count() == 3
    assert sorted(codes) == [303] * 6 + [409] * 6


def test_a_redirect_target_outside_the_allow_list_is_refused(visitor, study):
    """Redirect target outside the allow-list: refused at the door, never in any form or policy."""
    platform = "https://sandbox.example/externalSubmit"
    Study.objects.update(
        provider="external",
        unit_size=1,
        gold_per_unit=1,
        provider_settings={"platforms": f"sandbox {platform}", "platform": "sandbox"},
    )
    door = make_task(study).partition("?")[0]
    query = {"assignmentId": "A1", "hitId": "H", "workerId": "W1"}
    for target in ("//evil.example", "https://sandbox.example@evil.example/", "javascript:x"):
        bad = visitor.get(f"{door}?{urlencode({**query, 'turkSubmitTo': target})}")
        assert bad.status_code == 403
    assert not CrowdWorker.objects.exists()
    good = {**query, "turkSubmitTo": "https://sandbox.example"}
    path = work(visitor, f"{door}?{urlencode(good)}")
    evil = "https://evil.example/"
    response = visitor.get(path + "end/", {"turkSubmitTo": evil, "return": evil})
    page, policy = read_page(response), response["Content-Security-Policy"]
    assert f'action="{platform}"' in page
    assert read_hidden(page) == {"assignmentId": "A1", "receipt": WorkUnit.objects.get().receipt}
    assert "evil" not in page + policy
    form_action = re.search(r"form-action ([^;]*)", policy)[1].split()
    assert "https://sandbox.example" in form_action
    assert set(form_action) <= {"'self'", "https://sandbox.example"}
    assert "frame-ancestors https://sandbox.example" in policy
    assert "X-Frame-Options" not in response
    assert not response.cookies


@pytest.mark.parametrize("markup", ["text", "html"])
def test_previews_of_external_questions_claim_nothing(visitor, study, markup):
    """Preview claims nothing, even with a worker ID in the address, and tells no whole document."""
    sample = study.plan.pool.items.order_by("pk").first()
    documents = Document.objects.filter(docno=sample.docno)
    documents.update(format=markup, body="<p>apples last\n\n</p>" * 50_000)
    Study.objects.update(
        provider="external",
        provider_settings={"platforms": "live https://work.example/x", "platform": "live"},
    )
    door = make_task(study).partition("?")[0]
    query = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H", "workerId": "W1"}
    before = list_counts()
    answer = visitor.get(f"{door}?{urlencode(query)}")
    assert (answer.status_code, len(answer.content) < 50_000) == (200, True)
    assert "apples last" in read_page(answer)
    assert "The text goes on" in read_page(answer)
    assert list_counts() == before


def test_leaving_mid_way_returns_the_documents(visitor, study):
    """Leaving mid-way: when the time is up the lease returns, and others get the documents."""
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    answer(visitor, path)
    answer(visitor, path)
    judged = Judgment.objects.count()
    past = timezone.now() - timedelta(seconds=1)
    WorkUnit.objects.update(closes_at=past)
    other = enter(Client(), make_task(study, worker="p2", uid="s2"))  # the door looks after it
    unit = WorkUnit.objects.order_by("pk").first()
    assert (unit.state, judged) == (State.ABANDONED, 2)
    assert not Slot.objects.filter(state=Slot.State.LEASED).exists()
    assert Payment.objects.get().judged == 2
    visitor.post(other + "consent/", {"version": "1", "agree": "1"})
    assert visitor.post(other + "begin/").status_code == 303
    assert Slot.objects.filter(state=Slot.State.LEASED).count() == 6


def test_a_unit_is_opened_by_no_other_name(visitor, study):
    """Forged address of a unit: its public ID alone, a number, or a token of another salt."""
    path = enter(visitor, make_task(study))
    unit = WorkUnit.objects.get()
    token = path.split("/")[3]
    other = ("0" if token[0] != "0" else "1") + token[1:]
    for name in (str(unit.public_id), unit.public_id.hex, str(unit.pk), token[:-1], token + "0",
                 token.replace(".", ":"), f"{uuid4().hex}.{token.partition('.')[2]}",
                 other):  # fmt: skip
        response = visitor.get(f"/w/unit/{name}/")
        assert response.status_code == 404
    assert "no task" in read_page(response)
    assert not response.cookies
