"""What workers, platforms and strangers may try. Each test names the attack in its docstring.

All go over HTTP through the real door, without cookies, as a browser would.
"""

from __future__ import annotations

import re
import time
from datetime import timedelta
from urllib.parse import parse_qsl, quote, urlencode
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from campaigns.models import User
from crowd.models import CrowdWorker, GoldPair, Payment, Study, WorkUnit
from crowd.services.keys import make_link, retire_link_key, rotate_link_key
from judging.models import Exclusion, Judgment, Purpose, Slot
from judging.queries.exclusions import counting_judgments
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


def test_same_worker_with_two_assignments_never_gets_the_same_pair(visitor, study):
    """Same worker, two assignments: never the same pair."""
    for uid in ("s1", "s2"):
        work(visitor, make_task(study, uid=uid))
    rows = Judgment.objects.filter(revision=1).values_list("docno", flat=True)
    assert len(rows) == 12
    assert len(set(rows)) == 12
    assert CrowdWorker.objects.count() == 1
    assert Payment.objects.count() == 2


def test_two_assignments_at_once_are_refused(visitor, study):
    """Same worker, two assignments at the same time: the second waits for the first."""
    path = enter(visitor, make_task(study, uid="s1"))
    begin(visitor, path)
    refused = visitor.get(make_task(study, uid="s2"))
    assert refused.status_code == 409
    assert "Finish that one first" in read_page(refused)
    assert WorkUnit.objects.count() == 1


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


def test_clock_skew_is_allowed_for(visitor, study):
    """Clock skew: a link that ran out a minute ago still opens, one of five minutes does not."""
    assert visitor.get(make_task(study, minutes=-1)).status_code == 303
    assert visitor.get(make_task(study, worker="p2", uid="s2", minutes=-5)).status_code == 403


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(["wid", "uid", "exp", "kid", "sig"]), value=st.text(max_size=60))
def test_any_tampered_parameter_is_refused(study, name, value):
    """Tampered parameter, each one: refused, and nothing is created."""
    path, _, text = make_task(study).partition("?")
    query = dict(parse_qsl(text))
    assume(query[name] != value and "\0" not in value)
    assume(all(not 0xD800 <= ord(sign) <= 0xDFFF for sign in value))
    changed = urlencode({**query, name: value}, quote_via=quote)
    response = Client().get(f"{path}?{changed}")
    assert response.status_code == 403
    assert not CrowdWorker.objects.exists()


@pytest.mark.parametrize("more", ["&wid=p2", "&wid=p1", "&mode=preview", "&x=1", "&sig=0", "&%ff"])
def test_an_added_parameter_is_refused(visitor, study, more):
    """Tampered parameter: added, or twice."""
    assert visitor.get(make_task(study) + more).status_code == 403
    assert not CrowdWorker.objects.exists()


def test_a_retired_key_opens_nothing_and_a_rotated_one_still_does(visitor, study, organizer):
    """Key rotation: links of the old key work until it retires, then no more."""
    Study.objects.update(provider="generic")
    study.refresh_from_db()
    old = rotate_link_key(actor=organizer, study=study)
    soon = timezone.now() + timedelta(hours=1)
    first = make_link(study=study, worker="p1", unit="s1", expires=soon)
    rotate_link_key(actor=organizer, study=study)
    second = make_link(study=study, worker="p2", unit="s2", expires=soon)
    assert [visitor.get(link).status_code for link in (first, second)] == [303, 303]
    retire_link_key(actor=organizer, study=study, kid=old.kid)
    assert [visitor.get(link).status_code for link in (first, second)] == [403, 303]


def test_the_fake_platform_opens_no_running_study_of_another_provider(visitor, study):
    """A trial link on a study that runs for real."""
    link = make_task(study)
    Study.objects.update(provider="prolific")
    assert visitor.get(link).status_code == 403
    Study.objects.update(state=Study.State.DRAFT)
    assert visitor.get(link).status_code == 303
    assert WorkUnit.objects.get().trial


