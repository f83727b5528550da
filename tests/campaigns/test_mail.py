"""Mails: who gets which letter, what it says and does not say, and how it is sent."""

from __future__ import annotations

import re
from datetime import timedelta
from smtplib import SMTPConnectError, SMTPDataError, SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core import mail as django_mail
from django.core.exceptions import PermissionDenied
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.test import Client
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ConfirmationNeeded
from campaigns.models import Campaign, Event, Mail, Member, Role, Team, User
from campaigns.models.mail import MAIL_KINDS, REMINDERS
from campaigns.queries.mail import summarize_mails
from campaigns.services import mail as service
from campaigns.services.campaigns import reopen_submissions, update_campaign
from campaigns.services.errata import correct_texts
from campaigns.services.mail import queue_mail, send_queued_mails
from campaigns.services.messages import send_message
from campaigns.services.reminder_links import make_reminder_url
from campaigns.services.reminders import queue_run_reminders
from evaluation.services.release import release_scores
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.reminders import queue_judging_reminders
from tests.confirming import confirm
from tests.conftest import on_layers
from tests.pages import read_words
from tests.refusals import refusing
from tests.world.people import joined
from tests.world.site import submit

DAY = timedelta(days=1)
pool = on_layers("pool", "campaign")
plan = on_layers("plan", "campaign", "assessor", "pool")
double_plan = on_layers("double_plan", "campaign", "assessor", "assessor2", "pool")
disputes = on_layers("disputes", "double_plan")


@pytest.fixture(autouse=True)
def _addresses(db, request):
    """Everybody of the small campaign has an address."""
    for fixture in ("organizer", "participant", "rival", "assessor", "assessor2"):
        if fixture in request.fixturenames:
            person = request.getfixturevalue(fixture)
            person.email = f"{person.username}@example.org"
            person.save(update_fields=["email"])


@pytest.fixture
def letter(campaign):
    """``letter(user)``: a queued mail to the user."""

    def make(user: User, **fields) -> Mail:
        given = {"subject": "Subject", "body": "Body\n", "kind": "message", "key": str(user.pk)}
        return Mail.objects.create(
            campaign=campaign, user=user, address=user.email, **(given | fields)
        )

    return make


class BrokenBackend(EmailBackend):
    """Raises what a test puts into ``errors``, in turn."""

    errors: dict[str, list[Exception]] = {}

    def open(self):
        self.fail("open")

    def send_messages(self, messages):
        self.fail("send")
        return super().send_messages(messages)

    def fail(self, at: str) -> None:
        if self.errors.get(at):
            raise self.errors[at].pop(0)


@pytest.fixture
def server(settings, monkeypatch):
    settings.EMAIL_BACKEND = f"{__name__}.BrokenBackend"
    monkeypatch.setattr(BrokenBackend, "errors", {})
    return BrokenBackend.errors


