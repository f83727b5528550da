"""The outbox of a campaign, one's own mails, and messages of organizers."""

import pytest
from django.core import mail as django_mail
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ConfirmationNeeded
from campaigns.models import Event, Mail, Member, Role, User
from campaigns.services import mail as service
from campaigns.services.mail import queue_mail, send_queued_mails
from campaigns.services.messages import send_message
from tests.confirming import confirm
from tests.pages import read_words
from tests.refusals import refusing
from tests.world.people import joined

pytestmark = pytest.mark.usefixtures("addresses")


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


def test_a_mail_that_can_be_taken_back_is_not_read_before(letter, participant, as_user):
    told = letter(participant, send_after=timezone.now() + service.TAKE_BACK)
    client = as_user(participant)
    assert client.get(f"/account/mail/{told.pk}/").status_code == 404
    Mail.objects.update(send_after=timezone.now())
    assert client.get(f"/account/mail/{told.pk}/").status_code == 200


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
    assert send_queued_mails() == 1
    assert dict(Mail.objects.values_list("user__username", "state")) == {
        "participant": "sent", "rival": "no_email",
    }  # fmt: skip
    (sent,) = django_mail.outbox
    assert sent.subject == "New <data>"
    assert "Dear participant,\n\nFirst line\n\nSecond & last\n" in sent.body
    assert sent.reply_to == ["organizer@example.org"]
    assert "rival" not in sent.message().as_string()
    event = Event.objects.get(code="message.sent")
    assert event.data["people"] == ["participant", "rival"]
    previewed = dict(event.data["confirmed"]["consequences"])["Mail to participant"]
    assert " ".join(previewed.split()) == " ".join(sent.body.split())


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
    with refusing("no-recipients"):
        send_message(**given, audience="team", team=team)
    with pytest.raises(PermissionDenied):
        send_message(**given | {"actor": assessor}, audience="teams")
    answer = page.post("/c/small/people/outbox/new/", MESSAGE | {"to": f"team-{team.pk}"})
    assert answer.status_code == 422
    assert not Mail.objects.exists()