def test_completion_twice_is_one_payment_row(visitor, study):
    """Completion twice: one payment row, one receipt."""
    path = work(visitor, make_task(study))
    receipt = WorkUnit.objects.get().receipt
    for _ in range(3):
        assert visitor.post(path + "finish/").status_code == 303
    assert Payment.objects.count() == 1
    assert WorkUnit.objects.get().receipt == receipt


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
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    pages = []
    while "uuid" in (fields := read_hidden(read_page(visitor.get(path)))):
        pages.append(fields)
        answer(visitor, path)
    visitor.post(path + "finish/")
    log = list(Judgment.objects.order_by("pk").values())
    for fields in pages:
        for uuid in (fields["uuid"], str(uuid4())):
            again = visitor.post(path + "answer/", {**fields, "uuid": uuid, "grade": "0"})
            assert again["Location"] == path + "end/"
    assert visitor.get(path + "?back=1")["Location"] == path + "end/"
    for step in ("begin/", "consent/", "leave/", "finish/"):
        visitor.post(path + step, {"version": "1", "agree": "1"})
    assert list(Judgment.objects.order_by("pk").values()) == log
    assert WorkUnit.objects.get().state == State.COMPLETE
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


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "https://sandbox.example@evil.example/",
     "javascript:alert(1)"],
)  # fmt: skip
def test_a_redirect_target_outside_the_allow_list_is_refused(visitor, study, target):
    """Redirect target outside the allow-list: refused at the door, never in any form or policy."""
    platform = "https://sandbox.example/externalSubmit"
    Study.objects.update(
        provider="external",
        provider_settings={"platforms": f"sandbox {platform}", "platform": "sandbox"},
    )
    door = make_task(study).partition("?")[0]
    query = {"assignmentId": "A1", "hitId": "H", "workerId": "W1"}
    bad = visitor.get(f"{door}?{urlencode({**query, 'turkSubmitTo': target})}")
    assert bad.status_code == 403
    assert not CrowdWorker.objects.exists()
    good = {**query, "turkSubmitTo": "https://sandbox.example"}
    path = work(visitor, f"{door}?{urlencode(good)}")
    response = visitor.get(path + "end/", {"turkSubmitTo": target, "return": target})
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


def test_previews_of_external_questions_claim_nothing(visitor, study):
    """Preview claims nothing, even with a worker ID in the address."""
    Study.objects.update(
        provider="external",
        provider_settings={"platforms": "live https://work.example/x", "platform": "live"},
    )
    door = make_task(study).partition("?")[0]
    query = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H", "workerId": "W1"}
    before = list_counts()
    assert visitor.get(f"{door}?{urlencode(query)}").status_code == 200
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


def test_a_worker_blocked_after_gold_failure(visitor, study):
    """Worker blocked after gold failure: judgments kept, flagged, slots reopened."""
    Study.objects.update(stop_after=3, stop_below=0.9, gold_per_unit=4)
    GoldPair.objects.update(grade=0)
    path = enter(visitor, make_task(study))
    begin(visitor, path)
    for _ in range(8):
        if WorkUnit.objects.get().is_over:
            break
        answer(visitor, path, "3")
    unit, worker = WorkUnit.objects.get(), CrowdWorker.objects.get()
    assert unit.state == State.SCREENED_OUT
    assert worker.state == CrowdWorker.State.EXCLUDED
    rows = Judgment.objects.filter(unit=unit)
    assert rows.filter(purpose=Purpose.GOLD).count() == 3
    assert rows.exists()
    assert not rows.filter(counting_judgments()).exists()
    assert Exclusion.objects.get().worker == worker
    wanted = Slot.objects.filter(purpose=Purpose.JUDGE)
    assert wanted.count() == 24
    assert not wanted.exclude(state=Slot.State.OPEN, assessor=None).exists()
    assert visitor.get(path)["Location"] == path + "end/"
    refused = visitor.get(make_task(study, uid="s2"))
    assert refused.status_code == 409


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