def read_kinds(user: User) -> list[str]:
    return list(Mail.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


# What acts queue.


def test_a_team_reads_that_its_run_was_accepted_and_no_other_team_does(participant, rival, team):
    run = submit(participant, team, "alpha-one", {"1": "d1 d2"})
    told = Mail.objects.get()
    assert (told.user, told.kind, told.address) == (
        participant, "run_accepted", "participant@example.org",
    )  # fmt: skip
    assert told.subject == "Run alpha-one accepted: Small Task"
    assert f"http://localhost:8000/c/small/runs/{run.pk}/" in told.body
    assert "member of a team in Small Task" in told.body


def test_a_rejected_run_has_its_first_error_in_plain_text(participant, team):
    submit(participant, team, "a<b>&c", {"99": "d1"})
    told = Mail.objects.get()
    assert (told.kind, told.subject) == ("run_rejected", "Run a<b>&c rejected: Small Task")
    assert "the check found 2 errors" in told.body
    assert "a<b>&c.txt:1:15: E05 Invalid run tag: a<b>&c." in told.body
    assert "&amp;" not in told.body


def test_an_act_that_is_undone_queues_nothing(participant, team):
    with transaction.atomic():
        submit(participant, team, "alpha-one", {"1": "d1 d2"})
        transaction.set_rollback(True)
    assert not Mail.objects.exists()


def test_a_later_deadline_is_told_to_those_who_have_it(campaign, organizer, participant, rival):
    now = timezone.now()
    Campaign.objects.update(runs_deadline=now - DAY)
    campaign.refresh_from_db()
    given = {"actor": organizer, "campaign": campaign}
    reopen_submissions(**given, until=now + 9 * DAY)
    reopen_submissions(
        **given, until=now + 20 * DAY, team=campaign.teams.get(name=rival_team(rival))
    )
    update_campaign(**given, runs_deadline=now + 10 * DAY)
    assert read_kinds(participant) == ["submissions_reopened", "submissions_extended"]
    assert read_kinds(rival) == [
        "submissions_reopened", "submissions_extended", "submissions_extended",
    ]  # fmt: skip
    assert f"{now + 20 * DAY:%Y}" in Mail.objects.filter(user=rival)[1].body


def rival_team(user: User) -> str:
    return user.memberships.get().team.name


def test_a_correction_reaches_those_whom_it_concerns(
    campaign, organizer, participant, plan, assessor, assessor2
):
    given = {"actor": organizer, "campaign": campaign, "reason": "A typo."}
    correct_texts(**given, kind="topic", name="1", texts={"title": "first"})
    assert read_kinds(participant) == read_kinds(assessor) == ["text_corrected"]
    assert read_kinds(assessor2) == []
    told = Mail.objects.filter(user=assessor).get()
    assert told.subject == "Correction, Topic 1: Small Task"
    assert "Reason: A typo." in told.body
    assert "/c/small/setup/errata/#c1" in told.body
    correct_texts(**given, kind="grade", name="1", texts={"meaning": "new"})
    assert (len(read_kinds(participant)), len(read_kinds(assessor2))) == (1, 1)


def test_adjudicators_of_a_round_are_asked(campaign, organizer, disputes, restore):
    adjudicator = restore("adjudicator")
    pairs = list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False)
    open_round(actor=organizer, campaign=campaign, pairs=pairs, adjudicators=[adjudicator])
    told = Mail.objects.get()
    assert (told.user, told.state) == (adjudicator, Mail.State.NO_ADDRESS)
    assert f"with {len(pairs)} documents" in " ".join(told.body.split())
    assert "/c/small/adjudicate/" in told.body


def test_released_scores_wait_and_no_mail_has_one(participant, rival, organizer, score_set):
    Mail.objects.all().delete()
    release_scores(actor=organizer, score_set=score_set)
    assert send_queued_mails() == 0
    assert read_kinds(participant) == read_kinds(rival) == ["scores_released"]
    text = "".join(Mail.objects.values_list("body", flat=True))
    assert not re.search(r"0\.\d|alpha|beta", text, re.IGNORECASE)
    assert service.cancel_mails(kind="scores_released", key=f"score set {score_set.pk}") == 2
    Mail.objects.update(send_after=timezone.now())
    assert send_queued_mails() == 0


# Reminders.


def test_teams_are_reminded_twice_before_their_deadline(campaign, participant, rival):
    now = timezone.now()
    Campaign.objects.update(runs_deadline=now + 3 * DAY + timedelta(minutes=1))
    assert queue_run_reminders() == 0
    Campaign.objects.update(runs_deadline=now + 2 * DAY)
    Team.objects.filter(members__user=rival).update(runs_deadline=now + 9 * DAY)
    assert [queue_run_reminders(), queue_run_reminders()] == [1, 0]
    assert read_kinds(participant) == ["runs_deadline"]
    Campaign.objects.update(runs_deadline=now + DAY)
    Team.objects.filter(members__user=rival).update(runs_deadline=now + DAY / 2)
    assert [queue_run_reminders(), queue_run_reminders()] == [2, 0]
    assert "0 accepted runs. The limit is 5 runs." in " ".join(Mail.objects.last().body.split())
    Campaign.objects.update(runs_deadline=now - DAY)
    Team.objects.update(runs_deadline=None)
    assert queue_run_reminders() == 0


def test_assessors_with_documents_are_reminded_before_judging_closes(plan, assessor, assessor2):
    now = timezone.now()
    Campaign.objects.update(judging_deadline=now + 2 * DAY)
    assert queue_judging_reminders() == 1
    told = Mail.objects.get()
    assert (told.user, told.kind) == (assessor, "judging_deadline")
    assert "About 9 documents" in told.body
    # Looked at once an hour; the same deadline is told once.
    Campaign.objects.update(judging_deadline=now + DAY / 2)
    assert queue_judging_reminders() == 0
    Campaign.objects.update(reminded_at=now - timedelta(hours=1))
    assert queue_judging_reminders() == 1
    Campaign.objects.update(reminded_at=None)
    assert queue_judging_reminders() == 0


