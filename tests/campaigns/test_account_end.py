"""A person takes their data along and deletes the account; their work stays. 2 s."""

import io
import json
import zipfile

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.test import Client

from campaigns.models import ApiToken, Event, Member, User
from campaigns.services.account_deletion import delete_account, erase_from_log
from campaigns.services.accounts import confirm_address
from campaigns.services.events import log_event
from campaigns.services.people import add_member, remove_member
from campaigns.services.tokens import create_token
from judging.models import Judgment
from tests.confirming import read_confirmation
from tests.pages import read_words
from tests.refusals import refusing
from tests.world.people import user

PASSWORD = "correct horse battery"


def prove(client: Client, url: str):
    """Open ``url``, with the password that it asks for."""
    asked = client.get(url)
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    return client.post(asked["Location"], {"password": PASSWORD}, follow=True)


def test_export_has_everything_but_secrets(world, client_for):
    judge = world.people["assessor"]
    confirm_address(judge, "judge@example.org")
    create_token(judge)
    answer = prove(client_for("assessor"), "/account/export/")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    assert files["account.json"][0]["email"] == "judge@example.org"
    assert "password" not in files["account.json"][0]
    judged = files["judgment-assessor.json"]
    assert len(judged) == judge.judgments.count() > 0
    assert {row["campaign"] for row in judged} == {"small"}
    assert "digest" not in files["apitoken-user.json"][0]
    assert files["member-user.json"][0]["role"] == "assessor"
    assert "owner" not in json.dumps(files)
    # Nothing tells which documents are repeats, or what comes next.
    assert not {"purpose", "slot"} & set(judged[0])
    assert not [name for name in files if "slot" in name]


def test_deletion_keeps_judgments_under_a_pseudonym(world, client_for):
    judge = world.people["assessor"]
    User.objects.filter(pk=judge.pk).update(first_name="Grace", last_name="Hopper")
    judge.refresh_from_db()
    confirm_address(judge, "judge@example.org")
    create_token(judge)
    organizer = world.people["organizer"]
    member = judge.memberships.get(campaign=world.campaign)
    remove_member(actor=organizer, member=member)  # the log keeps what the page said of it
    add_member(actor=organizer, campaign=world.campaign, user=judge, role="assessor")
    before = list(Judgment.objects.order_by("pk").values_list("pk", "grade", "assessor"))
    client = client_for("assessor")
    shown = prove(client, "/account/delete/")
    text = read_words(shown)
    assert "stay and count, by “deleted-…”" in text
    fields = read_confirmation(shown)
    assert client.post("/account/delete/", fields | {"confirm": []}).status_code == 422
    assert client.post("/account/delete/", fields)["Location"] == "/"

    judge.refresh_from_db()
    assert judge.username.startswith("deleted-")
    assert (judge.get_full_name(), judge.email, judge.is_active) == ("", "", False)
    assert not judge.has_usable_password()
    assert not any(
        rows.exists()
        for rows in (
            ApiToken.objects.filter(user=judge),
            EmailAddress.objects.filter(user=judge),
            Member.objects.filter(user=judge),
        )
    )
    assert list(Judgment.objects.order_by("pk").values_list("pk", "grade", "assessor")) == before
    sessions = [session.get_decoded() for session in Session.objects.all()]
    assert str(judge.pk) not in [data.get("_auth_user_id") for data in sessions]
    log = json.dumps(list(Event.objects.values_list("subject", "data")))
    assert "Hopper" not in log
    assert "assessor (assessor)" not in log
    last = Event.objects.filter(campaign=world.campaign).order_by("pk").last()
    assert (last.code, last.subject) == ("member.removed", f"{judge.username} (assessor)")
    assert Client().post(
        "/accounts/login/", {"username": "assessor", "password": PASSWORD}
    ).status_code == 200  # fmt: skip


@pytest.mark.parametrize("is_superuser", [False, True])
def test_the_last_organizer_hands_over_first(campaign, organizer, viewer, as_user, is_superuser):
    User.objects.filter(pk=organizer.pk).update(is_superuser=is_superuser)
    organizer.refresh_from_db()
    with refusing("last-organizer", "Small Task"):
        delete_account(user=organizer)
    add_member(actor=organizer, campaign=campaign, user=user("second"), role="organizer")
    assert delete_account(user=organizer).startswith("deleted-")
    organizer.refresh_from_db()
    assert (organizer.is_superuser, campaign.members.filter(role="organizer").count()) == (False, 1)


def test_a_team_keeps_no_contact_that_is_gone(participant, team):
    participant.first_name = "Karen"
    participant.save()
    team.contact = "Karen, room 12"
    team.save()
    delete_account(user=participant)
    team.refresh_from_db()
    assert team.contact == ""


def test_a_name_that_is_a_word_of_the_log_changes_nothing_else(campaign, organizer, participant):
    User.objects.filter(pk=participant.pk).update(first_name="everybody")
    participant.refresh_from_db()
    before = log_event(campaign, organizer, "data.published", "a.txt", audience="everybody")
    erase_from_log(participant, "deleted-1")
    before.refresh_from_db()
    assert before.data == {"audience": "everybody"}
