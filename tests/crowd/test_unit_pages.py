"""A worker's way through a unit, page by page, without cookies."""

import re
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns import store
from campaigns.models import Document
from crowd.models import CrowdWorker, Payment, Study, WorkUnit
from crowd.queries.unit_pages import find_shown_document
from judging.models import Judgment, Purpose, Slot
from tests.crowd.visiting import answer, begin, read_hidden
from tests.crowd.worker_study import QUESTION, make_door_link, make_practice, make_unit, unit_path
from tests.pages import read_page
from tests.pdf_documents import turn_into_pdfs
from tests.pdf_files import pdf

State = WorkUnit.State


@pytest.fixture
def unit(study):
    return make_unit(study)


@pytest.fixture
def path(unit):
    return unit_path(unit)


@pytest.fixture
def visitor():
    """A browser that checks CSRF as a real one would, and keeps cookies if it gets any."""
    client = Client(enforce_csrf_checks=True)
    yield client
    assert not client.cookies


def agree(visitor, path):
    return visitor.post(path + "consent/", {"version": "1", "agree": "1"})


def answer_all(visitor, path, unit, grade="2"):
    unit.refresh_from_db()
    for _ in range(unit.size):
        assert answer(visitor, path, grade).status_code == 303


def test_the_way_from_the_link_to_the_code(visitor, study):
    response = visitor.get(make_door_link(study))
    assert response.status_code == 303
    path = response["Location"]
    assert visitor.get(path)["Location"] == path + "consent/"
    page = read_page(visitor.get(path + "consent/"))
    for told in ("Apples in winter", "3.00 EUR", "about 3 minutes", "We ask you to read."):
        assert told in page
    assert agree(visitor, path)["Location"] == path
    assert "Ready to start" in read_page(visitor.get(path))
    assert visitor.post(path + "begin/")["Location"] == path
    page = read_page(visitor.get(path))
    assert "Document 1 of 6" in page
    assert QUESTION in page
    unit = WorkUnit.objects.get()
    answer_all(visitor, path, unit)
    assert "All answers are in" in read_page(visitor.get(path))
    assert visitor.post(path + "finish/")["Location"] == path + "end/"
    unit.refresh_from_db()
    assert (unit.state, unit.consent_version) == (State.COMPLETE, 1)
    assert len(unit.receipt) == 32
    first, again = visitor.get(path + "end/"), visitor.get(path)
    assert unit.receipt in read_page(first)
    assert again["Location"] == path + "end/"
    assert Payment.objects.get().amount == 3
    kinds = Judgment.objects.filter(unit=unit).values_list("purpose", "source")
    assert sorted(kinds) == [("gold", "crowd")] * 2 + [("judge", "crowd")] * 4


def test_nothing_goes_before_consent(visitor, unit, path):
    for step in ("begin/", "answer/", "finish/", "practice/"):
        visitor.post(path + step, {"grade": "1", "token": uuid4(), "uuid": uuid4()})
    unit.refresh_from_db()
    assert (unit.state, unit.consented_at) == (State.OFFERED, None)
    assert not Judgment.objects.filter(unit=unit).exists()
    assert visitor.post(path + "begin/").status_code == 409


@pytest.mark.parametrize("form", [{"version": "1"}, {"version": "0", "agree": "1"}, {"agree": "1"}])
def test_consent_is_the_tick_and_the_version_shown(visitor, unit, path, form):
    assert visitor.post(path + "consent/", form).status_code == 409
    unit.refresh_from_db()
    assert unit.consented_at is None


def test_who_does_not_want_to_take_part_goes_back(visitor, unit, path):
    assert "/leave/" in read_page(visitor.get(path + "consent/"))
    assert visitor.post(path + "leave/")["Location"] == path + "end/"
    page = read_page(visitor.get(path + "end/"))
    assert "You did not take part" in page
    assert "FAKE-FAILED" in page
    unit.refresh_from_db()
    assert unit.state == State.ABANDONED
    assert not Payment.objects.exists()


def test_practice_shows_the_right_answer_and_then_opens_the_work(visitor, study, unit, path):
    make_practice(study, [2, 0], needed=1)
    assert "You start with 2 practice texts. You need 1 right to go on." in read_page(
        visitor.get(path + "consent/")
    )
    agree(visitor, path)
    assert visitor.post(path + "begin/").status_code == 409
    page = read_page(visitor.get(path + "practice/"))
    assert "Practice 1 of 2" in page
    response = visitor.post(path + "practice/", {**read_hidden(page), "grade": "1"})
    assert response["Location"] == path + "practice/?answer=1"
    page = read_page(visitor.get(response["Location"]))
    assert "Not quite" in page
    assert "It names the <em>place</em> to keep them." in page
    page = read_page(visitor.get(path + "practice/"))
    response = visitor.post(path + "practice/", {**read_hidden(page), "grade": "0"})
    assert "That is right" in read_page(visitor.get(response["Location"]))
    assert set(Judgment.objects.values_list("purpose", flat=True)) == {Purpose.TRAINING}
    assert "Practice passed: 1 of 2 right" in read_page(visitor.get(path))
    assert visitor.post(path + "begin/")["Location"] == path
    unit.refresh_from_db()
    assert (unit.state, unit.size) == (State.STARTED, 6)