def test_documents_that_wait_for_a_week_are_told_once(plan, assessor):
    assert queue_judging_reminders() == 0
    type(plan).objects.update(created_at=timezone.now() - 8 * DAY)
    Campaign.objects.update(reminded_at=None)
    assert queue_judging_reminders() == 1
    assert Mail.objects.get().kind == "documents_wait"
    Campaign.objects.update(reminded_at=None)
    assert queue_judging_reminders() == 0


def test_a_paused_plan_reminds_nobody(plan, assessor):
    type(plan).objects.update(created_at=timezone.now() - 8 * DAY, state="paused")
    assert queue_judging_reminders() == 0


# What a mail is.


@pytest.mark.parametrize("kind", MAIL_KINDS)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_kind_is_a_letter(kind, language, campaign, organizer, team):
    """First line, greeting, one link, and why one gets it; no part of a template is left."""
    organizer.mail_language = language
    erratum = correct_texts(
        actor=organizer, campaign=campaign, kind="topic", name="1", texts={"title": "x"}
    )
    Mail.objects.all().delete()
    at = timezone.now()
    context = {
        "team": team, "tag": "t", "errors": 2, "warnings": 1, "first": "E07 <odd>", "runs": 1,
        "limit": 5, "deadline": at, "until": at, "erratum": erratum, "pairs": 3, "since": at,
        "documents": 4, "subject": "S", "text": "T", "sender": "Ann",
        "qrels": {"version": 2, "pairs": 3, "sha256": "0f"},
    }  # fmt: skip
    queue_mail(kind, [organizer], key="k", campaign=campaign, context=context, path="/p/")
    told = Mail.objects.get()
    start, _, end = told.body.partition("http://localhost:8000/p/")
    assert told.subject
    assert "organizer,\n\n" in start.splitlines(keepends=True)[0] + "\n\n"
    assert end.startswith("\n\n--\n")
    assert end.strip().endswith(".")
    assert "Small Task" in end
    assert not re.search(r"[{%}]|\n\n\n|  |&lt;", told.body)
    assert max(map(len, told.body.splitlines())) <= 72


def test_the_same_occasion_reaches_nobody_twice(campaign, participant, rival):
    User.objects.filter(pk=rival.pk).update(email="")
    people = list(User.objects.filter(pk__in=[participant.pk, rival.pk]))
    for _again in range(2):
        queue_mail("qrels_released", [*people, *people], key="1", campaign=campaign)
    assert Mail.objects.count() == 2
    states = dict(Mail.objects.values_list("user", "state"))
    assert states == {participant.pk: "queued", rival.pk: "no_email"}


def test_nobody_who_cannot_sign_in_gets_mail(campaign, participant):
    participant.is_active = False
    assert queue_mail("qrels_released", [participant], key="1", campaign=campaign) == []


def test_headers_cannot_be_injected(campaign, participant, organizer):
    """Not by a title or a name, nor by an address that no form would take."""
    campaign.title = "Task\r\nBcc: all@example.org\r\n\r\nx"
    queue_mail("scores_released", [participant], key="1", campaign=campaign)
    Mail.objects.create(
        campaign=campaign, user=organizer, address="a@example.org\nBcc: b@example.org",
        kind="message", key="2", subject="s", body="b",
    )  # fmt: skip
    assert send_queued_mails() == 1
    (sent,) = django_mail.outbox
    assert set(sent.message().keys()) == {
        "Content-Type", "MIME-Version", "Content-Transfer-Encoding", "Subject", "From", "To",
        "Date", "Message-ID", "Auto-Submitted",
    }  # fmt: skip
    assert sent.recipients() == ["participant@example.org"]
    assert Mail.objects.get(key="2").state == Mail.State.FAILED


# How mails are sent.


