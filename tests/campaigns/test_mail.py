"""How mails are sent: once, in order, again after a failure; and how reminders end."""

from datetime import timedelta
from smtplib import SMTPConnectError, SMTPDataError, SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core import mail as django_mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from campaigns.models import Mail, User
from campaigns.models.mail import MAIL_KINDS, REMINDERS
from campaigns.queries.mail import summarize_mails
from campaigns.services import mail as service
from campaigns.services.mail import make_reminder_url, queue_mail, send_queued_mails
from tests.pages import read_words

pytestmark = pytest.mark.usefixtures("addresses")
DAY = timedelta(days=1)


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
    ("error", "outcome"),
    [
        (SMTPRecipientsRefused({"x": (550, b"unknown")}), "failed: 550 unknown"),
        (SMTPRecipientsRefused({"x": (450, b"busy")}), "queued: 450 busy"),
        (SMTPDataError(554, b"spam"), "failed: 554 spam"),
        (SMTPDataError(451, b"later"), "queued: 451 later"),
        (SMTPServerDisconnected("gone"), "queued: gone"),
    ],
)
def test_refusals_for_good_fail_at_once_and_others_are_tried_again(
    letter, participant, server, error, outcome
):
    told = letter(participant)
    server["send"] = [error]
    assert send_queued_mails() == 0
    told.refresh_from_db()
    assert (f"{told.state}: {told.error}", told.attempts) == (outcome, 1)
    if told.state == "queued":
        assert told.send_after > timezone.now() + timedelta(minutes=1)
        Mail.objects.update(send_after=timezone.now())
        assert send_queued_mails() == 1


def test_the_fifth_attempt_is_the_last(letter, participant, server):
    told = letter(participant, attempts=4)
    server["send"] = [SMTPDataError(451, b"later")]
    send_queued_mails()
    told.refresh_from_db()
    assert told.state == "failed"


def test_a_mail_whose_tick_always_dies_has_failed(letter, participant):
    told = letter(participant, attempts=5)
    assert send_queued_mails() == 0
    told.refresh_from_db()
    assert (told.state, told.error) == ("failed", service.NO_END)


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