def test_failed_practice_ends_with_thanks_and_pay(visitor, study, unit, path):
    make_practice(study, [2, 0], needed=2)
    agree(visitor, path)
    for _ in range(2):
        page = read_page(visitor.get(path + "practice/"))
        response = visitor.post(path + "practice/", {**read_hidden(page), "grade": "2"})
    assert "Not quite" in read_page(visitor.get(response["Location"]))
    assert visitor.get(path)["Location"] == path + "end/"
    page = read_page(visitor.get(path + "end/"))
    assert "You had 1 of 2 practice texts right. To go on you needed 2." in page
    payment = Payment.objects.get()
    assert payment.amount < Decimal("0.10")  # for the seconds that it took
    assert f"{payment.amount} EUR" in page
    assert "FAKE-SCREENED" in page
    unit.refresh_from_db()
    assert unit.state == State.SCREENED_OUT
    assert CrowdWorker.objects.get().state == CrowdWorker.State.SCREENED_OUT
    assert not Slot.objects.exclude(state=Slot.State.OPEN).exists()
    refused = visitor.get(make_door_link(study, session="s2"))
    assert refused.status_code == 409
    assert "did not pass the practice" in read_page(refused)


def test_back_by_one_is_a_new_revision(visitor, unit, path):
    begin(visitor, path)
    answer(visitor, path, "0")
    page = read_page(visitor.get(path + "?back=1"))
    assert "Document 1 of 6" in page
    assert re.search(r'value="0"[^>]*aria-pressed="true"', page)
    assert visitor.post(path + "answer/", {**read_hidden(page), "grade": "3"}).status_code == 303
    rows = Judgment.objects.filter(unit=unit).order_by("pk").values_list("revision", "grade")
    assert list(rows) == [(1, 0), (2, 3)]
    assert "Document 2 of 6" in read_page(visitor.get(path))


def test_next_takes_six_queries_and_submit_eight(visitor, unit, path):
    begin(visitor, path)
    answer(visitor, path)
    with CaptureQueriesContext(connection) as following:
        fields = read_hidden(read_page(visitor.get(path)))
    with CaptureQueriesContext(connection) as submit:
        assert visitor.post(path + "answer/", {**fields, "grade": "2"}).status_code == 303
    # With the two of its transaction, and on PostgreSQL the lock of judging.
    counts = len(following), len(submit)
    assert counts == (6, 8 if connection.vendor == "postgresql" else 7)
    latest = Judgment.objects.latest("pk")
    assert (latest.revision, latest.rank_shown, latest.third) == (1, 2, False)
    document = Document.objects.get(campaign=latest.campaign_id, docno=latest.docno)
    assert latest.document_sha256 == document.sha256 != ""


def test_a_text_that_cannot_be_judged_needs_a_reason(visitor, unit, path):
    begin(visitor, path)
    fields = read_hidden(read_page(visitor.get(path)))
    bare = visitor.post(path + "answer/", {**fields, "cannot": "1"})
    assert bare.status_code == 409
    assert "Please choose a reason." in read_page(bare)
    assert not Judgment.objects.filter(unit=unit).exists()
    done = visitor.post(path + "answer/", {**fields, "cannot": "1", "reason": "broken"})
    assert done.status_code == 303
    skip = Judgment.objects.get(unit=unit)
    assert (skip.kind, skip.reason) == ("skip", "broken")
    assert "Document 2 of 6" in read_page(visitor.get(path))
    assert "Document 1 of 6" in read_page(visitor.get(path + "?back=1"))


def test_leaving_and_coming_back_goes_on(visitor, study, unit, path):
    begin(visitor, path)
    answer(visitor, path)
    response = Client().get(make_door_link(study))
    assert "Document 2 of 6" in read_page(Client().get(response["Location"]))
    assert WorkUnit.objects.count() == 1


def test_stopping_is_paid_pro_rata_and_frees_the_texts(visitor, unit, path):
    begin(visitor, path)
    answer(visitor, path)
    answer(visitor, path)
    page = read_page(visitor.get(path + "leave/"))
    assert "You have answered 2 of 6 texts." in page
    assert "We pay 1.00 EUR for what you have done." in page
    visitor.post(path + "leave/")
    assert Payment.objects.get().amount == 1
    assert "1.00 EUR" in read_page(visitor.get(path + "end/"))
    assert not Slot.objects.filter(state=Slot.State.LEASED).exists()


def test_when_the_time_is_up_the_unit_ends_by_itself(visitor, unit, path):
    begin(visitor, path)
    answer(visitor, path)
    past = timezone.now() - timedelta(seconds=1)
    WorkUnit.objects.filter(pk=unit.pk).update(closes_at=past)
    assert visitor.get(path)["Location"] == path + "end/"
    unit.refresh_from_db()
    assert (unit.state, unit.reason) == (State.ABANDONED, "time is up")
    assert Payment.objects.get().amount == pytest.approx(0.5)