def test_a_mail_is_sent_once(letter, participant):
    told = letter(participant)
    assert [send_queued_mails(), send_queued_mails()] == [1, 0]
    told.refresh_from_db()
    assert (told.state, told.attempts, told.error) == ("sent", 1, "")
    (sent,) = django_mail.outbox
    assert sent.extra_headers["Message-ID"] == f"<poolbench-{told.pk}@localhost>"
    # A second tick that had read the row before does not send it.
    told.state, told.attempts = Mail.State.QUEUED, 0
    assert service.send_mail(told, None) is False


def test_a_canceled_mail_stays_canceled_though_it_was_read_before(letter, participant, server):
    told = letter(participant)
    service.cancel_mails(kind=told.kind, key=told.key)
    assert service.send_mail(told, None) is False


def test_a_tick_sends_so_many_oldest_first(letter, participant, settings):
    settings.POOLBENCH_MAILS_PER_TICK = 2
    at = timezone.now() - timedelta(minutes=9)
    for n in (3, 1, 2):
        letter(participant, key=str(n), subject=str(n), send_after=at + timedelta(seconds=n))
    letter(participant, key="later", send_after=timezone.now() + DAY)
    assert send_queued_mails() == 2
    assert [sent.subject for sent in django_mail.outbox] == ["1", "2"]
    assert [send_queued_mails(), send_queued_mails()] == [1, 0]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (SMTPRecipientsRefused({"x": (550, b"unknown")}), "failed"),
        (SMTPRecipientsRefused({"x": (450, b"busy")}), "queued"),
        (SMTPDataError(554, b"spam"), "failed"),
        (SMTPDataError(451, b"later"), "queued"),
        (SMTPServerDisconnected("gone"), "queued"),
    ],
)
def test_refusals_for_good_fail_at_once_and_others_are_tried_again(
    letter, participant, server, error, state
):
    told = letter(participant)
    server["send"] = [error]
    assert send_queued_mails() == 0
    told.refresh_from_db()
    assert (told.state, told.attempts) == (state, 1)
    assert str(error)[:20] in told.error
    if state == "queued":
        assert told.send_after > timezone.now() + timedelta(minutes=1)
        Mail.objects.update(send_after=timezone.now())
        assert send_queued_mails() == 1


def test_the_fifth_attempt_is_the_last(letter, participant, server):
    told = letter(participant, attempts=4)
    server["send"] = [SMTPDataError(451, b"later")]
    send_queued_mails()
    told.refresh_from_db()
    assert told.state == "failed"


def test_while_the_server_is_away_mails_keep_their_place(letter, participant, server, caplog):
    long_ago = timezone.now() - timedelta(hours=2)
    told = letter(participant, send_after=long_ago, created_at=long_ago)
    server["open"] = [ConnectionRefusedError("refused"), SMTPConnectError(421, b"busy")]
    assert [send_queued_mails(), send_queued_mails()] == [0, 0]
    told.refresh_from_db()
    assert (told.state, told.attempts, told.send_after) == ("queued", 0, long_ago)
    assert "busy" in told.error
    errors = [line.getMessage() for line in caplog.records if line.levelname == "ERROR"]
    assert errors[0] == "1 mails could not be sent for an hour: refused"
    summary = summarize_mails()
    assert (summary["late"], summary["states"]) == (1, {"queued": 1})
    assert 7199 < summary["oldest_seconds"] < 7300
    assert send_queued_mails() == 1


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"POOLBENCH_MAIL_DRY_RUN": True}, "dry_run"),
        ({"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}, "not_sent"),
    ],
)
def test_without_a_server_or_in_a_dry_run_nothing_leaves(
    letter, participant, settings, changes, state, as_user
):
    told = letter(participant, body="Read this.\n")
    for name, value in changes.items():
        setattr(settings, name, value)
    assert send_queued_mails() == 0
    told.refresh_from_db()
    assert told.state == state
    assert django_mail.outbox == []
    client = as_user(participant)
    assert "Read this." in read_words(client.get(f"/account/mail/{told.pk}/"))
    assert "Subject" in read_words(client.get("/account/mail/"))


# Unsubscribing.


def test_a_reminder_ends_all_reminders_and_no_other_mail(letter, participant, rival):
    told = letter(participant, kind="runs_deadline")
    letter(participant, kind="run_rejected")
    assert send_queued_mails() == 2
    reminder, other = sorted(django_mail.outbox, key=lambda sent: -len(sent.extra_headers))
    assert set(other.extra_headers) == {"Message-ID", "Auto-Submitted"}
    url = make_reminder_url(participant)
    assert reminder.extra_headers["List-Unsubscribe"] == f"<{url}>"
    assert reminder.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert url in reminder.body
    assert url not in told.body
    # As the mail program does: no session, no token of a form.
    client = Client(enforce_csrf_checks=True)
    path = url.removeprefix("http://localhost:8000")
    shown = client.get(path)
    assert (shown.status_code, participant.email in shown.content.decode()) == (200, False)
    assert User.objects.get(pk=participant.pk).reminders
    assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not User.objects.get(pk=participant.pk).reminders
    assert User.objects.get(pk=rival.pk).reminders
    participant.refresh_from_db()
    assert queue_mail("runs_deadline", [participant], key="new") == []
    assert len(queue_mail("scores_released", [participant], key="new")) == 1


def test_a_queued_reminder_is_canceled_when_reminders_end(letter, participant):
    told = letter(participant, kind="documents_wait")
    User.objects.update(reminders=False)
    assert send_queued_mails() == 0
    told.refresh_from_db()
    assert told.state == "canceled"


def test_a_cut_or_forged_link_ends_nothing(client, participant):
    for token in (make_reminder_url(participant)[-9:-1], f"{participant.pk}:abc", "x"):
        assert client.post(f"/reminders/{token}/").status_code == 409
    assert User.objects.get(pk=participant.pk).reminders


def test_the_account_switches_reminders_and_language(participant, as_user):
    fields = {"first_name": "", "last_name": "", "email": "p@example.org"}
    as_user(participant).post("/account/", fields | {"mail_language": "de"})
    participant.refresh_from_db()
    assert (participant.reminders, participant.mail_language) == (False, "de")


def test_what_must_arrive_is_no_reminder():
    assert set(MAIL_KINDS) >= REMINDERS
    assert not REMINDERS & {"run_rejected", "scores_released", "text_corrected", "message"}


# The outbox, and messages.


def test_organizers_read_the_outbox_by_state(page, letter, participant, rival):
    letter(participant, subject="To the first")
    letter(rival, subject="To the second", state=Mail.State.FAILED, error="550 <unknown>")
    shown = read_words(page.get("/c/small/people/outbox/?state=failed"))
    assert "To the second" in shown
    assert "To the first" not in shown
    detail = page.get(f"/c/small/people/outbox/{Mail.objects.get(user=rival).pk}/")
    assert "550 <unknown>" in read_words(detail)
    assert "rival@example.org" in read_words(detail)


def test_nobody_reads_the_mail_of_others(
    letter, participant, rival, assessor, as_user, organizer, stranger
):
    told = letter(participant)
    for other in (rival, assessor, stranger, organizer):
        client = as_user(other)
        assert client.get(f"/account/mail/{told.pk}/").status_code == 404
        assert "Subject 1" not in read_words(client.get("/account/mail/"))
        if other != organizer:
            assert not Mail.objects.visible_to(other).exists()
            with pytest.raises(PermissionDenied):
                service.cancel_mail(actor=other, mail=told)
            with pytest.raises(PermissionDenied):
                service.requeue_mail(actor=other, mail=told)


def test_mails_about_an_account_are_on_no_page(participant, organizer, as_user):
    """They have links that open it; who sits at a screen left open must not find them."""
    queue_mail("qrels_released", [participant], key="1", path="/secret-link/")
    assert not Mail.objects.visible_to(participant).exists()
    assert as_user(participant).get(f"/account/mail/{Mail.objects.get().pk}/").status_code == 404
    with pytest.raises(PermissionDenied):
        service.cancel_mail(actor=organizer, mail=Mail.objects.get())


def test_a_queued_mail_is_canceled_alone_or_with_its_occasion(page, letter, participant, rival):
    mails = [letter(who, key="same") for who in (participant, rival)]
    letter(participant, key="other")
    url = f"/c/small/people/outbox/{mails[0].pk}"
    assert page.post(f"{url}/cancel/").status_code == 302
    assert Mail.objects.filter(state="canceled").count() == 1
    assert page.post(f"{url}/cancel/").status_code == 409
    assert page.post(f"{url}/cancel/", {"all": "1"}).status_code == 302
    assert Mail.objects.filter(state="queued").count() == 1
    logged = Event.objects.filter(code="mail.canceled")
    assert [event.data for event in logged] == [{"mails": 1}] * 2