def test_a_paused_study_lets_nobody_begin_but_everybody_finish(visitor, study, unit, path):
    Study.objects.update(unit_size=1, gold_per_unit=1)
    begin(visitor, path)
    Study.objects.update(state=Study.State.PAUSED)
    answer_all(visitor, path, unit)
    assert visitor.post(path + "finish/")["Location"] == path + "end/"
    Study.objects.update(state=Study.State.RUNNING)
    other = make_unit(study, "p2", "s2")
    Study.objects.update(state=Study.State.PAUSED)
    agree(visitor, unit_path(other))
    assert visitor.post(unit_path(other) + "begin/").status_code == 409


def test_without_work_left_the_worker_is_told_so(visitor, unit, path):
    Slot.objects.all().delete()
    begin(visitor, path)
    unit.refresh_from_db()
    assert unit.state == State.REFUSED
    assert "There is no work for you right now" in read_page(visitor.get(path + "end/"))


def test_a_preview_shows_the_task(visitor, study):
    make_practice(study, [2], needed=1)
    page = read_page(visitor.get(make_door_link(study, preview=True)))
    for told in ("Apples in winter", QUESTION, "Read the question first.", "part of the answer"):
        assert told in page


@pytest.mark.parametrize("name", ["", "consent/", "practice/", "instructions/", "leave/", "end/"])
def test_pages_have_strict_headers_and_set_no_cookie(visitor, path, name):
    response = visitor.get(path + name)
    assert not response.cookies
    assert response["Cache-Control"] == "private, no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Frame-Options"] == "DENY"
    policy = response["Content-Security-Policy"]
    for part in ("default-src 'none'", "frame-ancestors 'none'", "script-src 'self'"):
        assert part in policy
    assert settings.SESSION_COOKIE_NAME not in visitor.cookies


@pytest.mark.parametrize(
    "form", [{}, {"grade": "x"}, {"grade": "99"}, {"grade": "1", "token": "x"}, {"uuid": ""}]
)
def test_a_damaged_form_shows_the_text_again(visitor, unit, path, form):
    begin(visitor, path)
    fields = read_hidden(read_page(visitor.get(path)))
    response = visitor.post(path + "answer/", {**fields, **form})
    assert response.status_code == 409
    assert "Document 1 of 6" in read_page(response)
    assert not Judgment.objects.filter(unit=unit).exists()


@pytest.mark.parametrize("name", ["answer/", "begin/", "finish/"])
def test_a_reloaded_form_leads_to_the_step_at_hand(visitor, path, name):
    response = visitor.get(path + name)
    assert (response.status_code, response["Location"]) == (303, path)
    assert not response.cookies


@pytest.mark.parametrize(
    ("kind", "policy"), [("pdf", "default-src 'none';"), ("image", "sandbox; default-src")]
)
def test_a_file_shows_in_a_frame_of_our_own_pages(visitor, path, monkeypatch, kind, policy):
    document = Document(
        format=kind, media_type="application/pdf", file=store.put_blob(b"%PDF-1.7", ".pdf")
    )
    monkeypatch.setattr("crowd.views.unit.find_shown_document", lambda *_args: document)
    response = visitor.get(path + "file/1/")
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert response["Content-Security-Policy"].startswith(policy)
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]
    assert b"".join(response.streaming_content) == b"%PDF-1.7"


def test_a_pdf_is_its_pages_with_their_text(visitor, study, unit, path):
    begin(visitor, path)
    docno = find_shown_document(unit, 1).docno
    turn_into_pdfs(study.campaign, {docno: pdf(*[f"red apple {n}" for n in range(1, 9)])})
    page = read_page(visitor.get(path))
    assert (page.count('class="pdf-page"'), page.count("<iframe")) == (8, 0)
    assert f'src="{path}file/1/?page=8"' in page
    assert (page.count("red apple 8"), docno in page) == (1, False)
    picture = visitor.get(f"{path}file/1/?page=8")
    assert (picture["Content-Type"], picture.content[:4]) == ("image/webp", b"RIFF")
    assert "no-store" in picture["Cache-Control"]
    for wrong in ("page=9", "page=x", "page=0"):
        answer = visitor.get(f"{path}file/1/?{wrong}")
        assert (answer.status_code, dict(answer.cookies)) == (404, {})


def test_a_pdf_of_practice_is_its_text(visitor, study, path):
    (pair,) = make_practice(study, [2], needed=1)
    turn_into_pdfs(study.campaign, {pair.docno: pdf("red apple 1", "green apple 2")})
    agree(visitor, path)
    page = read_page(visitor.get(path + "practice/"))
    assert (page.count("<iframe"), page.count("green apple 2")) == (0, 1)


def test_a_file_that_is_none_is_refused_without_a_cookie(visitor, unit, path):
    begin(visitor, path)
    for position in (0, 1, 2, 99):
        response = visitor.get(f"{path}file/{position}/")
        assert response.status_code == 404
        assert not response.cookies