def test_a_failed_mail_is_sent_again_to_the_present_address(page, letter, participant):
    told = letter(participant, state=Mail.State.FAILED, attempts=5, error="550")
    User.objects.filter(pk=participant.pk).update(email="new@example.org")
    assert page.post(f"/c/small/people/outbox/{told.pk}/again/").status_code == 302
    assert send_queued_mails() == 1
    assert django_mail.outbox[0].to == ["new@example.org"]
    assert page.post(f"/c/small/people/outbox/{told.pk}/again/").status_code == 409


MESSAGE = {"to": "teams", "subject": "New <data>", "text": "First line\n\nSecond & last"}


def test_a_message_is_previewed_and_then_sent(page, campaign, organizer, participant, rival):
    url = "/c/small/people/outbox/new/"
    User.objects.filter(pk=rival.pk).update(email="")
    preview = page.post(url, MESSAGE)
    words = read_words(preview)
    assert "Send this message to 2 people?" in words
    assert "participant, rival" in words
    assert "New <data>" in words
    assert "rival: they find the message on their account page" in words
    assert "organizer@example.org" in words
    assert not Mail.objects.exists()
    answer = confirm(page, url, MESSAGE)
    assert (answer.status_code, answer["Location"]) == (302, "/c/small/people/outbox/")
    assert dict(Mail.objects.values_list("user__username", "state")) == {
        "participant": "queued", "rival": "no_email",
    }  # fmt: skip
    assert send_queued_mails() == 1
    (sent,) = django_mail.outbox
    assert sent.subject == "New <data>"
    assert "Dear participant,\n\nFirst line\n\nSecond & last\n" in sent.body
    assert sent.reply_to == ["organizer@example.org"]
    assert "rival" not in sent.message().as_string()
    event = Event.objects.get(code="message.sent")
    assert event.data["people"] == ["participant", "rival"]
    assert ["Text", "First line\n\nSecond & last"] in event.data["confirmed"]["consequences"]


def test_a_preview_is_out_of_date_when_somebody_joins(campaign, organizer, participant, team):
    given = {"actor": organizer, "campaign": campaign, "audience": "team", "team": team,
             "subject": "s", "text": "t"}  # fmt: skip
    with pytest.raises(ConfirmationNeeded) as first:
        send_message(**given, decision=Decision(digest="none"))
    digest = first.value.confirmation.digest
    joined(campaign, "late", Role.PARTICIPANT, team)
    with pytest.raises(ConfirmationNeeded) as second:
        send_message(**given, decision=Decision(digest=digest))
    assert second.value.changed
    send_message(**given, decision=Decision(digest=second.value.confirmation.digest))
    assert Mail.objects.count() == 2


@pytest.mark.parametrize(
    ("audience", "people"),
    [
        ("teams", {"participant", "rival"}),
        ("assessors", {"assessor"}),
        ("everybody", {"participant", "rival", "assessor", "organizer"}),
    ],
)
def test_to_whom_organizers_write(
    campaign, organizer, participant, rival, assessor, stranger, audience, people
):
    Member.objects.exclude(user__in=[participant, rival, assessor, organizer]).delete()
    send_message(actor=organizer, campaign=campaign, audience=audience, subject="s", text="t")
    assert set(Mail.objects.values_list("user__username", flat=True)) == people


def test_refused_messages_leave_nothing(campaign, organizer, participant, assessor, team, page):
    given = {"actor": organizer, "campaign": campaign, "subject": "s", "text": "t"}
    with refusing("bad-audience"):
        send_message(**given, audience="all")
    with refusing("bad-audience"):
        send_message(**given, audience="team")
    with refusing("bad-message"):
        send_message(**given | {"text": " "}, audience="teams")
    Member.objects.filter(team=team).delete()
    with refusing("nobody"):
        send_message(**given, audience="team", team=team)
    with pytest.raises(PermissionDenied):
        send_message(**given | {"actor": assessor}, audience="teams")
    answer = page.post("/c/small/people/outbox/new/", MESSAGE | {"to": f"team-{team.pk}"})
    assert answer.status_code == 422
    assert not Mail.objects.exists()
